"""Compiles a simulator that LiteX has generated: as LiteX's Makefile does, in a fifth of the time.

Without tracing, without symbols for a debugger, and in files as large as Verilator makes them by itself.
"""

import os
import shutil
import subprocess
from pathlib import Path

from litex.build.sim import verilator

CORE = Path(verilator.core_directory)
MODEL = Path(__file__).resolve().parent / "model.cpp"
# To its first line Linux takes 73 s of processor time; 84 at level 2, and 117 at Verilator's own, -Os.
OPTIMIZE = "-O3"
LIBRARIES = "-lpthread -Wl,--no-as-needed -ljson-c -lz -lm -lstdc++ -ldl -levent"
NOT_WARNED_OF = ("fatal", "BLKANDNBLK", "WIDTH", "COMBDLY", "CASEINCOMPLETE")
VERILATOR_FLAGS = (
    *("--cc", "--exe", "--top-module", "sim", "-O3", "--unroll-count", "256", "--relative-includes"),
    *("-DPRINTF_COND=0", *(f"-Wno-{name}" for name in NOT_WARNED_OF)),
)


def compile_simulator(folder: Path, sources: list[str], optimize: str = OPTIMIZE) -> None:
    """Make ``obj_dir/Vsim`` and the modules in the folder of a simulator that LiteX has generated there.

    :param sources: Verilog, of which those not absolute are in the folder.
    :param optimize: level of the C++.
    :raises subprocess.CalledProcessError: if a tool fails; what it prints goes where this process prints.
    """
    objects = folder / "obj_dir"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    jobs = f"-j{os.cpu_count()}"
    _run(["make", "-C", folder, "-f", CORE / "Makefile", jobs, "modules"], folder)
    units = []
    for source in sorted(CORE.glob("*.c")):
        units.append(f"{source.stem}.o")
        _run(["gcc", "-c", optimize, source, "-o", objects / units[-1]], folder)
    flags = [*VERILATOR_FLAGS, "-CFLAGS", f"-I{CORE}", "-LDFLAGS", LIBRARIES]
    _run(["verilator", *flags, *sources, "sim_init.cpp", MODEL, *units], folder)
    # In the flags above a level would stand before Verilator's own, and of two levels the last one counts.
    _run(["make", jobs, "-C", objects, "-f", "Vsim.mk", f"OPT_FAST={optimize}", "Vsim"], folder)


def _run(command: list, folder: Path) -> None:
    # What a make that runs this wants of its own makes is none of theirs: it has no jobs to share with them.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")
    }
    subprocess.run([str(word) for word in command], cwd=folder, env=environment, check=True)
