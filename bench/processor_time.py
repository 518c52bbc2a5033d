# SPDX-License-Identifier: BSD-2-Clause
"""Processor time of a piece of work, and the name of the processor."""

import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def median_s(work: Callable[[], object], rounds: int) -> float:
    """Return the median of the rounds in seconds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def processor() -> str:
    """Return the processor's name, or that of its architecture."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()
