# SPDX-License-Identifier: BSD-2-Clause
"""Compares the stacks of the native core with those of an older commit, and with each other, in one run.

    make bench-stacks        -> build/bench/stack_ratios.json, tables of host/litemrc/native/README.md

Both cores are compiled by this script with the same flags. Runs alternate between them; each figure is the
median of the rounds in processor time, each ratio one of medians. Results of both cores must agree.
"""

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.processor_time import processor
from scripts.docs.page_tables import fill_tables, markdown

REPOSITORY = Path(__file__).parents[2]
NATIVE = Path("host/litemrc/native")
README = REPOSITORY / NATIVE / "README.md"
OLDER = "c46d3a6c"
LARGE, SMALL = 1 << 22, 1 << 18  # pages: beyond the last cache; as in trace_engines.py
SCATTER = np.uint64(0x9E3779B97F4A7C15)  # page numbers over 64 bits
RATE, SAMPLE_PAGES, GROUPS = 0.01, 8192, 8
LEAST_BYTES, MOST_BYTES = 100, 16_099  # of an object

Pages = NDArray[np.uint64]
Seconds = dict[tuple[str, str], list[float]]  # by run and core


def traces(count: int, footprint: int) -> Iterator[tuple[str, Pages]]:
    """Yield zipf 1.0 and 0.6, uniform, half zipf 1.0 and half a scan, and a loop."""
    generator = np.random.default_rng(2004)
    loop = np.arange(count, dtype=np.uint64) % np.uint64(footprint)
    for alpha in (1.0, 0.6):
        cumulative = np.cumsum(np.arange(1, footprint + 1) ** -alpha)
        ranks = np.searchsorted(cumulative, generator.random(count) * cumulative[-1])
        pages = generator.permutation(footprint).astype(np.uint64)[ranks]
        yield f"zipf {alpha}", pages
        if alpha == 1.0:
            yield "zipf 1.0 and a scan", np.where(generator.random(count) < 0.5, pages, loop)
    yield "uniform", generator.integers(0, footprint, count, np.uint64)
    yield "loop", loop


