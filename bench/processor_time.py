# SPDX-License-Identifier: BSD-2-Clause
"""Processor time of a piece of work."""

import statistics
import time
from collections.abc import Callable


def median_s(work: Callable[[], object], rounds: int) -> float:
    """Return the median of the rounds in seconds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)
