"""Builds bench/refs_bench.cpp around the RTL of the reference counters, and bench/refs_replay.cpp."""

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from builder import (
    AP_TYPES,
    CXX_FLAGS,
    TRUE_SOURCES,
    VERILATOR_FLAGS,
    Sources,
    _cpp_inputs,
    _product,
    _run,
    take_verilator_objects,
)

COSIM = Path(__file__).resolve().parent
UNIT = Path("ref_counters") / "ref_counters.cpp"


@dataclass(frozen=True)
class RefSizes:
    """Parameters of the reference counters, the same for RTL, C++ and golden model."""

    pages: int
    contexts: int
    masters: int
    width: int
    queue_depth: int

    def __str__(self) -> str:
        return "-".join(map(str, vars(self).values()))

    @property
    def defines(self) -> list[str]:
        """The sizes as the C++ takes them."""
        names = {"FRAMES": self.pages, "CONTEXTS": self.contexts, "MASTERS": self.masters}
        names |= {"REFERENCE_BITS": self.width, "EVENT_QUEUE": self.queue_depth, "GROUPS": 2}
        return [f"-DLITEMRC_{name}={value}" for name, value in names.items()]


def refs_bench(sizes: RefSizes, sources: Sources = TRUE_SOURCES) -> Path:
    """Build the bench.

    The bench itself is compiled once for all RTL with the same ports: most faults leave them as they are.

    :return: the executable.
    :raises RuntimeError: if a tool fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        verilog = folder / "top.v"
        generate = [sys.executable, "-S", COSIM / "ref_top.py", *vars(sizes).values(), verilog]
        path = os.pathsep.join([str(sources.rtl), sysconfig.get_path("purelib")])
        _run(generate, env={**os.environ, "PYTHONPATH": path})
        take_verilator_objects(folder)
        flags = [flag for flag in VERILATOR_FLAGS if flag not in ("--build", "--exe")]
        _run(["verilator", *flags, "--Mdir", folder, verilog])
        _run(["make", "-C", folder, "-f", "Vtop.mk", "OPT_FAST=-O1", "OPT_SLOW=", "Vtop__ALL.a"])
        # Of the RTL, all that the bench is compiled from is its header.
        objects = [
            _object(COSIM / "bench" / "refs_bench.cpp", sizes, sources, folder / "Vtop.h"),
            _object(sources.hls / UNIT, sizes, sources),
            *(folder / name for name in ("Vtop__ALL.a", "verilated.o", "verilated_threads.o")),
        ]
        _run(["g++", *objects, "-pthread", "-latomic", "-o", folder / "bench"])
        return folder / "bench"

    inputs = [COSIM / "ref_top.py", COSIM / "rtl_top.py", *sources.rtl_files(), *_inputs(sources)]
    return _product(f"refs-{sizes}-{sources.label}", inputs, build)


def refs_replay(sizes: RefSizes) -> Path:
    """Build the driver that replays vectors of the golden model through the C++.

    :return: the executable.
    :raises RuntimeError: if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        objects = [
            _object(source, sizes, TRUE_SOURCES)
            for source in (COSIM / "bench" / "refs_replay.cpp", TRUE_SOURCES.hls / UNIT)
        ]
        _run(["g++", *objects, "-o", folder / "replay"])
        return folder / "replay"

    return _product(f"refs-replay-{sizes}", _inputs(TRUE_SOURCES), build)


def _inputs(sources: Sources) -> list[Path]:
    return [Path(__file__), COSIM / "builder.py", *_cpp_inputs(sources)]


def _object(source: Path, sizes: RefSizes, sources: Sources, verilated: Path | None = None) -> Path:
    """One compiled source; `verilated` is the header of the RTL that it includes."""
    include = [f"-I{sources.hls}", "-isystem", str(AP_TYPES)]
    inputs = [source, *_inputs(sources)]
    if verilated:
        root = Path(_run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"
        include += [f"-I{verilated.parent}", f"-I{root}", f"-I{root / 'vltstd'}"]
        inputs.append(verilated)
    label = sources.label if source.is_relative_to(sources.hls) else "bench"

    def build(folder: Path) -> Path:
        _run(["g++", *CXX_FLAGS, *include, *sizes.defines, "-c", source, "-o", folder / "made.o"])
        return folder / "made.o"

    return _product(f"{source.stem}-{sizes}-{label}.o", inputs, build)
