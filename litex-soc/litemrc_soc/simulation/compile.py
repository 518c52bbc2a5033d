# SPDX-License-Identifier: BSD-2-Clause
"""Compiles a simulator that LiteX has generated, in a fifth of the time of LiteX's Makefile.

There is no tracing, there are no debug symbols, and Verilator's C++ files are not split. A simulator that
will run long is compiled twice, the second time with the profile of a short run: it takes a fifth less time.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from litex.build.sim import verilator

from litemrc_soc.simulation import verilated

CORE = Path(verilator.core_directory)
HERE = Path(__file__).resolve().parent
OPTIMIZE = "-O3"
LIBRARIES = ("-Wl,--no-as-needed", "-ljson-c", "-lz", "-lm", "-ldl", "-levent")
# Without the assertions of Chisel (Rocket), and what is there only for them.
VERILATOR_FLAGS = ("--unroll-count", "256", "--relative-includes", "-DPRINTF_COND=0", "-DSTOP_COND=0")
MEASURE = "-fprofile-generate"
USE_PROFILE = ("-fprofile-use", "-Wno-missing-profile")
HUGE_PAGE = 2 << 20  # huge_page.cpp
SEGMENTS = f"-Wl,-z,noseparate-code,-z,max-page-size={HUGE_PAGE},-z,common-page-size={HUGE_PAGE}"
LONG_LINE = 100_000  # characters

# The modules' states: sim_modules/snapshot/snapshot.h.
SNAPSHOT_FUNCTION = "-Wl,--export-dynamic-symbol=snapshot_register"


def compile_simulator(
    folder: Path,
    sources: list[str],
    optimize: str = OPTIMIZE,
    *,
    snapshots: bool = False,
    profiles: bool = False,
    train: Callable[[], None] | None = None,
) -> None:
    """Make ``obj_dir/Vsim`` and the modules in the folder of a simulator that LiteX has generated there.

    Parameters
    ----------
    sources
        Verilog files; relative paths are in the folder.
    optimize
        level of the C++.
    snapshots
        the simulator can save its state and continue from it.
    profiles
        it counts the cycles of its VexRiscv on request.
    train
        runs ``Vsim`` for some million cycles and ends it; the branches are optimised for that run.

    Raises
    ------
    subprocess.CalledProcessError
        if a tool fails; its output goes to that of this process.
    """
    objects = folder / "obj_dir"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    _run(["make", "-C", folder, "-f", CORE / "Makefile", f"-j{os.cpu_count()}", "modules"], folder)
    _wrap_lines(folder / "sim.v")
    flags = [*VERILATOR_FLAGS, *(["--savable"] if snapshots else [])]
    fast, slow = verilated.translate(objects, "sim", [folder / source for source in sources], "Vsim", flags)
    parts = {"model": True, "snapshot": snapshots, "profile": profiles}
    ours = [*(HERE / f"{name}.cpp" for name, wanted in parts.items() if wanted), folder / "sim_init.cpp"]
    often = [verilated.one_source(objects, "fast", fast), *ours]
    once = [verilated.one_source(objects, "slow", slow), HERE / "huge_page.cpp"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:

        def compiled(sources: list[Path], flags: list[str]) -> list[Future]:
            return [pool.submit(_compiled, objects, source, flags) for source in sources]

        rest = [
            *compiled(once, ["-O0"]),
            *compiled([*verilated.library(saving=snapshots), *CORE.glob("*.c")], [OPTIMIZE]),
        ]

        def link(flags: list[str]) -> None:
            made = [each.result() for each in [*compiled(often, flags), *rest]]
            exported = [SNAPSHOT_FUNCTION] if snapshots else []
            words = [*flags, *made, *verilated.LINKED, *LIBRARIES, SEGMENTS, *exported]
            _run(["g++", *words, "-o", objects / "Vsim"], folder)

        if train:
            link([optimize, MEASURE])
            train()
        link([optimize, *(USE_PROFILE if train else [])])


def _compiled(folder: Path, source: Path, flags: list[str]) -> Path:
    made = folder / f"{source.stem}.o"
    if source.suffix == ".c":
        _run(["gcc", *flags, "-c", source, "-o", made], folder)
    else:
        words = [*verilated.CXX_FLAGS, *flags, *verilated.includes(folder, CORE)]
        _run(["g++", *words, "-c", source, "-o", made], folder)
    return made


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
