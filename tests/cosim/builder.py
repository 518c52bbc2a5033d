# SPDX-License-Identifier: BSD-2-Clause
"""Builds benches, kept by products.py: RTL with Verilator, HLS C++ and benches with g++."""

import inspect
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

from tests.compiling import FAULTY_LEVEL, LEVEL, RULES, compiled, link, verilate
from tests.products import REPO, product, run_tool

COSIM = Path(__file__).resolve().parent
AP_TYPES = REPO / "build" / "ap_types"
# The C++ units beside the engine that a bench, or a driver that replays vectors, is linked with.
UNITS = {
    "chain": ("hit_counters",),
    "rate": (),
    "counters": ("hit_counters",),
    "filter": ("group_stack", "page_filter", "working_set"),
    "set": ("working_set",),
    "bitmap": ("page_bitmap",),
    "hot": ("hot_pages",),
    "traffic": ("dram_traffic",),
    "meter": ("group_stack", "rank_meter"),
    "monitor": ("hit_counters", "page_filter", "working_set"),
}
ENGINE_FLAGS = {  # bench/engine.hpp, bench/moves_check.hpp
    "bucket_stack": ("-DLITEMRC_ENGINE_BUCKET",),
    "group_stack_moves": ("-DLITEMRC_MOVES",),
}


@dataclass(frozen=True)
class Sizes:
    """Parameters of the units, the same for RTL, C++ and golden model."""

    frames: int
    groups: int
    contexts: int
    counter_bits: int = 32

    def __str__(self) -> str:
        return "-".join(map(str, astuple(self)))

    @property
    def defines(self) -> list[str]:
        """The sizes as compiler flags of the C++ units."""
        return [f"-DLITEMRC_{name.upper()}={value}" for name, value in vars(self).items()]


@dataclass(frozen=True)
class FilterSizes(Sizes):
    """Sizes with those of the page filter; frames, groups and contexts are its engine's."""

    memory_frames: int = 0
    recent_pages: int = 4


@dataclass(frozen=True)
class MeterSizes(Sizes):
    """Sizes with the power domains of the rank meter."""

    domains: int = 4


@dataclass(frozen=True)
class HotSizes(Sizes):
    """Sizes with those of hot_pages."""

    hot_sets: int = 512
    hot_pages: int = 64
    hot_count_bits: int = 20
    hot_error_bits: int = 9


@dataclass(frozen=True)
class TrafficSizes(Sizes):
    """Sizes with those of dram_traffic, which has no frames, groups and contexts."""

    frames: int = 8192
    groups: int = 64
    contexts: int = 8
    banks: int = 8
    ranks: int = 1
    cycle_bits: int = 34
    at_once: int = 2


@dataclass(frozen=True)
class Sources:
    """The sources of the units: the repository, or a copy with a fault."""

    rtl: Path = REPO / "litex-soc"
    hls: Path = REPO / "hls"
    label: str = "true"

    def rtl_files(self) -> list[Path]:
        """The benches' gateware."""
        return sorted((self.rtl / "litemrc_gateware").rglob("*.py"))

    def hls_files(self) -> list[Path]:
        """The benches' C++ units."""
        return sorted(self.hls.glob("*/*.?pp"))

    @property
    def level(self) -> str:
        """The optimisation level of the RTL."""
        return LEVEL if self.rtl == REPO / "litex-soc" else FAULTY_LEVEL


TRUE_SOURCES = Sources()


