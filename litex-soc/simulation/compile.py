"""Compiles a simulator that LiteX has generated, in a fifth of the time of LiteX's Makefile.

There is no tracing, there are no debug symbols, and Verilator's C++ files are not split. A simulator that
will run long is compiled twice, the second time with the profile of a short run: it takes a fifth less time.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from litex.build.sim import verilator

CORE = Path(verilator.core_directory)
HERE = Path(__file__).resolve().parent
# Linux takes 73 s of processor time to its first line; 84 s at -O2, and 117 s at Verilator's default -Os.
OPTIMIZE = "-O3"
LIBRARIES = "-lpthread -Wl,--no-as-needed -ljson-c -lz -lm -lstdc++ -ldl -levent"
NOT_WARNED_OF = ("fatal", "BLKANDNBLK", "WIDTH", "COMBDLY", "CASEINCOMPLETE")
VERILATOR_FLAGS = (
    *("--cc", "--exe", "--top-module", "sim", "-O3", "--unroll-count", "256", "--relative-includes"),
    *("-DPRINTF_COND=0", *(f"-Wno-{name}" for name in NOT_WARNED_OF)),
)
MEASURE = "-fprofile-generate"
USE_PROFILE = "-fprofile-use -Wno-missing-profile"
LONG_LINE = 100_000  # characters

# The modules' states: sim_modules/snapshot/snapshot.h.
SNAPSHOT_FLAGS = ("--savable", "-LDFLAGS", "-Wl,--export-dynamic-symbol=snapshot_register")


def compile_simulator(
    folder: Path,
    sources: list[str],
    optimize: str = OPTIMIZE,
    *,
    snapshots: bool = False,
    train: Callable[[], None] | None = None,
) -> None:
    """Make ``obj_dir/Vsim`` and the modules in the folder of a simulator that LiteX has generated there.

    :param sources: Verilog files; relative paths are in the folder.
    :param optimize: level of the C++.
    :param snapshots: the simulator can save its state and continue from it.
    :param train: runs ``Vsim`` for some million cycles and ends it; the branches are optimised for that run.
    :raises subprocess.CalledProcessError: if a tool fails; its output goes to that of this process.
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
    ours = [HERE / "model.cpp", *([HERE / "snapshot.cpp"] if snapshots else [])]
    flags = [
        *VERILATOR_FLAGS,
        *(SNAPSHOT_FLAGS if snapshots else ()),
        "-CFLAGS",
        f"-I{CORE}",
        "-LDFLAGS",
        LIBRARIES,
    ]
    _wrap_lines(folder / "sim.v")
    _run(["verilator", *flags, *sources, "sim_init.cpp", *ours, *units], folder)
    # In the flags above, a level would come before Verilator's own, and the last level wins.
    make = ["make", jobs, "-C", objects, "-f", "Vsim.mk", "Vsim"]
    if train:
        _run([*make, f"OPT_FAST={optimize} {MEASURE}", f"LDFLAGS={MEASURE}"], folder)
        train()
        for made in [objects / "Vsim", *objects.glob("*.a"), *objects.glob("*.o")]:
            if made.name not in units and not made.name.startswith("verilated"):
                made.unlink()
        optimize += f" {USE_PROFILE}"
    _run([*make, f"OPT_FAST={optimize}"], folder)


def _wrap_lines(verilog: Path) -> None:
    """Break long lines: LiteDRAM's crossbar of 64 banks has one of 384 KB, too long for Verilator."""
    lines = verilog.read_text().split("\n")
    wrapped = (line.replace(" | ", "\n\t| ") if len(line) > LONG_LINE else line for line in lines)
    verilog.write_text("\n".join(wrapped))


def _run(command: list, folder: Path) -> None:
    # Flags of a make that runs this process are not for these makes: there is no job server to share.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")
    }
    subprocess.run([str(word) for word in command], cwd=folder, env=environment, check=True)
