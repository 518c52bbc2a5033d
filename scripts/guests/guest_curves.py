#!/usr/bin/env python3
"""Curves of databases on Debian's kernels in QEMU, and what it costs to take them: `make qemu-guests`.

Each guest runs a load three times: in QEMU alone, with the exact stack of all pages, and with 1 of 64 pages
in the monitor's engine. Results are in build/guests/results.json; `--page` writes table and picture of
docs/qemu.md from there, `--run AMD64 LOAD` prints the command of one guest.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from debian_guest import ARCHITECTURES, LOADS, Guest, GuestError, made
from litemrc.curves.curve import Curve
from litemrc.plots.files import save_figure
from litemrc.plots.mrc import mrc_figure
from litemrc.traces.qemu.counts import Counts, read_counts
from litemrc.traces.qemu.monitored import Interrupts, Monitor, running_machine, wait
from page_tables import fill_tables, markdown

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/guests"
RESULTS = OUT / "results.json"
PAGE = ROOT / "docs/qemu.md"
PICTURE = ROOT / "docs/qemu-guests.png"
MEMORY = "1G"
SAMPLED = 6  # 1 of 2^6 pages
MONITORS = {
    "exact": Monitor(instructions=None, fetches=False, engine="exact"),
    "sampled": Monitor(
        instructions=None, fetches=False, engine="bucket", frames=1 << 16, groups=256, sampling=SAMPLED
    ),
}
GROUP_PAGES = {"exact": 1, "sampled": (1 << 16) // 256}
PATIENCE_S = 3600


def plain_seconds(command: Sequence[str], log: Path) -> float:
    """Return how long a machine runs without the plugin."""
    begin = time.perf_counter()
    with log.open("w") as out:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, check=True, timeout=PATIENCE_S)
    return time.perf_counter() - begin


def monitored(command: Sequence[str], monitor: Monitor, log: Path) -> Counts:
    """Return the counts of a machine."""
    with (
        log.open("w") as out,
        Interrupts() as interrupts,
        running_machine(command, monitor, stdout=out) as running,
    ):
        code = wait(running, interrupts)
        (counts,) = read_counts(running.folder, command[0])
    if interrupts.at is not None:
        raise KeyboardInterrupt
    if code:
        raise GuestError(f"{command[0]} ended with exit code {code}")
    return counts


def measured(guest: Guest, load: str, folder: Path) -> dict[str, Any]:
    """Run a load in each way; return seconds and, of the monitored ones, counts and curve."""
    command = guest.command(load, MEMORY)
    row: dict[str, Any] = {"plain_s": plain_seconds(command, folder / f"{load}-plain.log")}
    for name, monitor in MONITORS.items():
        log = folder / f"{load}-{name}.log"
        counts = monitored(command, monitor, log)
        if f"{load}: exit status 0" not in log.read_text(errors="replace"):
            raise GuestError(f"the load {load} failed: see {log}")
        curve = counts.curve(monitor.page_bytes, GROUP_PAGES[name], monitor.sampling)
        row[name] = {
            "seconds": counts.seconds,
            "references": counts.references,
            "accesses": counts.accesses,
            "device_accesses": counts.device_accesses,
            "pages": counts.pages << monitor.sampling,
            "sizes": curve.sizes_pages.tolist(),
            "ratios": curve.miss_ratio.tolist(),
        }
    return row


def table(results: Mapping[str, Any]) -> str:
    """Return the table of the page."""
    heads = ["guest", "references", "accesses", "memory touched", "QEMU alone"]
    for name in ("every page", "1 of 64 pages"):
        heads += [name, "slower", "references/s"]
    rows = []
    for title, row in results.items():
        exact = row["exact"]
        cells = [f"{exact['references'] / 1e9:.2f} G", f"{exact['accesses'] / 1e6:.0f} M"]
        cells += [f"{exact['pages'] / 256:.0f} MiB", f"{row['plain_s']:.0f} s"]
        for name in MONITORS:
            seconds = row[name]["seconds"]
            rate = row[name]["references"] / seconds / 1e6
            cells += [f"{seconds:.0f} s", f"{seconds / row['plain_s']:.1f}x", f"{rate:.0f} M"]
        rows.append([title, *cells])
    return markdown(heads, rows)


def write_page(results: Mapping[str, Any]) -> None:
    """Write table and picture."""
    curves = []
    for title, row in results.items():
        exact = row["exact"]
        sizes, ratios = np.array(exact["sizes"]), np.array(exact["ratios"])
        curves.append(Curve(sizes, ratios, exact["accesses"], exact["pages"], 4096, title))
    save_figure(mrc_figure(curves), str(PICTURE))
    fill_tables(PAGE, {"guests": table(results)})


def main(arguments: Sequence[str]) -> int:
    """Measure the guests, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page from the last results")
    parser.add_argument(
        "--run", nargs=2, metavar=("ARCH", "LOAD"), help="print the command that runs a guest, and end"
    )
    args = parser.parse_args(arguments)
    try:
        if args.run:
            architecture, load = args.run
            if architecture not in ARCHITECTURES or not (LOADS / f"{load}.sh").is_file():
                parser.error(f"architectures: {', '.join(ARCHITECTURES)}; loads: {', '.join(_loads())}")
            print(shlex.join(made(OUT, architecture).command(load, MEMORY)))
            return 0
        if not args.page:
            results = {}
            for architecture in ARCHITECTURES:
                for load in _loads():
                    title = f"{load}, {architecture}"
                    print(f"{title} ...", flush=True)
                    results[title] = measured(made(OUT, architecture), load, OUT / architecture)
                    RESULTS.write_text(json.dumps(results))
        write_page(json.loads(RESULTS.read_text()))
    except GuestError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _loads() -> list[str]:
    return sorted(path.stem for path in LOADS.glob("*.sh"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
