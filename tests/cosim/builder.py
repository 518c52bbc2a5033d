"""Builds benches under build/cosim: the RTL through Verilator, the HLS C++ and the bench through g++.

A product is named after the contents of everything it was made from, so a second run builds nothing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

COSIM = Path(__file__).resolve().parent
REPO = COSIM.parents[1]
BUILD = REPO / "build" / "cosim"
AP_TYPES = REPO / "build" / "ap_types"
HLS_UNITS = ("group_stack", "bucket_stack", "hit_counters", "page_filter", "working_set", "rank_meter")
ENGINE_FLAGS = {  # bench/engine.hpp, bench/moves_check.hpp
    "bucket_stack": ("-DLITEMRC_ENGINE_BUCKET",),
    "group_stack_moves": ("-DLITEMRC_MOVES",),
}
# Level 1: these benches run as fast as at level 3 and are built 2 s sooner. The warnings are ap_int's.
CXX_FLAGS = ("-std=c++17", "-O1", "-Wno-unknown-pragmas", "-Wno-uninitialized", "-Wno-maybe-uninitialized")
VERILATOR_FLAGS = ("--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "--top-module", "top")


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
        """The sizes as the C++ units take them."""
        return [f"-DLITEMRC_{name.upper()}={value}" for name, value in vars(self).items()]


@dataclass(frozen=True)
class FilterSizes(Sizes):
    """The same with those of the page filter; frames, groups and contexts are its engine's."""

    memory_frames: int = 0
    recent_pages: int = 4


@dataclass(frozen=True)
class MeterSizes(Sizes):
    """The same with the power domains of the rank meter."""

    domains: int = 4


@dataclass(frozen=True)
class Sources:
    """Where the units come from: the repository, or a copy with a fault in it."""

    rtl: Path = REPO / "litex-soc"
    hls: Path = REPO / "hls"
    label: str = "true"

    def rtl_files(self) -> list[Path]:
        """The gateware the benches are made of."""
        return sorted((self.rtl / "litemrc_gateware").glob("*.py"))

    def hls_files(self) -> list[Path]:
        """The C++ the benches are made of."""
        return sorted(self.hls.glob("*/*.?pp"))

    def hls_units(self) -> list[Path]:
        """The C++ to compile."""
        return [self.hls / unit / f"{unit}.cpp" for unit in HLS_UNITS]


TRUE_SOURCES = Sources()


def rtl_bench(
    kind: str, top: str, sizes: Sizes, sources: Sources = TRUE_SOURCES, verilog_units: tuple[Path, ...] = ()
) -> Path:
    """Build the bench bench/<kind>_bench.cpp around a top of rtl_top.py.

    :param kind: "chain" or "rate" around a stack engine, "counters", "filter", "set" or "meter" around that
        unit, "monitor" around all of them but the last.
    :param top: a stack engine's name, "counters", "filter", "set", "meter", or "monitor-" and the name of an
        engine.
    :param verilog_units: modules that the top instantiates.
    :return: the executable.
    :raises RuntimeError: if a tool fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        verilog = folder / "top.v"
        # A fresh interpreter, because the units may come from a copy with a fault in it; -S, because an
        # editable install finds its own before what PYTHONPATH names.
        generate = [sys.executable, "-S", COSIM / "rtl_top.py", top, *astuple(sizes), verilog]
        path = os.pathsep.join([str(sources.rtl), sysconfig.get_path("purelib")])
        _run(generate, env={**os.environ, "PYTHONPATH": path})
        flags = [*_flags(sizes, sources), *ENGINE_FLAGS.get(top.removeprefix("monitor-"), ())]
        take_verilator_objects(folder)
        # The level is that of CXX_FLAGS.
        command = ["verilator", *VERILATOR_FLAGS, "-MAKEFLAGS", "OPT_FAST= OPT_SLOW= OPT_GLOBAL="]
        bench = COSIM / "bench" / f"{kind}_bench.cpp"
        units = folder / "units.a"
        shutil.copyfile(
            _hls_objects(sizes, sources, ENGINE_FLAGS.get(top.removeprefix("monitor-"), ())), units
        )
        files = [verilog, *verilog_units, bench, units]
        _run([*command, "-CFLAGS", " ".join(flags), "--Mdir", folder, "-o", "bench", *files])
        return folder / "bench"

    inputs = [COSIM / "rtl_top.py", *verilog_units, *sources.rtl_files(), *_cpp_inputs(sources)]
    return _product(f"{kind}-{top}-{sizes}-{sources.label}", inputs, build)


def replay(unit: str, sizes: Sizes) -> Path:
    """Build the driver that replays vectors of the golden model through the C++ units.

    :param unit: a stack engine's name, "page_filter", "working_set", "rank_meter", or "monitor-" and the name
        of an engine.
    :return: the executable.
    :raises RuntimeError: if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        names = {"page_filter": "filter_replay", "working_set": "set_replay", "rank_meter": "meter_replay"}
        name = names.get(unit, "replay")
        if unit.startswith("monitor-"):
            name = "monitor_replay"
        driver = [COSIM / "bench" / f"{name}.cpp", *TRUE_SOURCES.hls_units()]
        flags = [*_flags(sizes, TRUE_SOURCES), *ENGINE_FLAGS.get(unit.removeprefix("monitor-"), ())]
        _run(["g++", *flags, *driver, "-o", folder / "replay"])
        return folder / "replay"

    return _product(f"replay-{unit}-{sizes}", _cpp_inputs(TRUE_SOURCES), build)


