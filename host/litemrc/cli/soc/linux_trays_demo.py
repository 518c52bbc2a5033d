# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux-trays`: two programs with hot and cold ranges, interleaved over the ranks and colored.

Jantz et al. 2013, section 4.1: when hot and cold pages are on ranks of their own, the cold ranks sleep. Both
runs have the same programs and the same policy, so that only the places of the pages differ.
"""

import argparse
from typing import TYPE_CHECKING

from litemrc.cli.soc.linux_ranks_runs import Work, add_arguments, compare

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults
    from litemrc.energy.model import Energy

INTENTS = """INTENT MEM-INTENSITY
MEM-INTENSITY HOT 0
MEM-INTENSITY COLD 1
"""
PROGRAMS = ((120, 480), (80, 320))  # hot and cold pages
TURNS = tuple(f"/tmp/turns{number}" for number in range(len(PROGRAMS)))
END = "kill $(pidof hotcold); wait"
POLICY = {"policy": "dynamic", "threshold_power_down": 1_000, "threshold_self_refresh": 20_000}
WORKING = ("activate", "read", "write", "active")  # components that are no background


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo linux-trays`."""
    # Long epochs: the messages of one take 6 million cycles, in which interleaved ranks may sleep.
    add_arguments(parser, out="build/linux-trays-demo", epochs=4, epoch_cycles=40_000_000, soc="ranks8")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo linux-trays`."""
    interleaved = _work("interleaved", "hotcold {hot} {cold} {turns} interleaved")
    colored = _work("colored", "litemrc-guide --color HOT /tmp/intents -- hotcold {hot} {cold} {turns}")
    return compare(args, (interleaved, colored), _saving, title="LiteMRC: trays under Linux")


def _work(name: str, command: str) -> Work:
    lines = [f"echo '{line}' >>/tmp/intents" for line in INTENTS.splitlines()]
    for (hot, cold), turns in zip(PROGRAMS, TURNS, strict=True):
        lines.append(f"{command.format(hot=hot, cold=cold, turns=turns)} >{turns}.out &")
        lines.append(f"until grep -q filled {turns}.out; do sleep 0.5; done")
    return Work(name, POLICY, prepare="\n".join(lines), begin="", end=END, turns=TURNS)


def background_mj(energy: "Energy") -> float:
    """Return the energy that does not depend on reads and writes, mJ: states, refreshes, wake-ups."""
    return sum(mj for name, mj in energy.components.items() if name not in WORKING)


def _saving(interleaved: "RankResults", colored: "RankResults") -> float:
    """Return the share of the background power of all ranks."""
    before, after = (
        background_mj(found.report.total.energy) / found.report.total.seconds
        for found in (interleaved, colored)
    )
    return 1 - after / before
