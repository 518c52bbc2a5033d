# SPDX-License-Identifier: BSD-2-Clause
"""Builds bench/refs_bench.cpp around the RTL of the reference counters, and bench/refs_replay.cpp."""

from dataclasses import dataclass
from pathlib import Path

from tests.compiling import compiled, link, verilate
from tests.cosim.builder import COSIM, TRUE_SOURCES, Sources, cpp_inputs, generate_verilog, include_flags
from tests.products import product

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
        """The sizes as compiler flags of the C++."""
        names = {"FRAMES": self.pages, "CONTEXTS": self.contexts, "MASTERS": self.masters}
        names |= {"REFERENCE_BITS": self.width, "EVENT_QUEUE": self.queue_depth, "GROUPS": 2}
        return [f"-DLITEMRC_{name}={value}" for name, value in names.items()]


def refs_bench(sizes: RefSizes, sources: Sources = TRUE_SOURCES) -> Path:
    """Build the bench.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if a tool fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        verilog = folder / "top.v"
        generate_verilog("ref_top", [*vars(sizes).values(), verilog], sources)
        rtl = verilate(folder, [verilog], sources.level)
        bench = _object(COSIM / "bench" / "refs_bench.cpp", sizes, sources, folder)
        return link(folder, "bench", [bench, _object(sources.hls / UNIT, sizes, sources), *rtl])

    inputs = [COSIM / "ref_top.py", COSIM / "rtl_top.py", *sources.rtl_files(), *_inputs(sources)]
    return product(f"refs-{sizes}-{sources.label}", inputs, build)


def refs_replay(sizes: RefSizes) -> Path:
    """Build the driver that replays vectors of the golden model through the C++.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        objects = [
            _object(source, sizes, TRUE_SOURCES)
            for source in (COSIM / "bench" / "refs_replay.cpp", TRUE_SOURCES.hls / UNIT)
        ]
        return link(folder, "replay", objects)

    return product(f"refs-replay-{sizes}", _inputs(TRUE_SOURCES), build)


def _inputs(sources: Sources) -> list[Path]:
    return [Path(__file__), *cpp_inputs(sources)]


def _object(source: Path, sizes: RefSizes, sources: Sources, verilated: Path | None = None) -> Path:
    """Compile a source; `verilated` is the folder of the RTL whose header it includes."""
    label = sources.label if source.is_relative_to(sources.hls) else "bench"
    flags = [*include_flags(sources), *sizes.defines]
    return compiled(source, f"{source.stem}-{sizes}-{label}", flags, _inputs(sources), verilated)