def accuracy(sizes: Sizes) -> Path:
    """Build the driver that measures the error of bucket_stack, in C++, against exact LRU.

    :return: the executable.
    :raises RuntimeError: if the compiler fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        driver = [COSIM / "bench" / "accuracy.cpp", TRUE_SOURCES.hls / "bucket_stack" / "bucket_stack.cpp"]
        _run(["g++", *_flags(sizes, TRUE_SOURCES), "-O2", *driver, "-o", folder / "accuracy"])
        return folder / "accuracy"

    return _product(f"accuracy-{sizes}", _cpp_inputs(TRUE_SOURCES), build)


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

    :return: the executable.
    :raises RuntimeError: if a tool fails; its output is in the message.
    """

    def build(folder: Path) -> Path:
        verilog = folder / "top.v"
        top = [kind, rate, ranks, domains, bank_row_column, spacing]
        generate = [sys.executable, "-S", COSIM / "rank_top.py", *top, verilog]
        path = os.pathsep.join([str(sources.rtl), sysconfig.get_path("purelib")])
        defines = _run(generate, env={**os.environ, "PYTHONPATH": path}).split()
        flags = [*CXX_FLAGS[:2], f"-I{REPO / 'litex-soc'}", *defines]
        bench = COSIM / "bench" / "rank_bench.cpp"
        take_verilator_objects(folder)
        command = ["verilator", *VERILATOR_FLAGS, "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW= OPT_GLOBAL="]
        _run([*command, "-CFLAGS", " ".join(flags), "--Mdir", folder, "-o", "bench", verilog, bench])
        return folder / "bench"

    bench = [COSIM / "bench" / name for name in ("rank_bench.cpp", "rank_rig.hpp", "rtl.hpp", "mismatch.hpp")]
    model = sorted((REPO / "litex-soc" / "ddr3_model").glob("*.hpp"))
    others = ("ddr3_timings.py", "bank_row_column.py", "records.py")
    units = [path for path in sources.rtl_files() if path.name.startswith("rank_") or path.name in others]
    inputs = [
        Path(__file__),
        COSIM / "rank_top.py",
        COSIM / "rtl_top.py",
        *bench,
        *model,
        *units,
    ]
    name = f"ranks-{kind}-{rate}-{ranks}-{domains}-{bank_row_column}-{spacing}-{sources.label}"
    return _product(name, inputs, build)


def take_verilator_objects(folder: Path) -> None:
    """Put what Verilator links to every bench into a folder where it builds one: compiled once for all."""
    for name in ("verilated", "verilated_threads"):
        product = _product(
            f"{name}.o", [Path(__file__)], lambda made, name=name: _verilator_object(made, name)
        )
        shutil.copy2(product, folder / f"{name}.o")


def _verilator_object(folder: Path, name: str) -> Path:
    top = folder / "top.v"
    top.write_text("module top(input clock); endmodule\n")
    bench = folder / "bench.cpp"
    bench.touch()
    flags = [flag for flag in VERILATOR_FLAGS if flag != "--build"]
    _run(["verilator", *flags, "-CFLAGS", " ".join(CXX_FLAGS), "--Mdir", folder, top, bench])
    _run(["make", "-C", folder, "-f", "Vtop.mk", f"{name}.o", "OPT_FAST=", "OPT_SLOW=", "OPT_GLOBAL="])
    return folder / f"{name}.o"


def _hls_objects(sizes: Sizes, sources: Sources, flags: Iterable[str]) -> Path:
    """An archive of the C++ units, which most faults leave as they are."""
    contents = [path.read_bytes() for path in sources.hls_files()]
    if contents == [path.read_bytes() for path in TRUE_SOURCES.hls_files()]:
        sources = TRUE_SOURCES

    def build(folder: Path) -> Path:
        objects = [folder / f"{unit.stem}.o" for unit in sources.hls_units()]
        for unit, made in zip(sources.hls_units(), objects, strict=True):
            _run(["g++", *_flags(sizes, sources), *flags, "-c", unit, "-o", made])
        _run(["ar", "rcs", folder / "units.a", *objects])
        return folder / "units.a"

    return _product("-".join(["units", str(sizes), *flags, sources.label]), _cpp_inputs(sources), build)


def _flags(sizes: Sizes, sources: Sources) -> list[str]:
    return [*CXX_FLAGS, f"-I{sources.hls}", "-isystem", str(AP_TYPES), *sizes.defines]


def _cpp_inputs(sources: Sources) -> list[Path]:
    _run([sys.executable, REPO / "scripts" / "fetch_ap_types.py"])
    bench = (COSIM / "bench").glob("*.?pp")
    return [Path(__file__), *sources.hls_files(), *sorted(bench), AP_TYPES / "origin.txt"]


def _product(name: str, inputs: Iterable[Path], build: Callable[[Path], Path]) -> Path:
    """The executable that `build` makes in a folder; made only if an input or a tool has changed."""
    tools = [_version("verilator"), _version("g++"), version("migen"), version("litex")]
    digest = hashlib.sha256("\0".join(tools).encode())
    for path in inputs:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    product = BUILD / f"{name}-{digest.hexdigest()[:16]}"
    if not product.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        for outdated in BUILD.glob(f"{name}-*"):
            outdated.unlink(missing_ok=True)
        # Built aside and moved in at once: what is there is complete, even if two processes build it.
        with tempfile.TemporaryDirectory(dir=BUILD, prefix="new-") as folder:
            build(Path(folder)).replace(product)
    return product


@cache
def _version(tool: str) -> str:
    return _run([tool, "--version"]).splitlines()[0]


def _run(command: list, **options) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\nreturned {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
