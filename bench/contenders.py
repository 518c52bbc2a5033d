# SPDX-License-Identifier: BSD-2-Clause
"""The engines that `trace_engines.py` compares: each takes a whole trace and returns a curve."""

import ctypes
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import libcachesim
import numpy as np
from litemrc.native.byte_stack import ByteStack
from litemrc.native.exact_stack import ExactStack
from litemrc.native.hls_engine import HlsEngine
from litemrc.native.os_tracker import OsTracker
from litemrc.native.shards import ShardsFixedRate, ShardsFixedSize
from litemrc.traces import open_trace
from litemrc.traces.formats.oracle_general import RECORD
from numpy.typing import NDArray

FOOTPRINT = 1 << 18  # pages 0 .. FOOTPRINT - 1; every trace has all or nearly all of them
GROUPS = 64
_OBJECT_BYTES = 4096
ONE_SIZE = FOOTPRINT // 4  # pages, for contenders that simulate one size

Miss = dict[int, float]  # miss ratio by pages of memory
CHECKED_SIZES = [FOOTPRINT // GROUPS * group for group in range(1, GROUPS + 1)]


def _engine(make: Callable, pages: NDArray[np.uint64], _: Path) -> Miss:
    engine = make()
    engine.access(pages)
    return dict(zip(CHECKED_SIZES, engine.curve().at_sizes(CHECKED_SIZES).tolist(), strict=True))


def _by_bytes(pages: NDArray[np.uint64], _: Path) -> Miss:
    """Objects of 4,096 bytes have the curve of pages."""
    engine = ByteStack()
    engine.access(pages, np.full(pages.size, _OBJECT_BYTES, np.uint32))
    ratios = engine.curve().at_sizes(np.array(CHECKED_SIZES) * _OBJECT_BYTES).tolist()
    return dict(zip(CHECKED_SIZES, ratios, strict=True))


def _file(pages: NDArray[np.uint64], files: Path) -> Miss:
    engine = ExactStack()
    with open_trace(files.with_suffix(".oracleGeneral.zst")) as trace:
        for chunk in trace:
            engine.access(chunk.pages)
    return dict(zip(CHECKED_SIZES, engine.curve().at_sizes(CHECKED_SIZES).tolist(), strict=True))


def compile_baselines(folder: Path) -> None:
    """Compile baselines.cpp for this processor; the engines are compiled for any."""
    library = folder / "baselines.so"
    source = Path(__file__).with_name("baselines.cpp")
    command = ["g++", "-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library]
    subprocess.run(command, check=True)


def load_baselines(folder: Path) -> ctypes.CDLL:
    """Load the library that `compile_baselines` built in this folder."""
    return ctypes.CDLL(str((folder / "baselines.so").resolve()))


def _baseline(function: Callable, pages: NDArray[np.uint64], _: Path) -> Miss:
    histogram = np.zeros(FOOTPRINT + 1, np.uint64)
    address, size = ctypes.c_void_p, ctypes.c_size_t
    function(address(pages.ctypes.data), size(pages.size), size(FOOTPRINT), address(histogram.ctypes.data))
    misses = pages.size - np.cumsum(histogram[1:])
    return {pages_: float(misses[pages_ - 1] / pages.size) for pages_ in CHECKED_SIZES}


def _libcachesim(pages: NDArray[np.uint64], files: Path) -> Miss:
    reader = libcachesim.TraceReader(
        str(files.with_suffix(".oracleGeneral.bin")),
        libcachesim.TraceType.ORACLE_GENERAL_TRACE,
        libcachesim.ReaderInitParam(ignore_obj_size=True),
    )
    return {ONE_SIZE: libcachesim.LRU(cache_size=ONE_SIZE).process_trace(reader)[0]}


def contenders(library: ctypes.CDLL) -> dict[str, Callable[[NDArray[np.uint64], Path], Miss]]:
    """Return all contenders by name; each takes the pages, and the path without suffix of the same trace."""
    return {
        "exact": partial(_engine, ExactStack),
        "exact, by bytes": _by_bytes,
        "exact, 2 threads": partial(_engine, partial(ExactStack, threads=2)),
        "exact, zstd oracleGeneral file": _file,
        "popcount-block tree": partial(_baseline, library.block_tree),
        "Fenwick tree": partial(_baseline, library.fenwick_tree),
        "shards, rate 0.01": partial(_engine, partial(ShardsFixedRate, 0.01)),
        "shards, 8192 pages": partial(_engine, partial(ShardsFixedSize, 8192)),
        "group_stack": partial(_engine, partial(HlsEngine, "group", FOOTPRINT, GROUPS)),
        "bucket_stack": partial(_engine, partial(HlsEngine, "bucket", FOOTPRINT, GROUPS)),
        "os, 8192 pages": partial(_engine, OsTracker),
        "libcachesim LRU, one size": _libcachesim,
    }


EXACT = {
    "exact",
    "exact, by bytes",
    "exact, 2 threads",
    "exact, zstd oracleGeneral file",
    "popcount-block tree",
    "Fenwick tree",
    "group_stack",
    "libcachesim LRU, one size",
}
THREADED = {"exact, 2 threads"}
SLOW = {"group_stack", "bucket_stack", "libcachesim LRU, one size"}  # timed once


def write_files(pages: NDArray[np.uint64], files: Path) -> None:
    """Write the trace as oracleGeneral, plain and compressed."""
    records = np.zeros(pages.size, RECORD)
    records["time"], records["page"], records["size"] = np.arange(pages.size), pages, 1
    records["next"] = -1  # no contender uses it
    plain = files.with_suffix(".oracleGeneral.bin")
    plain.write_bytes(records.tobytes())
    subprocess.run(
        ["zstd", "-q", "-f", "-3", plain, "-o", files.with_suffix(".oracleGeneral.zst")], check=True
    )
