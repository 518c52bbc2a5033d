# SPDX-License-Identifier: BSD-2-Clause
"""Faults in the C++ of hls/, and the C simulation of a unit with one of them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.compiling import CXX_FLAGS
from tests.mutation import mutated_source
from tests.products import REPO, run_tool
from tests.timeouts import scaled_timeout

HLS = REPO / "hls"
SIZES = [f"-DLITEMRC_{size}" for size in ("FRAMES=256", "GROUPS=16", "CONTEXTS=4", "EVENT_QUEUE=4")]


@dataclass(frozen=True)
class Fault:
    """One text in one file of hls/ replaced by another."""

    unit: str
    file: str
    old: str
    new: str


def simulated(folder: Path, fault: Fault, *flags: str) -> subprocess.CompletedProcess:
    """Run the testbench of a unit, built from a copy of hls/ with the fault."""
    sources = folder / "hls"
    shutil.copytree(HLS, sources)
    (sources / fault.file).write_text(mutated_source(HLS / fault.file, fault.old, fault.new))
    unit = sources / fault.unit / fault.unit
    files = [f"{unit}.cpp", f"{unit}_tb.cpp", "-o", folder / "bench"]
    run_tool(["g++", *CXX_FLAGS, "-O0", *SIZES, *flags, "-isystem", sources / "small_int", *files])
    return subprocess.run([folder / "bench"], capture_output=True, text=True, timeout=scaled_timeout(60))
