#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""DAMON on the SoC in the RTL, whose processor sets no accessed bits: without and with those of the bitmap.

`make damon-rtl` runs one pattern of hotset.c under DAMON, from the snapshot of the booted kernel. After a
while the driver begins to set accessed bits by the monitor's page bitmap. DAMON's regions before and after
are compared with the simulator's record of the DRAM accesses. Results are in build/damon-rtl/results.json;
`--page` writes the table of docs/damon-truth.md from there, `--parse` computes them from the last run.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.errors import UserError
from litemrc.traces.formats.recorders.damon_records import parse_snapshots
from numpy.typing import NDArray

from scripts.damon.damon_recorded import Recorded, Setting, parse_log, perf_script
from scripts.damon.damon_scores import hottest, mean_score, score
from scripts.damon.damon_windows import PAGE_BYTES, Windows
from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.qemu import ROOT

OUT = ROOT / "build/damon-rtl"
RESULTS = OUT / "results.json"
PAGE = ROOT / "docs/damon-truth.md"
COMMAND_TIMEOUT_S = 3600
LINE_BYTES = 32  # of the cache in front of the DRAM
CLOCK_MHZ = 50
EPOCH = 1_000_000  # cycles: 20 ms
# A sample sees an epoch only if one ends in it. The times are nanoseconds already: 2^0 each.
SETTING = Setting("vaddr", sample_us=25_000, aggregate_us=200_000, most=20, ns_log2=0)
PATTERN, PAGES, MS = "phases", 1024, 3000
OFF_S = 1  # of sleep, from the pattern's begin until the feed is on; the start of `sleep` is added
WANTED = PAGES // 10  # hot pages of the pattern
BUFFER_KB = 64  # for lines of 36 bytes: 10 intervals of 20 regions are 7 KB
MONITOR = "/sys/class/misc/litemrc0"
PIPE, LOG, TRACE = "/tmp/pipe", "/tmp/log", "/tmp/trace"


def run(build: LinuxBuild) -> None:
    """Run the pattern under DAMON; keep what the guest wrote beside the simulator's record."""
    hotset = f"hotset {PATTERN} {PAGES} {MS} {LOG}"
    damon = f"BUFFER_KB={BUFFER_KB} damon-record {SETTING.words} {TRACE} {hotset}"
    with build.simulator(OUT, on_boot=print) as simulator:
        shell = GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S)
        shell.run("kill -STOP $(pidof litemrcd); mount -t tracefs tracefs /sys/kernel/tracing")
        shell.run(f"cd {MONITOR}; echo cycles >epoch_unit; echo {EPOCH} >epoch_length; echo 1 >enable")
        # damon-record prints a line when hotset begins. /proc/uptime has hundredths of a second. To start a
        # program takes 4 M cycles and more beside hotset: the shell itself reads the time.
        shell.run(f"mknod {PIPE} p; exec 9<>{PIPE}; {damon} >{PIPE} 2>&1 & read -r line <&9; sleep {OFF_S}")
        switch = f"echo 1 >{MONITOR}/feed_accessed; read -r up idle </proc/uptime; echo $up"
        (OUT / "switched").write_text(shell.run(switch))
        shell.run("wait $!")
        shell.run(f"echo 0 >{MONITOR}/feed_accessed; echo 0 >{MONITOR}/enable")
        for name, path in (("trace", TRACE), ("log", LOG)):
            (OUT / name).write_text(shell.run(f"cat {path}"))
        (OUT / "feed_events").write_text(shell.run(f"grep . {MONITOR}/feed_events/*"))


def recorded(folder: Path, base: int) -> Recorded:
    """Return a run whose DRAM accesses are those of whole lines, in nanoseconds of the simulated clock.

    Parameters
    ----------
    base
        address of the DRAM, in bytes.
    """
    raw = np.load(folder / "record.npy", mmap_mode="r")
    dram = raw[raw["source"] == b"D"]  # words of the memory arrays; value: bytes from the DRAM's bottom
    lines = dram[dram["value"] % LINE_BYTES == 0]
    none = np.zeros(0, np.int64)
    return Recorded(
        SETTING,
        parse_log((folder / "log").read_text()),
        parse_snapshots(perf_script((folder / "trace").read_text()), str(folder / "trace")),
        lines["cycle"].astype(np.int64) * (1000 // CLOCK_MHZ),
        ((lines["value"].astype(np.int64) + base) // PAGE_BYTES).astype(np.uint32),
        lines["write"],
        none,
        none.astype(np.uint32),
        none.astype(np.uint16),
    )


def parts(windows: Windows, switched_ns: int) -> dict[str, NDArray[np.intp]]:
    """Return the numbers of the windows that end before the feed is on, and of those that begin after it."""
    return {
        "off": np.flatnonzero(windows.ends_ns <= switched_ns),
        "on": np.flatnonzero(windows.borders_ns[:-1] >= switched_ns),
    }


def found(windows: Windows, numbers: Sequence[int]) -> dict[str, Any]:
    """Return what DAMON found in these windows, and how much of it is hot."""
    ranks, dram = windows.damon(), windows.dram_accesses()
    scores = [score(ranks[number], hottest(dram[number], WANTED), WANTED) for number in numbers]
    accesses = [windows.snapshots[number].accesses for number in numbers]
    return {
        "windows": len(numbers),
        "regions": float(np.mean([each.size for each in accesses])),
        "accessed": float(np.mean([(each > 0).sum() for each in accesses])),
        "most": int(max(each.max() for each in accesses)),
        "scores": [asdict(each) for each in scores],
        **asdict(mean_score(scores)),
    }


def measured(folder: Path, base: int) -> dict[str, Any]:
    """Return what DAMON found with the feed off and on."""
    windows = Windows.of(recorded(folder, base), 0)
    switched_ns = round(float((folder / "switched").read_text().split()[0]) * 1e9)
    results = {}
    for feed, numbers in parts(windows, switched_ns).items():
        if not numbers.size:
            raise UserError(
                f"DAMON finished no window with the feed {feed}",
                where=str(folder / "trace"),
                remedy="run again",
            )
        results[feed] = found(windows, numbers.tolist())
    return results


def table(results: Mapping[str, Any]) -> str:
    """Return the table of the page."""
    rows = []
    for feed, row in results.items():
        shares = ["" if row[name] is None else f"{row[name]:.2f}" for name in ("precision", "recall")]
        numbers = [f"{row['regions']:.1f}", f"{row['accessed']:.1f}", str(row["most"])]
        rows.append([feed, str(row["windows"]), *numbers, *shares])
    heads = ("feed", "windows", "regions", "with `nr_accesses` > 0", "largest `nr_accesses`")
    return markdown((*heads, "precision", "recall"), rows)


def main(arguments: Sequence[str]) -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page, from the last results")
    parser.add_argument("--parse", action="store_true", help="compute the results from the last run's files")
    parser.add_argument("--sim", type=Path, default=ROOT / "build/sim-linux")
    parser.add_argument("--shim", type=Path, default=ROOT / "build/boot/shim.bin")
    parser.add_argument("--images", type=Path, default=ROOT / "build/linux-damon")
    args = parser.parse_args(arguments)
    OUT.mkdir(parents=True, exist_ok=True)
    try:
        if not args.page and not args.parse:
            run(LinuxBuild(args.sim, args.shim, args.images))
        if not args.page:
            base = json.loads((args.sim / "dram.json").read_text())["base"]
            RESULTS.write_text(json.dumps(measured(OUT, base), indent=1) + "\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    text = table(json.loads(RESULTS.read_text()))
    print(text)
    fill_tables(PAGE, {"damon-rtl": text})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