def rtl_bench(
    kind: str,
    top: str,
    sizes: Sizes,
    sources: Sources = TRUE_SOURCES,
    verilog_units: tuple[Path, ...] = (),
    *,
    stand_ins: bool = False,
    netlist: Callable[[Path], list[Path]] | None = None,
) -> Path:
    """Build the bench bench/<kind>_bench.cpp around a top of rtl_top.py.

    Parameters
    ----------
    kind
        "chain" or "rate" around a stack engine, "counters", "filter", "set", "bitmap", "hot", "traffic"
        or "meter" around that unit, "monitor" around all of them but the last four.
    top
        a stack engine's name, "counters", "filter", "set", "bitmap", "hot", "traffic", "meter", or
        "monitor-" and the name of an engine.
    verilog_units
        modules that the top instantiates.
    stand_ins
        they are those of hls_stand_in.py, which call C++.
    netlist
        makes what is Verilated instead of the top's Verilog, from it.

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
        generate_verilog("rtl_top", [top, *astuple(sizes), verilog], sources)
        made = netlist(verilog) if netlist else [verilog]
        rtl = verilate(folder, [*made, *verilog_units], sources.level)
        engine = top.removeprefix("monitor-")
        units = _units(kind, engine, sizes, sources)
        bench = _object(COSIM / "bench" / f"{kind}_bench.cpp", sizes, sources, engine, folder)
        if stand_ins:
            units += _stand_in(units, sizes, sources)
        return link(folder, "bench", [bench, *units, *rtl])

    inputs = [COSIM / "rtl_top.py", *verilog_units, *sources.rtl_files(), *cpp_inputs(sources)]
    label = sources.label
    if netlist:
        inputs += [
            Path(inspect.getfile(netlist)),
            COSIM / "ecp5_cells.py",
            *sorted((COSIM / "ecp5").iterdir()),
        ]
        label = netlist.__name__
    return product(f"{kind}-{top}-{sizes}-{label}", inputs, build)


def replay(unit: str, sizes: Sizes) -> Path:
    """Build the driver that replays vectors of the golden model through the C++ units.

    Parameters
    ----------
    unit
        a stack engine's name, "page_filter", "working_set", "page_bitmap", "dram_traffic", "rank_meter",
        or "monitor-" and the name of an engine.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if the compiler fails; its output is in the message.
    """
    kinds = {
        "page_filter": "filter",
        "working_set": "set",
        "page_bitmap": "bitmap",
        "dram_traffic": "traffic",
        "rank_meter": "meter",
    }
    kind = "monitor" if unit.startswith("monitor-") else kinds.get(unit, "chain")
    driver = "replay" if kind == "chain" else f"{kind}_replay"
    engine = unit.removeprefix("monitor-")

    def build(folder: Path) -> Path:
        main = _object(COSIM / "bench" / f"{driver}.cpp", sizes, TRUE_SOURCES, engine)
        return link(folder, "replay", [main, *_units(kind, engine, sizes, TRUE_SOURCES)])

    return product(f"replay-{unit}-{sizes}", cpp_inputs(TRUE_SOURCES), build)


def accuracy(sizes: Sizes) -> Path:
    """Build the driver that measures the error of bucket_stack, in C++, against exact LRU.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        driver = [COSIM / "bench" / "accuracy.cpp", TRUE_SOURCES.hls / "bucket_stack" / "bucket_stack.cpp"]
        flags = ["-std=c++17", "-O2", "-w", *include_flags(TRUE_SOURCES), *sizes.defines]
        run_tool(["g++", *flags, *driver, "-o", folder / "accuracy"])
        return folder / "accuracy"

    return product(f"accuracy-{sizes}", cpp_inputs(TRUE_SOURCES), build)


def hot_recall(sizes: Sizes, sets: int = 512) -> Path:
    """Build the driver that measures the recall of hot_pages, in C++, and of models of other monitors.

    Returns
    -------
    the executable.

    Raises
    ------
    RuntimeError
        if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        driver = [COSIM / "bench" / "hot_recall.cpp", TRUE_SOURCES.hls / "hot_pages" / "hot_pages.cpp"]
        # small_int is twice as fast as the vendor's headers.
        include = [f"-I{TRUE_SOURCES.hls}", f"-I{TRUE_SOURCES.hls / 'small_int'}"]
        flags = ["-std=c++17", "-O2", "-w", *include, *sizes.defines, "-DLITEMRC_UNITS_ONLY"]
        run_tool(["g++", *flags, f"-DLITEMRC_HOT_SETS={sets}", *driver, "-o", folder / "hot_recall"])
        return folder / "hot_recall"

    return product(f"hot-recall-{sizes}-{sets}", cpp_inputs(TRUE_SOURCES), build)


def rank_bench(
    kind: str,
    rate: str,
    ranks: int = 4,
    domains: int = 4,
    bank_row_column: int = 1,
    spacing: int = 32,
    sources: Sources = TRUE_SOURCES,
) -> Path:
    """Build the bench bench/rank_bench.cpp around a top of rank_top.py, whose parameters these are.

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
        top = [kind, rate, ranks, domains, bank_row_column, spacing]
        defines = generate_verilog("rank_top", [*top, verilog], sources).split()
        rtl = verilate(folder, [verilog], sources.level)
        source, *headers = [*bench, *model]
        flags = [f"-I{REPO / 'litex-soc'}", *defines]
        name = f"rank_bench-{'-'.join(map(str, top))}"
        return link(folder, "bench", [compiled(source, name, flags, headers, folder), *rtl])

    included = ("rank_rig.hpp", "rank_sleeps.hpp", "rank_workload.hpp", "rtl.hpp", "mismatch.hpp")
    bench = [COSIM / "bench" / name for name in ("rank_bench.cpp", *included)]
    model = sorted((REPO / "litex-soc" / "ddr3_model").rglob("*.hpp"))
    others = ("dram_address.py", "records.py")
    units = [path for path in sources.rtl_files() if path.parent.name == "ranks" or path.name in others]
    inputs = [
        *RULES,
        *(COSIM / name for name in ("builder.py", "rank_top.py", "rtl_top.py")),
        *bench,
        *model,
        *units,
    ]
    name = f"ranks-{kind}-{rate}-{ranks}-{domains}-{bank_row_column}-{spacing}-{sources.label}"
    return product(name, inputs, build)


