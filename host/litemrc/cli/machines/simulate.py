"""`litemrc simulate MACHINE`: the trace-driven machines, each a module beside this one."""

import argparse

from litemrc.cli.shared.commands import add_commands

MACHINES = {
    "mm": ("machines.mm", "processes that share a memory under several memory policies"),
    "energy": ("machines.energy", "energy and delay of a trace on memory chips with low-power states"),
    "numa": ("machines.numa", "processors that share memory, with pages replicated by reference counters"),
    "placement": ("machines.placement", "the memory banks that page allocators leave empty and offline"),
    "trays": ("machines.trays", "power of programs on a memory organized by ranks"),
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the machines."""
    add_commands(parser, MACHINES, title="trace-driven machines", metavar="MACHINE", required=True)
