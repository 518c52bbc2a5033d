#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Speeds and curves of all guests, for docs/qemu.md: `make qemu-guests` (20 min).

Each load runs three times: in QEMU alone, with the exact stack of all pages, and with 1 of 64 pages in the
monitor's engine. What is measured is in build/guests/results.json at once, also if Ctrl-C ends the script;
`--rest` measures what is missing there, `--page` writes table and picture from there without a machine.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from litemrc.curves.curve import Curve, difference
from litemrc.errors import UserError
from litemrc.plots.files import save_figure
from litemrc.plots.mrc import mrc_figure
from litemrc.traces.qemu.counts import Counts, read_counts
from litemrc.traces.qemu.emulator import machine_emulator
from litemrc.traces.qemu.monitored import Interrupts, Monitor, running_machine, wait

from scripts.docs.page_tables import fill_tables, markdown
from scripts.guests.guests import GUESTS, OUT, ROOT, check_log, command

RESULTS = OUT / "results.json"
PAGE = ROOT / "docs/qemu.md"
PICTURE = ROOT / "docs/qemu-guests.png"
PAGE_BYTES = 4096
SAMPLING = 6  # 1 of 2^6 pages
GROUPS = 256
PATIENCE_S = 3600
WAYS = {"exact": "every page", "sampled": f"1 of {1 << SAMPLING} pages"}


def monitor_of(way: str, memory_mib: int) -> Monitor:
    """Return the settings of the plugin; sampled, with a frame for each sampled page of the memory."""
    if way == "exact":
        return Monitor(instructions=None, fetches=False, engine="exact")
    frames = (memory_mib << 20) // PAGE_BYTES >> SAMPLING
    return Monitor(
        instructions=None, fetches=False, engine="bucket", frames=frames, groups=GROUPS, sampling=SAMPLING
    )


def processor_seconds() -> float:
    """Return the processor time of all machines that have ended; a busy computer changes it little."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def plain(words: Sequence[str]) -> None:
    """Run a machine without the plugin."""
    machine_emulator(words)  # checks that it is there
    try:
        subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE_S
        )
    except subprocess.SubprocessError as error:
        raise UserError("the machine failed", where=words[0], remedy="see its messages above") from error


def monitored(words: Sequence[str], monitor: Monitor) -> Counts:
    """Return the counts of a machine."""
    with (
        Path("/dev/null").open("w") as nothing,
        Interrupts() as interrupts,
        running_machine(words, monitor, stdout=nothing) as running,
    ):
        code = wait(running, interrupts)
        counts = read_counts(running.folder, words[0])
    if interrupts.at is not None:
        raise KeyboardInterrupt
    if code or not counts:
        raise UserError(f"ended with exit code {code}", where=words[0], remedy="see its messages above")
    return counts[0]


def measure(name: str, load: str) -> dict[str, Any]:
    """Run a load in each way; return seconds and, of the monitored ones, counts and curve."""
    words = command(name, load)
    begin = processor_seconds()
    plain(words)
    row: dict[str, Any] = {"plain_s": processor_seconds() - begin}
    check_log(name, load)
    print(f"  QEMU alone: {row['plain_s']:.0f} s", flush=True)
    for way, title in WAYS.items():
        monitor = monitor_of(way, GUESTS[name].memory_mib)
        begin = processor_seconds()
        counts = monitored(words, monitor)
        seconds = processor_seconds() - begin
        check_log(name, load)
        group_pages = monitor.frames // GROUPS if monitor.frames else 1
        curve = counts.curve(monitor.page_bytes, group_pages, monitor.sampling)
        row[way] = {
            "seconds": seconds,
            "references": counts.references,
            "accesses": counts.accesses,
            "pages": counts.pages << monitor.sampling,
            "without_frame": counts.without_frame,
            "resolution": curve.resolution_pages,
            "sizes": curve.sizes_pages.tolist(),
            "ratios": curve.miss_ratio.tolist(),
        }
        print(f"  {title}: {seconds:.0f} s", flush=True)
    return row


def curve_of(row: Mapping[str, Any], title: str = "") -> Curve:
    """Return the curve of a monitored run."""
    sizes, ratios = np.array(row["sizes"]), np.array(row["ratios"])
    return Curve(
        sizes, ratios, row["accesses"], row["pages"], PAGE_BYTES, title, resolution_pages=row["resolution"]
    )


def table(results: Mapping[str, Any]) -> str:
    """Return the table of the page."""
    heads = ["load, guest", "references", "accesses", "memory touched", "QEMU alone"]
    for title in WAYS.values():
        heads += [title, "slowdown", "references/s"]
    rows = []
    for title, row in results.items():
        exact = row["exact"]
        cells = [f"{exact['references'] / 1e9:.2f} G", f"{exact['accesses'] / 1e6:.1f} M"]
        cells += [f"{exact['pages'] * PAGE_BYTES / 2**20:.0f} MiB", f"{row['plain_s']:.1f} s"]
        for way in WAYS:
            seconds = row[way]["seconds"]
            rate = row[way]["references"] / seconds / 1e6
            cells += [f"{seconds:.0f} s", f"{seconds / row['plain_s']:.1f}x", f"{rate:.0f} M"]
        apart = difference(curve_of(row["sampled"]), curve_of(exact))
        rows.append([title, *cells, f"{apart.mean:.5f}"])
    return markdown([*heads, "mean difference of the curves"], rows)


def write_page(results: Mapping[str, Any]) -> None:
    """Write table and picture."""
    save_figure(mrc_figure([curve_of(row["exact"], title) for title, row in results.items()]), str(PICTURE))
    fill_tables(PAGE, {"guests": table(results)})


def measure_all(results: dict[str, Any]) -> None:
    """Measure what is missing in the results, and save them after each load."""
    for name, guest in GUESTS.items():
        for load in guest.loads:
            title = f"{load}, {name}"
            if title not in results:
                print(title, flush=True)
                results[title] = measure(name, load)
                part = RESULTS.with_suffix(".part")
                part.write_text(json.dumps(results))
                part.replace(RESULTS)


def main(arguments: Sequence[str]) -> int:
    """Measure the guests, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--page", action="store_true", help="write the page from the last results")
    parser.add_argument("--rest", action="store_true", help="measure what is missing in the last results")
    args = parser.parse_args(arguments)
    try:
        if args.page and not RESULTS.exists():
            raise UserError("there are no results", where=str(RESULTS), remedy="make qemu-guests")
        kept = (args.page or args.rest) and RESULTS.exists()
        results = json.loads(RESULTS.read_text()) if kept else {}
        if not args.page:
            measure_all(results)
        write_page(results)
    except UserError as error:
        print(f"guest_results.py: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"\nmeasured so far: {RESULTS}; --rest goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
