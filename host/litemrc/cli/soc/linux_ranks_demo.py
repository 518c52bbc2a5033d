"""`litemrc linux-ranks-demo`: Linux empties DDR3 ranks that its working set does not need; verify energy.

The same work runs twice from the same state of the machine: with all ranks awake, and governed.
"""

import argparse
from typing import TYPE_CHECKING

from litemrc.cli.soc.linux_ranks_runs import Work, add_arguments, compare

if TYPE_CHECKING:
    from litemrc.cli.soc.ranks_results import RankResults

# A small interactive program throughout; then two loops, which leave less than the margin of a rank's 4,096
# pages, and end.
TURNS = ("/tmp/small", "/tmp/first", "/tmp/second")
WORK = (
    f"intr 200 100 65536 30 {TURNS[0]} >/dev/null & small=$!",
    f"(sleep 0.4; exec linear 1400 100 {TURNS[1]}) >/dev/null & first=$!",
    f"(sleep 0.5; exec linear 1500 60 {TURNS[2]}) >/dev/null & second=$!",
)
END = "wait $first $second; kill $small; wait $small"
GOVERNED = {
    "policy": "mrc",
    "mrc_state": "self_refresh",
    "mrc_base": "dynamic",
    "threshold_power_down": 1_000,
    "threshold_self_refresh": 20_000,
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc linux-ranks-demo`."""
    add_arguments(parser, out="build/linux-ranks-demo", epochs=20)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc linux-ranks-demo`."""
    awake, governed = (
        Work(name, policy, prepare="", begin="\n".join(WORK), end=END, turns=TURNS)
        for name, policy in (("awake", {}), ("governed", GOVERNED))
    )
    return compare(args, (awake, governed), _saving, title="LiteMRC: ranks under Linux")


def _saving(_: "RankResults", governed: "RankResults") -> float:
    """Return the share of the energy of the governed run's work without low-power states."""
    return governed.report.total.saving