def build(native: Path, folder: Path) -> ctypes.CDLL:
    """Compile the stacks of a folder `native`."""
    source = Path(__file__).parent
    configure = ["cmake", "-S", source, "-B", folder, f"-DNATIVE={native}", "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder], check=True, stdout=subprocess.DEVNULL)
    return ctypes.CDLL(str(folder / "libstack_runs.so"))


def older_native(commit: str, folder: Path) -> Path:
    """Unpack the stacks of a commit, to be compiled with today's flags."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["git", "archive", commit, NATIVE / "stacks"]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=REPOSITORY)
    subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive.stdout)
    shutil.copy(REPOSITORY / NATIVE / "recency_kernels.cmake", folder / NATIVE)
    return folder / NATIVE


def measure(cores: dict[str, ctypes.CDLL], runs: dict[str, Callable], rounds: int) -> Seconds:
    """Return the seconds of each run with each core."""
    seconds: Seconds = {}
    answers: dict[str, set[int]] = {}
    for _ in range(rounds):
        for name, run in runs.items():
            for core, library in cores.items():
                began = time.process_time()
                answers.setdefault(name, set()).add(run(library))
                seconds.setdefault((name, core), []).append(time.process_time() - began)
    if differing := [name for name, found in answers.items() if len(found) > 1]:
        raise SystemExit(f"results differ from those of the older core: {', '.join(differing)}")
    return seconds


def runs_of(pages: Pages, sizes: NDArray[np.uint32]) -> dict[str, Callable]:
    """Return each stack's run by name; the arrays must outlive them."""
    address, count = ctypes.c_void_p(pages.ctypes.data), ctypes.c_size_t(pages.size)
    bytes_address = ctypes.c_void_p(sizes.ctypes.data)

    def run(function: str, *arguments: object) -> Callable:
        def call(library: ctypes.CDLL) -> int:
            library[function].restype = ctypes.c_uint64
            return library[function](*arguments)

        return call

    runs = {name: run(name, address, bytes_address, count) for name in ("exact", "by_bytes")}
    for kind, parameter in (
        ("fixed_rate", ctypes.c_double(RATE)),
        ("fixed_size", ctypes.c_size_t(SAMPLE_PAGES)),
    ):
        for groups in (0, GROUPS):
            runs[f"{kind} {groups}"] = run(kind, address, count, parameter, ctypes.c_uint(groups))
    return runs


def large_rows(cores: dict[str, ctypes.CDLL], accesses: int, rounds: int) -> list[list[str]]:
    """Speed of the exact stack over a footprint beyond the last cache, beside the older core's."""
    rows = []
    for name, pages in traces(accesses, LARGE):
        row = [name]
        for numbers in (pages, pages * SCATTER):
            run = {"exact": runs_of(numbers, np.zeros(1, np.uint32))["exact"]}
            seconds = measure(cores, run, rounds)
            old, new = (statistics.median(seconds["exact", core]) for core in ("old", "new"))
            row += [f"{accesses / old / 1e6:.1f}", f"{accesses / new / 1e6:.1f}", f"{old / new:.2f}"]
        rows.append(row)
        print(*row, flush=True)
    return rows


def small_rows(cores: dict[str, ctypes.CDLL], accesses: int, rounds: int) -> list[list[str]]:
    """Time by bytes against that by pages, and cost of the band against the older core's."""
    rows = []
    of_page = np.random.default_rng(1970).integers(LEAST_BYTES, MOST_BYTES + 1, SMALL, np.uint32)
    for name, pages in traces(accesses, SMALL):
        sizes = of_page[pages.astype(np.int64)]
        seconds = measure(cores, runs_of(pages, sizes), rounds)
        ns = {key: statistics.median(each) / accesses * 1e9 for key, each in seconds.items()}
        row = [name, *(f"{ns['by_bytes', core] / ns['exact', core]:.2f}" for core in ("old", "new"))]
        for kind in ("fixed_rate", "fixed_size"):
            band = {core: ns[f"{kind} {GROUPS}", core] - ns[f"{kind} 0", core] for core in ("old", "new")}
            row += [f"{band['old']:.2f}", f"{band['new']:.2f}", f"{band['new'] / band['old']:.2f}"]
        rows.append(row)
        print(*row, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", default=OLDER, metavar="COMMIT", help="the older core (%(default)s)")
    parser.add_argument("--accesses", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    args = parser.parse_args()
    folder = args.out.resolve() / "stacks"
    cores = {
        "old": build(older_native(args.against, folder / args.against), folder / "old"),
        "new": build(REPOSITORY / NATIVE, folder / "new"),
    }
    load = os.getloadavg()[0]
    large = large_rows(cores, args.accesses, args.rounds)
    small = small_rows(cores, args.accesses // 2, args.rounds)
    machine = (
        f"Against {args.against}, {date.today()}; {os.cpu_count()} cores of {processor()}, load average"
        f" {load:.1f}; medians of {args.rounds} rounds"
    )
    result = {"against": args.against, "machine": machine, "large": large, "small": small}
    (args.out / "stack_ratios.json").write_text(json.dumps(result, indent=1) + "\n")
    heads = ["4 Mi pages", "dense, before", "now", "ratio", "64-bit, before", "now", "ratio"]
    small_heads = ["256 Ki pages", "bytes / pages, before", "now"]
    small_heads += ["band, rate 0.01, before", "now", "ratio", "band, 8,192 pages, before", "now", "ratio"]
    tables = {"large-footprint": large, "bytes-and-band": small}
    texts = {
        name: f"{markdown(head, tables[name])}\n\n{machine} of {count / 1e6:g} M references."
        for name, head, count in zip(
            tables, (heads, small_heads), (args.accesses, args.accesses // 2), strict=True
        )
    }
    fill_tables(README, texts)


if __name__ == "__main__":
    main()
