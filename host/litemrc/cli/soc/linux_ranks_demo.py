"""`litemrc linux-ranks-demo`: Linux empties DDR3 ranks that its working set does not need; verify energy.

The same work runs twice from the same state of the machine: with all ranks awake, and governed.
"""

import argparse
from typing import TYPE_CHECKING

from litemrc.cli.soc.linux_ranks_runs import Work, add_arguments, compare

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults

# Three programs at a time, busy for a third of the time: a small interactive one throughout, and loops.
# Two loops are there at first, and their pages fill rank 1 of 4,096 pages and a part of rank 2. The second
# ends after about a second; the pages of the first then fit into rank 1. A third begins later, and ends.
PAUSE_MS = 30  # of the loops, after each round
FIRST, SECOND, THIRD = ("/tmp/first", 2400, 90), ("/tmp/second", 2200, 14), ("/tmp/third", 1000, 10)
INTERACTIVE = "/tmp/small"


def _loop(name: str, pages: int, rounds: int) -> str:
    return f"linear {pages} {rounds} {name} {PAUSE_MS} >/dev/null"


def _fill(variable: str, name: str, pages: int, rounds: int) -> str:
    """Start a loop, and stop it when it has its pages: the kernel counts them in steps of 64."""
    return (
        f"{_loop(name, pages, rounds)} & {variable}=$!; until read _ pages _ </proc/${variable}/statm &&"
        f" [ $pages -ge {pages - 64} ]; do sleep 0.3; done; kill -STOP ${variable}"
    )


PREPARE = (_fill("second", *SECOND), _fill("first", *FIRST))
WORK = (
    f"intr 200 100 65536 30 {INTERACTIVE} >/dev/null & small=$!",
    f"(sleep 1.6; exec {_loop(*THIRD)}) & third=$!",
    "kill -CONT $first $second",
)
END = "wait $first $second $third; kill $small; wait $small"
TURNS = (INTERACTIVE, *(name for name, *_ in (FIRST, SECOND, THIRD)))
GOVERNED = {
    "policy": "mrc",
    "mrc_state": "self_refresh",
    "mrc_base": "dynamic",
    "threshold_power_down": 1_000,
    "threshold_self_refresh": 20_000,
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc linux-ranks-demo`."""
    add_arguments(parser, out="build/linux-ranks-demo", epochs=38)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc linux-ranks-demo`."""
    awake, governed = (
        Work(name, policy, prepare="\n".join(PREPARE), begin="\n".join(WORK), end=END, turns=TURNS)
        for name, policy in (("awake", {}), ("governed", GOVERNED))
    )
    return compare(args, (awake, governed), _saving, title="LiteMRC: ranks under Linux")


def _saving(_: "RankResults", governed: "RankResults") -> float:
    """Return the share of the energy of the governed run's work without low-power states."""
    return governed.report.total.saving
