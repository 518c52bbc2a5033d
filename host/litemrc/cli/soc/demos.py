# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo NAME`: programs on a simulated SoC, each demo a module beside this one.

Other distributions add demos by the entry point `litemrc.demos`, a table such as `DEMOS`.
"""

import argparse

from litemrc.cli.shared.commands import add_commands, installed

DEMOS = {
    "demos": {
        "soc": (
            "litemrc.cli.soc.demo",
            "boot the simulated SoC, collect its programs' curves and verify them against the golden model",
        ),
        "ranks": (
            "litemrc.cli.soc.ranks_demo",
            "boot the simulated SoC with four ranks, put idle ranks to sleep and verify their energy",
        ),
        "linux": (
            "litemrc.cli.soc.linux_demo",
            "boot Linux on the simulated SoC, run programs concurrently and verify their curves",
        ),
        "linux-ranks": (
            "litemrc.cli.soc.linux_ranks_demo",
            "boot Linux on the simulated SoC with four ranks, empty idle ranks and verify their energy",
        ),
        "linux-trays": (
            "litemrc.cli.soc.linux_trays_demo",
            "boot Linux on the simulated SoC with eight ranks, and color the pages of two programs",
        ),
    }
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the demos."""
    others = installed("litemrc.demos", {"studies": ("linux-govern",)})
    add_commands(parser, DEMOS | others, metavar="NAME", required=True)
