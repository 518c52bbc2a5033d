# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate MACHINE`: the trace-driven machines, each a command of a paper's folder."""

import argparse

from litemrc.cli.shared.commands import add_commands

MACHINES = {
    "mm": (
        "litemrc_studies.zhou2004.command.mm",
        "processes that share a memory under several memory policies",
    ),
    "energy": (
        "litemrc_studies.zhou2004.command.energy",
        "energy and delay of a trace on memory chips with low-power states",
    ),
    "numa": (
        "litemrc_studies.reference_counters.command.numa",
        "processors that share memory, with pages replicated by reference counters",
    ),
    "placement": (
        "litemrc_studies.panwar2015.command.placement",
        "the memory banks that page allocators leave empty and offline",
    ),
    "trays": (
        "litemrc_studies.jantz2013.command.trays",
        "power of programs on a memory organized by ranks",
    ),
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the machines."""
    add_commands(parser, {"trace-driven machines": MACHINES}, metavar="MACHINE", required=True)
