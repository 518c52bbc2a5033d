# SPDX-License-Identifier: BSD-2-Clause
"""Compares the trace engines with each other, with plain trees and with libcachesim: one machine, one run.

    make bench        -> build/bench/trace_engines.{json,md}

All take the same traces: 10 M references over 256 Ki pages. Contenders alternate, so that disturbances affect
all; each figure is the median of the rounds, each ratio the median of the rounds' ratios. Time is processor
time, because the machine may be shared. With several threads it is elapsed time, which is meaningful only on
an idle machine (see the printed load average). All exact contenders must agree. Peak memory is measured in a
separate process, above that with only the trace loaded.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.contenders import (
    CHECKED_SIZES,
    EXACT,
    FOOTPRINT,
    SLOW,
    THREADED,
    compile_baselines,
    contenders,
    load_baselines,
    write_files,
)
from bench.peak_memory import peak_resident_bytes, reset_peak
from bench.processor_time import processor

REFERENCE = "popcount-block tree"


def make_traces(accesses: int) -> dict[str, NDArray[np.uint64]]:
    """Return zipf 1.0, zipf 0.6 and a loop; the popular pages of the first two are scattered."""
    generator = np.random.default_rng(2004)
    traces = {}
    for alpha in (1.0, 0.6):
        cumulative = np.cumsum(np.arange(1, FOOTPRINT + 1) ** -alpha)
        ranks = np.searchsorted(cumulative, generator.random(accesses) * cumulative[-1])
        traces[f"zipf {alpha}"] = generator.permutation(FOOTPRINT).astype(np.uint64)[ranks]
    traces["loop"] = np.arange(accesses, dtype=np.uint64) % np.uint64(FOOTPRINT)
    return traces


def geometric_mean(numbers: list[float]) -> float:
    return float(np.exp(np.mean(np.log(numbers))))


def measure(traces: dict[str, NDArray[np.uint64]], rounds: int, folder: Path) -> dict:
    """Return the seconds of each contender for each trace and round, and errors against the exact curve."""
    result: dict = {}
    competing = contenders(load_baselines(folder))
    for trace, pages in traces.items():
        files = folder / trace.replace(" ", "_").replace(".", "_")
        np.save(files.with_suffix(".npy"), pages)
        write_files(pages, files)
        seconds: dict[str, list[float]] = {}
        errors: dict[str, float] = {}
        exact = None
        for round_ in range(rounds):
            for name, run in competing.items():
                if round_ and name in SLOW:
                    continue
                clock = time.perf_counter if name in THREADED else time.process_time
                begin = clock()
                answer = run(pages, files)
                seconds.setdefault(name, []).append(clock() - begin)
                exact = answer if exact is None else exact
                error = float(np.mean([abs(answer[size] - exact[size]) for size in answer]))
                if name in EXACT and error > 1e-9:
                    raise SystemExit(f"{name} differs from exact on {trace} by {error}")
                errors[name] = error
            print(f"{trace}: round {round_ + 1} of {rounds}", file=sys.stderr, flush=True)
        result[trace] = {"seconds": seconds, "mean_absolute_error": errors}
    return result


def peak_bytes(name: str, trace: str, folder: Path) -> int:
    """Return one contender's peak memory in a separate process, less that with only the trace loaded."""
    command = [sys.executable, __file__, "--peak-of", name, "--trace", trace, "--out", folder]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(name: str, trace: str, folder: Path) -> None:
    files = folder / trace.replace(" ", "_").replace(".", "_")
    run = contenders(load_baselines(folder))[name]
    pages = np.load(files.with_suffix(".npy"))
    reset_peak()
    before = peak_resident_bytes()
    run(pages, files)
    print(peak_resident_bytes() - before)


def table(result: dict) -> str:
    """Return the results as Markdown."""
    traces = result["traces"]
    names = list(next(iter(traces.values()))["seconds"])
    lines = [
        f"{result['accesses']:,} references over {FOOTPRINT:,} pages; M references/s, medians of"
        f" {result['rounds']} rounds; {result['cores']} cores of {result['processor']}, load average"
        f" {result['load_average']:.1f}, {result['date']}",
        "",
        f"| | {' | '.join(traces)} | x {REFERENCE} | mean abs. error, worst | peak memory, MB |",
        "| --- |" + " ---: |" * (len(traces) + 3),
    ]
    for name in names:
        cells, ratios = [], []
        for of_trace in traces.values():
            seconds = of_trace["seconds"][name]
            cells.append(f"{result['accesses'] / statistics.median(seconds) / 1e6:.1f}")
            paired = zip(of_trace["seconds"][REFERENCE], seconds, strict=False)
            ratios.append(statistics.median(reference / own for reference, own in paired))
        error = max(of_trace["mean_absolute_error"][name] for of_trace in traces.values())
        cells += [
            f"{geometric_mean(ratios):.2f}",
            "exact" if name in EXACT else f"{error:.5f}",
            f"{result['peak_bytes'][name] / 1e6:.0f}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accesses", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    parser.add_argument("--peak-of", help=argparse.SUPPRESS)
    parser.add_argument("--trace", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peak_of:
        print_peak(args.peak_of, args.trace, args.out)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    compile_baselines(args.out)
    result = {
        "date": date.today().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "accesses": args.accesses,
        "rounds": args.rounds,
        "load_average": os.getloadavg()[0],
        "checked_sizes_pages": CHECKED_SIZES,
        "traces": measure(make_traces(args.accesses), args.rounds, args.out),
    }
    names = next(iter(result["traces"].values()))["seconds"]
    result["peak_bytes"] = {name: peak_bytes(name, "zipf 1.0", args.out) for name in names}
    (args.out / "trace_engines.json").write_text(json.dumps(result, indent=1) + "\n")
    (args.out / "trace_engines.md").write_text(table(result))
    print(table(result))


if __name__ == "__main__":
    main()
