# SPDX-License-Identifier: BSD-2-Clause
"""The plugin for QEMU beside plain QEMU, Lackey and its own exact curves: tables of docs/qemu.md.

    make bench-qemu        -> build/bench/qemu/results.json

Times are processor time. Configurations alternate within a round; a figure is the median of the rounds, a
ratio the median of the rounds' ratios.
"""

import json
import os
import shutil
import statistics
import sys
from dataclasses import replace
from datetime import date

import numpy as np
from litemrc.traces.cache_shape import INSTRUCTIONS
from litemrc.traces.qemu.emulator import machine_emulator, user_emulator
from litemrc.traces.qemu.monitored import Monitor

from bench.qemu.lackey import trace_table, traces
from bench.qemu.runs import OUT, REPO, ROUNDS, lines, machine, observed, touch, used
from scripts.docs.page_tables import fill_tables, markdown

SORTED_BYTES = 2 << 20
SAMPLED_BYTES = 8 << 20

_BUCKET = {"engine": "bucket", "frames": 1 << 16, "groups": 256}
_DATA = {"instructions": None, "fetches": False}
CACHED = {
    "caches, fetches": {"instructions": INSTRUCTIONS},
    "caches": _DATA,
    "none": {"levels": (), **_DATA},
}
ENGINES = {"exact": {"engine": "exact"}, "bucket": _BUCKET}


def monitors() -> dict[tuple[str, str, str], Monitor]:
    """Return the monitors by caches, engine and sample rate."""
    return {
        (caches, engine, f"1/{1 << rate}"): Monitor(**cached, **of_engine, sampling=rate)
        for caches, cached in CACHED.items()
        for engine, of_engine in ENGINES.items()
        for rate in (0, 6)
    }


def speed() -> dict:
    """Return by program and monitor: processor time over that of plain QEMU, loads and stores per second."""
    emulator = user_emulator("x86_64")
    sort = [shutil.which("sort") or "sort", "-o", "/dev/null", str(lines("lines", SORTED_BYTES))]
    result: dict = {}
    for name, words in {"touch": [str(touch())], "sort": sort}.items():
        ratios: dict = {}
        rates: dict = {}
        counts_of: dict = {}
        for round_ in range(ROUNDS):
            plain, _ = used([emulator, *words])
            for key, monitor in monitors().items():
                seconds, _, counts = observed(emulator, monitor, words)
                ratios.setdefault(key, []).append(seconds / plain)
                rates.setdefault(key, []).append((counts.loads + counts.stores) / seconds)
                counts_of[key] = counts
            print(f"{name}: round {round_ + 1} of {ROUNDS}", file=sys.stderr, flush=True)
        result[name] = {
            ", ".join(key): {
                "ratio": statistics.median(ratios[key]),
                "per_s": statistics.median(rates[key]),
                "loads_and_stores": counts_of[key].loads + counts_of[key].stores,
                "reached_memory": counts_of[key].accesses,
            }
            for key in ratios
        }
    return result


def speed_table(result: dict) -> str:
    """Return the speeds as Markdown."""
    rows = []
    for key in next(iter(result.values())):
        row = [key]
        for of in result.values():
            row += [f"{of[key]['per_s'] / 1e6:.0f} M", f"{of[key]['ratio']:.1f}"]
        rows.append(row)
    heads = ["caches, engine, sample rate"]
    for name in result:
        heads += [f"`{name}`: loads and stores/s", "processor time, plain QEMU = 1"]
    return markdown(heads, rows)


def memory() -> dict:
    """Return bytes of the plugin by a machine's pages, all of them touched, and by engine and sample rate."""
    emulator = machine_emulator(["qemu-system-riscv64"])
    result: dict = {}
    for gigabytes in (9, 16):
        pages = gigabytes << 18
        words = machine(pages)
        _, plain = used([emulator, *words])
        for key, monitor in monitors().items():
            if key[0] != "none":
                continue
            _, peak, counts = observed(emulator, monitor, words)
            result[f"{gigabytes} GiB, {', '.join(key[1:])}"] = {
                "bytes": peak - plain,
                "touched": pages,
                "pages": counts.pages,
                "outside": counts.outside,
            }
    return result


def memory_table(result: dict) -> str:
    """Return the memory as Markdown."""
    rows = [
        [key, f"{of['bytes'] / 1e6:.1f} MB", f"{of['bytes'] / of['touched']:.1f}", f"{of['pages']:,}"]
        for key, of in result.items()
    ]
    heads = [
        "guest, engine, sample rate",
        "memory of the plugin",
        "bytes a touched page",
        "pages in the stack",
    ]
    return markdown(heads, rows)


def sampling() -> dict:
    """Return by caches and sample rate: sampled pages, error of the curve, its band, share of sizes in it."""
    emulator = user_emulator("x86_64")
    sort = [shutil.which("sort") or "sort", "-o", "/dev/null", str(lines("sampled", SAMPLED_BYTES))]
    result: dict = {}
    for caches in ("none", "caches"):
        exact = Monitor(**CACHED[caches], engine="exact")
        _, _, counts = observed(emulator, exact, sort)
        true = counts.curve(exact.page_bytes, 1, 0)
        for rate in (2, 4, 6):
            _, _, counts = observed(emulator, replace(exact, sampling=rate), sort)
            curve = counts.curve(exact.page_bytes, 1, rate)
            assert curve.low is not None and curve.high is not None
            sizes = np.linspace(1 << rate, true.sizes_pages[-1], 256).astype(int)
            at = np.maximum(np.searchsorted(curve.sizes_pages, sizes, side="right") - 1, 0)
            expected = true.at_sizes(sizes)
            within = (curve.low[at] <= expected) & (expected <= curve.high[at])
            result[f"{caches}, 1/{1 << rate}"] = {
                "pages": counts.pages,
                "error": float(np.abs(curve.miss_ratio[at] - expected).mean()),
                "half_width": float((curve.high[at] - curve.low[at]).mean() / 2),
                "within": float(within.mean()),
            }
    return result


def sampling_table(result: dict) -> str:
    """Return errors of sampled curves as Markdown."""
    rows = [
        [key, f"{of['pages']:,}", f"{of['error']:.4f}", f"{of['half_width']:.4f}", f"{of['within']:.0%}"]
        for key, of in result.items()
    ]
    heads = ["caches, sample rate", "sampled pages", "mean error", "mean half-width of the band"]
    return markdown([*heads, "sizes whose exact miss ratio is within the band"], rows)


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    result = {
        "date": date.today().isoformat(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "memory": memory(),
        "traces": traces(),
        "sampling": sampling(),
        "speed": speed(),
    }
    (OUT / "results.json").write_text(json.dumps(result, indent=1) + "\n")
    tables = {
        "qemu speed": speed_table(result["speed"]),
        "qemu traces": trace_table(result["traces"]),
        "qemu memory": memory_table(result["memory"]),
        "qemu sampling": sampling_table(result["sampling"]),
    }
    fill_tables(REPO / "docs/qemu.md", tables)
    print("\n\n".join(tables.values()))


if __name__ == "__main__":
    main()
