# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux-ranks`: Linux empties DDR3 ranks that its working set does not need; verify energy.

The same work runs twice from the same state of the machine: with all ranks awake, and governed.
"""

import argparse
from typing import TYPE_CHECKING

from litemrc.cli.soc.linux_ranks_runs import Work, add_arguments, compare

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults

# Three programs at a time, busy for a quarter of the time: a small interactive one throughout, and loops. The
# pages of the first loop are in rank 1 of 4,096 pages, those of the second in ranks 1 and 2. It ends after a
# second, so that rank 2 is nearly empty. A third begins later, leaves less than a margin free, and ends.
PAUSE_MS = 50  # of the loops, after each round
FIRST, SECOND, THIRD = ("/tmp/first", 2400, 70), ("/tmp/second", 2200, 10), ("/tmp/third", 1200, 8)
SMALL_PAGES, SMALL = 200, "/tmp/small"


def _loop(name: str, pages: int, rounds: int) -> str:
    return f"linear {pages} {rounds} {name} {PAUSE_MS} >/dev/null"


def _fill(variable: str, command: str, pages: int) -> str:
    """Start a program, and stop it when it has its pages: the kernel counts them in steps of 64."""
    return (
        f"{command} & {variable}=$!; until read _ pages _ </proc/${variable}/statm &&"
        f" [ $pages -ge {pages - 64} ]; do sleep 0.3; done; kill -STOP ${variable}"
    )


PREPARE = (
    _fill("small", f"intr {SMALL_PAGES} 100 65536 30 {SMALL} >/dev/null", SMALL_PAGES),
    _fill("first", _loop(*FIRST), FIRST[1]),
    _fill("second", _loop(*SECOND), SECOND[1]),
)
WORK = (f"(sleep 2; exec {_loop(*THIRD)}) & third=$!", "kill -CONT $small $first $second")
END = "wait $first $second $third; kill $small; wait $small"
TURNS = (SMALL, *(name for name, *_ in (FIRST, SECOND, THIRD)))
GOVERNED = {
    "policy": "mrc",
    "mrc_state": "self_refresh",
    "mrc_base": "dynamic",
    "threshold_power_down": 1_000,
    "threshold_self_refresh": 20_000,
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo linux-ranks`."""
    add_arguments(parser, out="build/linux-ranks-demo", epochs=22)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo linux-ranks`."""
    awake, governed = (
        Work(name, policy, prepare="\n".join(PREPARE), begin="\n".join(WORK), end=END, turns=TURNS)
        for name, policy in (("awake", {}), ("governed", GOVERNED))
    )
    return compare(args, (awake, governed), _saving, title="LiteMRC: ranks under Linux")


def _saving(_: "RankResults", governed: "RankResults") -> float:
    """Return the share of the energy of the governed run's work without low-power states."""
    return governed.report.total.saving
