#!/usr/bin/env python3
"""Accessed bits from the monitor's page bitmap: refaults with the feed off and on, and its cycles.

Linux in the RTL, whose VexRiscv sets no accessed bits. The cycles are simulated: the load of the machine has
no effect. What is measured is in build/bench/linux_accessed/*.json at once; `--page` writes the tables of
docs/accessed.md from there without a simulation, `--only` measures a part of them.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from linux.driver.building import ROOT
from linux.qemu import IMAGES
from linux_tracker_cost import CGROUP, HARDWARE, LONGEST_EPOCH, Shell, make_cgroup, save, set_epoch, time_of
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.device.simulation.linux_start import LinuxBuild
from page_tables import fill_tables, markdown, percent

OUT = ROOT / "build/bench/linux_accessed"
PAGE = ROOT / "docs/accessed.md"
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
    return numbers(shell, f"{HARDWARE}/feed_events")


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
    """Count epochs of so many cycles, without a reader; programs are in the page cache."""
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
    """Run zipf in memory that holds it: with the monitor without epochs, with epochs, and with the feed."""
    prepare(shell, LONGEST_EPOCH)
    found = {"without epochs": asdict(measure(shell, RESIDENT, "max", False))}
    set_epoch(shell, HARDWARE, SHORT_EPOCH)
    for name in ("off", "on"):
        found[name] = asdict(measure(shell, RESIDENT, "max", name == "on"))
    return found


def refault_table(found: Mapping[str, Any]) -> str:
    rows = []
    for name, values in found.items():
        run, off = Run(**values), Run(**found["off"])
        count = run.stat["workingset_refault_anon"]
        ratio = count / off.stat["workingset_refault_anon"]
        more = "" if name == "off" else f" ({percent(ratio)})"
        walks = run.feed["walks"]
        rows.append(
            [
                name,
                f"{count:,}{more}",
                f"{run.cycles / 1e6:,.1f}",
                f"{run.epochs:,}",
                f"{run.feed['visited'] / walks:,.0f}" if walks else "",
                f"{run.feed['marked'] / walks:,.0f}" if walks else "",
                f"{run.feed['microseconds'] * CLOCK_MHZ / walks:,.0f}" if walks else "",
                f"{run.feed['microseconds'] * 1000 / run.ns:.2%}" if walks else "",
            ]
        )
    heads = ("feed", "refaults", "M cycles", "epochs", "entries a walk", "marked", "cycles", "of all")
    return markdown(heads, rows)


def cost_table(found: Mapping[str, Any]) -> str:
    rows = []
    without, off = (Run(**found[name]) for name in ("without epochs", "off"))
    for name, values in found.items():
        run = Run(**values)
        base = off if name == "on" else without
        each = (run.cycles - base.cycles) / run.epochs if run.epochs else 0
        walks = run.feed["walks"]
        rows.append(
            [
                {"off": "epochs", "on": "epochs and feed"}.get(name, name),
                f"{run.cycles / 1e6:,.2f}",
                f"{run.epochs:,}",
                f"{each:,.0f}" if run.epochs else "",
                f"{each / EPOCH:.2%}" if run.epochs else "",
                f"{run.feed['visited'] / walks:,.0f}" if walks else "",
                f"{run.feed['microseconds'] * CLOCK_MHZ / walks:,.0f}" if walks else "",
            ]
        )
    heads = ("resident", "M cycles", "epochs", "cycles more, each", f"of an epoch of {EPOCH / 1e6:.0f} M")
    return markdown((*heads, "entries a walk", "cycles of a walk"), rows)


PARTS: dict[str, Callable[[Shell], dict[str, Any]]] = {"refaults": refaults, "cost": cost}


def simulate(part: str, build: LinuxBuild) -> None:
    with build.simulator(OUT / part, on_boot=print) as simulator:
        found = PARTS[part](GuestShell(simulator.wait_ready(), COMMAND_TIMEOUT_S))
    save(found, OUT / f"{part}.json")
    print(json.dumps(found, indent=1), flush=True)


def main() -> None:
    """Measure, unless only the page is wanted, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page, from the last results")
    parser.add_argument("--only", choices=PARTS, help="measure this alone")
    parser.add_argument("--sim", type=Path, default=ROOT / "build/sim-linux")
    parser.add_argument("--shim", type=Path, default=ROOT / "build/boot/shim.bin")
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    if not args.page:
        build = LinuxBuild(args.sim, args.shim, IMAGES)
        for part in [args.only] if args.only else PARTS:
            simulate(part, build)
    if args.only:
        return
    tables = {
        "linux-accessed-refaults": refault_table(json.loads((OUT / "refaults.json").read_text())),
        "linux-accessed-cost": cost_table(json.loads((OUT / "cost.json").read_text())),
    }
    print("\n\n".join(tables.values()))
    fill_tables(PAGE, tables)


if __name__ == "__main__":
    main()
