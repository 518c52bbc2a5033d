# SPDX-License-Identifier: BSD-2-Clause
"""Compiles what benches are linked from: of units with a fault only what differs from those without."""

from collections.abc import Iterable
from pathlib import Path

from litemrc_soc.simulation import verilated

from tests.products import product, run_tool

RULES = [Path(__file__), Path(verilated.__file__)]  # inputs of all that is made by them
# Level 1: benches run as fast as at level 3 and are built 2 s sooner. The warnings are ap_int's.
CXX_FLAGS = ("-std=c++17", "-Wno-uninitialized", "-Wno-maybe-uninitialized")
LEVEL, FAULTY_LEVEL = "-O1", "-O0"  # a fault is found before optimisation pays
SPLIT = ("--output-split-cfuncs", "500")  # as LiteX: LiteDRAM of four ranks is compiled in half the time
SHARED = ("-fPIC", "-fno-gnu-unique")  # for shared libraries, each with a top of its own


def verilate(
    folder: Path, files: Iterable[Path], level: str = LEVEL, beside: Iterable[Path] = (), module: str = "top"
) -> list[Path]:
    """Translate the Verilog of a module into `folder`, as the class Vtop, and compile it.

    Parameters
    ----------
    files
        Verilog, the module's first.
    level
        of g++; LEVEL, or FAULTY_LEVEL where the run will be short.
    beside
        C++ to compile with it.

    Returns
    -------
    what to link with a bench compiled with `translated` = `folder`.
    """
    fast, slow = verilated.translate(folder, module, files, "Vtop", SPLIT)
    return [
        _verilated_object(folder, "fast", [*fast, *beside], level),
        _verilated_object(folder, "slow", slow, FAULTY_LEVEL),
        *_library(),
    ]


def _verilated_object(folder: Path, name: str, parts: list[Path], level: str) -> Path:
    made = folder / f"{name}.o"
    flags = [*verilated.CXX_FLAGS, *SHARED, level, *_header_compiled(folder, level)]
    source = verilated.one_source(folder, name, parts)
    run_tool(["g++", *flags, *verilated.includes(folder), "-c", source, "-o", made])
    return made


def compiled(
    source: Path, name: str, flags: Iterable[str], inputs: Iterable[Path], translated: Path | None = None
) -> Path:
    """One compiled source, made once for all that are alike.

    Parameters
    ----------
    flags
        of g++, but folders to include from must not be all that differs: their contents must be in
        `inputs`.
    inputs
        what it includes.
    translated
        folder of the Verilated top that it includes the header of. Faults that leave the ports
        as they are share it.
    """
    flags = [*CXX_FLAGS, LEVEL, *flags]
    words = [flag for flag in flags if not flag.startswith("-I")]
    header = [translated / "Vtop.h"] if translated else []

    def build(folder: Path) -> Path:
        includes = verilated.includes(translated) if translated else []
        run_tool(["g++", *flags, *includes, "-c", source, "-o", folder / "made.o"])
        return folder / "made.o"

    return product(f"{name}.o", [source, *inputs, *header, *words], build)


def link(folder: Path, name: str, objects: Iterable[Path]) -> Path:
    """The executable of that name in the folder."""
    run_tool(["g++", *objects, *verilated.LINKED, "-o", folder / name])
    return folder / name


def shared_library(folder: Path, name: str, objects: Iterable[Path]) -> Path:
    """The library of that name in the folder, of objects that `verilate` made."""
    run_tool(["g++", "-shared", *objects, *verilated.LINKED, "-o", folder / name])
    return folder / name


def _header_compiled(folder: Path, level: str) -> list[str]:
    """Flags to take the library's header compiled beforehand, which is half of what a small top takes."""

    def build(made_in: Path) -> Path:
        (made_in / "header.hpp").write_text('#include "verilated.h"\n')
        flags = [*verilated.CXX_FLAGS, *SHARED, level, *verilated.includes(made_in)]
        run_tool(
            ["g++", *flags, "-x", "c++-header", made_in / "header.hpp", "-o", made_in / "header.hpp.gch"]
        )
        return made_in / "header.hpp.gch"

    made = product(f"verilated{level}.gch", RULES, build)
    header = folder / f"header{level}.hpp"
    if not (compiled_header := Path(f"{header}.gch")).exists():
        compiled_header.symlink_to(made)
    return ["-include", str(header)]


def _library() -> list[Path]:
    """What Verilator links to every bench."""
    objects = []
    for source in verilated.library():

        def build(folder: Path, source=source) -> Path:
            flags = [*verilated.CXX_FLAGS, *SHARED, LEVEL, *verilated.includes(folder)]
            run_tool(["g++", *flags, "-c", source, "-o", folder / "made.o"])
            return folder / "made.o"

        objects.append(product(f"{source.stem}.o", RULES, build))
    return objects
