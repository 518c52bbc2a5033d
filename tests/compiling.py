"""Compiles what benches are linked from: of units with a fault only what differs from those without."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from products import product, run_tool

RULES = Path(__file__)  # an input of all that is made by them
# Level 1: benches run as fast as at level 3 and are built 2 s sooner. The warnings are ap_int's.
CXX_FLAGS = ("-std=c++17", "-Wno-uninitialized", "-Wno-maybe-uninitialized")
LEVEL, FAULTY_LEVEL = "-O1", "-O0"  # a fault is found before optimisation pays
VERILATOR_FLAGS = ("--cc", "-O3", "-Wno-fatal", "-Wno-lint", "--prefix", "Vtop")
SPLIT = ("--output-split-cfuncs", "500")  # as LiteX: LiteDRAM of four ranks is compiled in half the time
# As in the Makefiles that Verilator writes.
VERILATED_FLAGS = (
    "-w",
    *(f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TRACE", "TRACE_FST", "TRACE_VCD")),
    "-faligned-new",
    "-fcf-protection=none",
    *("-fPIC", "-fno-gnu-unique"),  # for shared libraries, each with a top of its own
)
LIBRARY = ("verilated.cpp", "verilated_threads.cpp")


def verilate(
    folder: Path, files: Iterable[Path], level: str = LEVEL, beside: Iterable[Path] = (), module: str = "top"
) -> list[Path]:
    """Translate the Verilog of a module into `folder`, as the class Vtop, and compile it.

    :param files: Verilog, the module's first.
    :param level: of g++; LEVEL, or FAULTY_LEVEL where the run will be short.
    :param beside: C++ to compile with it.
    :return: what to link with a bench compiled with `verilated` = `folder`.
    """
    flags = [*VERILATOR_FLAGS, "--top-module", module, *SPLIT, "--Mdir", folder]
    run_tool(["verilator", *flags, *files])
    parts = sorted(folder.glob("Vtop*.cpp"))
    slow = [part for part in parts if part.name.endswith("__Slow.cpp")]  # run once, and half of the text
    fast = [part for part in parts if part not in slow]
    return [
        _verilated_object(folder, "fast", [*fast, *beside], level),
        _verilated_object(folder, "slow", slow, FAULTY_LEVEL),
        *_library(),
    ]


def _verilated_object(folder: Path, name: str, parts: list[Path], level: str) -> Path:
    source, made = folder / f"{name}.cpp", folder / f"{name}.o"
    source.write_text("".join(f'#include "{part}"\n' for part in parts))
    flags = ["-std=c++17", level, *VERILATED_FLAGS, *_header_compiled(folder, level)]
    run_tool(["g++", *flags, *_includes(folder), "-c", source, "-o", made])
    return made


def compiled(
    source: Path, name: str, flags: Iterable[str], inputs: Iterable[Path], verilated: Path | None = None
) -> Path:
    """One compiled source, made once for all that are alike.

    :param flags: of g++, but folders to include from must not be all that differs: their contents must be in
        `inputs`.
    :param inputs: what it includes.
    :param verilated: folder of the Verilated top that it includes the header of. Faults that leave the ports
        as they are share it.
    """
    flags = [*CXX_FLAGS, LEVEL, *flags]
    words = [flag for flag in flags if not flag.startswith("-I")]
    header = [verilated / "Vtop.h"] if verilated else []

    def build(folder: Path) -> Path:
        includes = _includes(verilated) if verilated else []
        run_tool(["g++", *flags, *includes, "-c", source, "-o", folder / "made.o"])
        return folder / "made.o"

    return product(f"{name}.o", [source, *inputs, *header, *words], build)


def link(folder: Path, name: str, objects: Iterable[Path]) -> Path:
    """The executable of that name in the folder."""
    run_tool(["g++", *objects, "-pthread", "-latomic", "-o", folder / name])
    return folder / name


def shared_library(folder: Path, name: str, objects: Iterable[Path]) -> Path:
    """The library of that name in the folder, of objects that `verilate` made."""
    run_tool(["g++", "-shared", *objects, "-pthread", "-latomic", "-o", folder / name])
    return folder / name


def _header_compiled(folder: Path, level: str) -> list[str]:
    """Flags to take the library's header compiled beforehand, which is half of what a small top takes."""

    def build(made_in: Path) -> Path:
        (made_in / "header.hpp").write_text('#include "verilated.h"\n')
        flags = ["-std=c++17", level, *VERILATED_FLAGS, *_includes(made_in)]
        run_tool(
            ["g++", *flags, "-x", "c++-header", made_in / "header.hpp", "-o", made_in / "header.hpp.gch"]
        )
        return made_in / "header.hpp.gch"

    made = product(f"verilated{level}.gch", [RULES], build)
    header = folder / f"header{level}.hpp"
    if not (compiled_header := Path(f"{header}.gch")).exists():
        compiled_header.symlink_to(made)
    return ["-include", str(header)]


def _library() -> list[Path]:
    """What Verilator links to every bench."""
    objects = []
    for name in LIBRARY:

        def build(folder: Path, name=name) -> Path:
            flags = ["-std=c++17", LEVEL, *VERILATED_FLAGS, *_includes(folder)]
            run_tool(["g++", *flags, "-c", _verilator_root() / name, "-o", folder / "made.o"])
            return folder / "made.o"

        objects.append(product(f"{Path(name).stem}.o", [RULES], build))
    return objects


def _includes(folder: Path) -> list[str]:
    root = _verilator_root()
    return [f"-I{folder}", f"-I{root}", f"-I{root / 'vltstd'}"]


@cache
def _verilator_root() -> Path:
    return Path(run_tool(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"
