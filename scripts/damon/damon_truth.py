#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""DAMON against the truth: Linux in qemu, whose every access is recorded; `make damon-truth` (15 min).

Each pattern of hotset.c runs under each setting of DAMON in a machine of its own, and again without recorder,
for the cost. What is measured is in build/damon-truth/results.json at once, also if Ctrl-C ends the script;
`--page` writes tables and picture of docs/damon-truth.md from there without a machine, `--rest` measures what
is missing there.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.damon.damon_guest import IMAGES, record, touches
from scripts.damon.damon_page import write_page
from scripts.damon.damon_recorded import Setting
from scripts.damon.damon_scores import Ranks, hottest, lag, mean_score, score
from scripts.damon.damon_windows import BITMAPS, Windows
from tests.linux.qemu import ROOT

OUT = ROOT / "build/damon-truth"
RESULTS = OUT / "results.json"
PAGES = 4096
# Of a pattern: the share of its pages that is wanted.
PATTERNS = {
    "zipf": 1 / 10, "shuffled": 1 / 10, "spot": 1 / 128, "cached": 1 / 128, "phases": 1 / 10,
    "sweep": 1 / 10, "uniform": 1 / 10,
}  # fmt: skip
MOVES = "phases"
SLOW = {"sample_us": 20_000, "aggregate_us": 400_000, "update_us": 4_000_000}
SETTINGS = {
    "vaddr, default": Setting("vaddr"),
    "vaddr, 100 regions": Setting("vaddr", most=100),
    "vaddr, slow": Setting("vaddr", **SLOW),
    "paddr, default": Setting("paddr"),
    "paddr, 100 regions": Setting("paddr", most=100),
    "paddr, slow": Setting("paddr", **SLOW),
    "vaddr, default, fast processor": Setting("vaddr", ns_log2=3),
}
BESIDE = next(iter(SETTINGS))  # ours is computed of the run with this setting
LISTS = (64, 512)


def length(setting: Setting) -> tuple[int, int]:
    """Return the milliseconds of a run, and of its warm-up, which does not count; shorter if it is fast."""
    return (8000, 1500) if setting.ns_log2 == Setting.ns_log2 else (4000, 900)


def observers(windows: Windows, name: str) -> Iterator[tuple[str, Callable[[], Ranks]]]:
    """Yield the name of each observer of a run, and what ranks its pages by window."""
    yield name, windows.damon
    if name == BESIDE:
        yield f"page bitmap, {BITMAPS} a window", windows.bitmaps
        for wanted in LISTS:
            yield f"hot_pages, K = {wanted}", partial(windows.hot_pages, wanted)
        yield "exact DRAM accesses", windows.dram_accesses


def lags(windows: Windows, ranks: Ranks, wanted: int) -> list[dict[str, int] | None]:
    """Return the lag after each move of the hot set of `phases`: the first pages from an eighth on, moved."""
    moves = windows.recorded.log.moves
    ends = [moved for moved, _ in moves[1:]] + [int(windows.recorded.log.mark_ns[-1])]
    found = []
    for (moved, by), end in zip(moves, ends, strict=True):
        hot = np.zeros(PAGES, np.bool_)
        hot[(PAGES // 8 + by + np.arange(PAGES // 10)) % PAGES] = True
        precisions = [score(row, hot, wanted).precision for row in ranks]
        each = lag(windows.ends_ns, precisions, moved, end)
        found.append(asdict(each) if each else None)
    return found


def against(ranks: Ranks, counts: NDArray[np.int64], wanted: int) -> dict[str, float | None]:
    """Return mean precision and recall over the windows."""
    rows = zip(ranks, counts, strict=True)
    return asdict(mean_score([score(row, hottest(exact, wanted), wanted) for row, exact in rows]))


def measure_run(pattern: str, name: str) -> dict[str, Any]:
    """Run a pattern under a setting; return what each observer found, by its name."""
    wanted = round(PAGES * PATTERNS[pattern])
    setting = SETTINGS[name]
    ms, warm_up_ms = length(setting)
    windows = Windows.of(record(OUT / "machine", setting, pattern, PAGES, ms), warm_up_ms * 1_000_000)
    references, dram = windows.references(), windows.dram_accesses()
    found = {}
    for observer, ranked in observers(windows, name):
        ranks = ranked()
        found[observer] = {
            "cpu": against(ranks, references, wanted),
            "dram": against(ranks, dram, wanted),
            "lags": lags(windows, ranks, wanted) if pattern == MOVES else [],
            "windows": len(ranks),
        }
    found[name]["regions"] = float(np.mean([each.starts.size for each in windows.snapshots]))
    found[name]["most"] = float(np.mean([each.accesses.max() for each in windows.snapshots]))
    return found


def measure_costs(pattern: str) -> dict[str, float]:
    """Return the share of the processor that each setting takes from a pattern, nothing being recorded."""
    shares: dict[str, float] = {}
    for ns_log2 in sorted({setting.ns_log2 for setting in SETTINGS.values()}):
        names = [name for name, setting in SETTINGS.items() if setting.ns_log2 == ns_log2]
        alone = Setting("none", ns_log2=ns_log2)
        settings = [alone, *(SETTINGS[name] for name in names)]
        ms, _ = length(alone)
        without, *others = touches(OUT / "machine", settings, pattern, PAGES, ms)
        shares |= {name: 1 - number / without for name, number in zip(names, others, strict=True)}
    return shares


def measure(results: dict[str, Any], patterns: Sequence[str]) -> None:
    """Fill in what is missing in the results, and save them after each run."""
    begin = time.monotonic()
    for pattern in patterns:
        row = results.setdefault(pattern, {"observers": {}, "shares": {}})
        for name in SETTINGS:
            if name not in row["observers"]:
                row["observers"] |= measure_run(pattern, name)
                save(results)
            found = row["observers"][name]
            print(f"{time.monotonic() - begin:4.0f} s  {pattern}, {name}: {found['cpu']}", flush=True)
        if not row["shares"]:
            row["shares"] = measure_costs(pattern)
            save(results)


def save(results: dict[str, Any]) -> None:
    """Write the results file as a whole."""
    partial = RESULTS.with_suffix(".part")
    partial.write_text(json.dumps(results, indent=1) + "\n")
    partial.replace(RESULTS)


def main(arguments: Sequence[str]) -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the page from what was measured")
    parser.add_argument("--rest", action="store_true", help="measure what is missing in the results")
    parser.add_argument("--pattern", choices=PATTERNS, action="append", help="only this one; no page")
    args = parser.parse_args(arguments)
    if not (IMAGES / "Image-damon").exists():
        print(f"{IMAGES} has no kernel with DAMON: make linux-damon", file=sys.stderr)
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    kept = args.page or args.rest or args.pattern
    results = json.loads(RESULTS.read_text()) if kept and RESULTS.exists() else {}
    try:
        if not args.page:
            measure(results, args.pattern or list(PATTERNS))
    except KeyboardInterrupt:
        print(f"\nmeasured so far: {RESULTS}; --rest goes on", file=sys.stderr)
        return 130
    if not args.pattern:
        write_page(results, Path(ROOT / "docs/damon-truth.md"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