def generate_verilog(script: str, arguments: list, sources: Sources) -> str:
    """Run a module of this folder that writes a top; returns its output."""
    # A fresh interpreter, because the units may come from a copy with a fault in it; -S, because an
    # editable install finds its own before what PYTHONPATH names.
    path = os.pathsep.join([str(sources.rtl), str(REPO), sysconfig.get_path("purelib")])
    command = [sys.executable, "-S", "-m", f"tests.cosim.{script}", *arguments]
    return run_tool(command, env={**os.environ, "PYTHONPATH": path})


def include_flags(sources: Sources) -> list[str]:
    """Include flags for the headers of the units and of ap_int."""
    return [f"-I{sources.hls}", "-isystem", str(AP_TYPES)]


def _units(kind: str, engine: str, sizes: Sizes, sources: Sources) -> list[Path]:
    """The C++ units, compiled."""
    names = list(UNITS[kind])
    if kind in ("chain", "rate", "monitor"):
        names.append("bucket_stack" if engine == "bucket_stack" else "group_stack")
    return [_object(sources.hls / name / f"{name}.cpp", sizes, sources) for name in names]


def _stand_in(units: list[Path], sizes: Sizes, sources: Sources) -> list[Path]:
    """The functions behind modules that stand in for an HLS compiler's, and the C++ that they call."""
    names = ("group_stack", "hit_counters", "working_set")
    called = [_object(sources.hls / name / f"{name}.cpp", sizes, sources) for name in names]
    functions = _object(COSIM / "bench" / "hls_stand_in.cpp", sizes, sources)
    return [functions, *(each for each in called if each not in units)]


def _object(
    source: Path, sizes: Sizes, sources: Sources, engine: str = "", verilated: Path | None = None
) -> Path:
    """A compiled unit, or a bench or driver around an engine."""
    headers = [path for path in cpp_inputs(sources) if path.suffix != ".cpp"]
    # The fault may be elsewhere: what it leaves as it is has one name, and is compiled once.
    read = [path for path in [source, *headers] if path.is_relative_to(sources.hls)]
    as_it_is = all(
        path.read_bytes() == (TRUE_SOURCES.hls / path.relative_to(sources.hls)).read_bytes() for path in read
    )
    label = TRUE_SOURCES.label if as_it_is else sources.label
    flags = [*include_flags(sources), *sizes.defines, *ENGINE_FLAGS.get(engine, ())]
    return compiled(source, f"{source.stem}-{sizes}-{engine}-{label}", flags, headers, verilated)


def cpp_inputs(sources: Sources) -> list[Path]:
    """The inputs of compiled C++."""
    _fetch_ap_types()
    bench = (COSIM / "bench").glob("*.?pp")
    return [*RULES, Path(__file__), *sources.hls_files(), *sorted(bench), AP_TYPES / "origin.txt"]


@cache
def _fetch_ap_types() -> None:
    run_tool([sys.executable, REPO / "scripts" / "setup" / "fetch_ap_types.py"])
