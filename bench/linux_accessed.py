#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Accessed bits from the monitor's page bitmap: refaults with the feed off and on, and its cycles.

Linux in the RTL, whose VexRiscv sets no accessed bits. The cycles are simulated: the load of the machine has
no effect. What is measured is in build/bench/linux_accessed/*.json at once; `--page` writes the tables of
docs/accessed.md from there without a simulation, `--only` takes a part of them. `--rocket` measures the
refaults on Rocket, where Linux itself sets the bits: the table of docs/linux.md.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from litemrc.device.simulation.guest_shell import GuestShell, values_of
from litemrc.device.simulation.linux_start import LinuxBuild

from bench.linux_tracker_cost import (
    CGROUP,
    HARDWARE,
    LONGEST_EPOCH,
    Shell,
    make_cgroup,
    save,
    set_epoch,
    time_of,
)
from scripts.docs.page_tables import fill_tables, markdown, percent
from tests.linux.driver.building import ROOT
from tests.linux.qemu import IMAGES

OUT = ROOT / "build/bench/linux_accessed"
PAGE, ROCKET_PAGE = ROOT / "docs/accessed.md", ROOT / "docs/linux.md"
VEXRISCV = LinuxBuild(ROOT / "build/sim-linux", ROOT / "build/boot/shim.bin", IMAGES)
ROCKET = LinuxBuild(
    ROOT / "build/sim-linux-rocket", ROOT / "build/boot-rocket/shim.bin", ROOT / "build/linux-rocket"
)
COMMAND_TIMEOUT_S = 3600
CLOCK_MHZ = 50
PAGES = 512
# Half of the program's pages, and 64 for the rest: code, stack, page tables, pages charged ahead.
HIGH_KB = (PAGES // 2 + 64) * 4
EPOCH = 10_000_000  # cycles
SHORT_EPOCH = 2_000_000  # cycles: more of them in a run, to measure what one costs
PRESSED, RESIDENT = f"intr {PAGES} 200 15 0", f"intr {PAGES} 200 60 0"


@dataclass(frozen=True)
class Run:
    """A run of a program: its time, what memory.stat counts, and the feed's events."""

    ns: int
    epochs: int
    stat: Mapping[str, int]
    feed: Mapping[str, int]

    @property
    def cycles(self) -> float:
        return self.ns * CLOCK_MHZ / 1000


def lines_of(shell: Shell, path: str) -> list[str]:
    """Read a file by the shell itself: a program's start costs 4 M cycles."""
    return shell.run(f"while read -r x; do echo $x; done <{path}").splitlines()


def numbers(shell: Shell, path: str) -> dict[str, int]:
    return {name: int(number) for name, number in (line.split() for line in lines_of(shell, path))}


def feed_events(shell: Shell) -> dict[str, int]:
    return {name: int(text) for name, text in values_of(shell.run, f"{HARDWARE}/feed_events/*").items()}


def epochs_of(shell: Shell) -> int:
    return int(lines_of(shell, f"{HARDWARE}/epoch")[0])


def measure(shell: Shell, command: str, high: str, feed: bool) -> Run:
    """Run a program in a new cgroup."""
    make_cgroup(shell, high)
    shell.run(f"echo {feed:d} >{HARDWARE}/feed_accessed")
    before, epoch = feed_events(shell), epochs_of(shell)
    ns = time_of(shell, command)
    after, epochs = feed_events(shell), epochs_of(shell) - epoch
    stat = {
        name: number
        for name, number in numbers(shell, f"{CGROUP}/memory.stat").items()
        if name.startswith(("workingset", "pg"))
    }
    return Run(ns, epochs, stat, {name: after[name] - before[name] for name in after})


def prepare(shell: Shell, epoch: int) -> None:
    """Count epochs of n cycles, without a reader; programs are in the page cache."""
    shell.run("kill -STOP $(pidof litemrcd)")
    set_epoch(shell, HARDWARE, epoch)
    shell.run(f"echo 1 >{HARDWARE}/enable")
    make_cgroup(shell, "max")
    time_of(shell, "intr 1 1 1 0")


def refaults(shell: Shell) -> dict[str, Any]:
    """Run zipf under memory.high with the feed off and on."""
    prepare(shell, EPOCH)
    return {name: asdict(measure(shell, PRESSED, f"{HIGH_KB}K", name == "on")) for name in ("off", "on")}


def cost(shell: Shell) -> dict[str, Any]:
    """Run zipf in memory that holds it: without epochs, with epochs, and with the feed."""
    prepare(shell, LONGEST_EPOCH)
    found = {"without epochs": asdict(measure(shell, RESIDENT, "max", False))}
    set_epoch(shell, HARDWARE, SHORT_EPOCH)
    for name in ("off", "on"):
        found[name] = asdict(measure(shell, RESIDENT, "max", name == "on"))
    return found


def walk_cells(run: Run) -> list[str]:
    """Return entries and cycles of a walk, and the share of these in an epoch."""
    walks = run.feed["walks"]
    if not walks:
        return ["", "", ""]
    cycles = run.feed["microseconds"] * CLOCK_MHZ / walks
    return [f"{run.feed['visited'] / walks:,.0f}", f"{cycles:,.0f}", f"{cycles / EPOCH:.2%}"]


WALK_HEADS = ("entries a walk", "its cycles", f"of {EPOCH / 1e6:.0f} M")


def refault_table(found: Mapping[str, Any]) -> str:
    rows = []
    off = Run(**found["off"])
    for name, values in found.items():
        run = Run(**values)
        count, before = (each.stat["workingset_refault_anon"] for each in (run, off))
        more = "" if name == "off" else f" ({percent(count / before)})"
        activated = f"{run.stat['pgactivate']:,}"
        rows.append([name, f"{count:,}{more}", activated, f"{run.cycles / 1e6:,.1f}", *walk_cells(run)])
    return markdown(("feed", "refaults", "activated", "M cycles", *WALK_HEADS), rows)


def cost_table(found: Mapping[str, Any]) -> str:
    rows = []
    before = None
    for name, values in found.items():
        run = Run(**values)
        more = ["", ""]
        if before:
            # The epochs that end in the program's time.
            each = (run.cycles - before.cycles) / (run.cycles / SHORT_EPOCH)
            more = [f"{each:,.0f}", f"{each / EPOCH:.2%}"]
        shown = {"off": "with epochs", "on": "with epochs and feed"}.get(name, name)
        rows.append([shown, f"{run.cycles / 1e6:,.2f}", *more, *walk_cells(run)])
        before = run
    heads = ("resident", "M cycles", "cycles more an epoch", f"of {EPOCH / 1e6:.0f} M")
    return markdown((*heads, *WALK_HEADS), rows)


PARTS: dict[str, Callable[[Shell], dict[str, Any]]] = {"refaults": refaults, "cost": cost}
TABLES: dict[str, Callable[[Mapping[str, Any]], str]] = {"refaults": refault_table, "cost": cost_table}


def simulate(part: str, build: LinuxBuild, out: Path) -> None:
    with build.simulator(out / part, on_boot=print) as simulator:
        found = PARTS[part](GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S))
    save(found, out / f"{part}.json")
    print(json.dumps(found, indent=1), flush=True)


def found_in(out: Path, part: str) -> dict[str, Any]:
    return json.loads((out / f"{part}.json").read_text())


def main() -> None:
    """Measure, unless only the page is wanted, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page, from the last results")
    parser.add_argument("--only", choices=PARTS, help="this alone")
    parser.add_argument("--rocket", action="store_true", help="measure refaults on Rocket")
    parser.add_argument("--sim", type=Path, default=VEXRISCV.sim)
    parser.add_argument("--shim", type=Path, default=VEXRISCV.shim)
    args = parser.parse_args()
    out = OUT / "rocket" if args.rocket else OUT
    out.mkdir(parents=True, exist_ok=True)
    parts = ["refaults"] if args.rocket else [args.only] if args.only else list(PARTS)
    if not args.page:
        build = ROCKET if args.rocket else LinuxBuild(args.sim, args.shim, VEXRISCV.images)
        for part in parts:
            simulate(part, build, out)
    system = "rocket" if args.rocket else "vexriscv"
    tables = {f"linux-accessed-{system}-{part}": TABLES[part](found_in(out, part)) for part in parts}
    print("\n\n".join(tables.values()))
    fill_tables(ROCKET_PAGE if args.rocket else PAGE, tables)


if __name__ == "__main__":
    main()
