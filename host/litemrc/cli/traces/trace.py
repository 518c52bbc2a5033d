# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace ...`: the commands on traces, each a module beside this one."""

import argparse

from litemrc.cli.shared.commands import add_commands

COMMANDS = {
    "info": ("litemrc.cli.traces.info", "count the references, pages, writes and contexts of a trace"),
    "convert": (
        "litemrc.cli.traces.convert",
        "store a trace in another format or compression, or as IN/OUT records",
    ),
    "plot": ("litemrc.cli.traces.plot", "plot a trace: pages over time"),
    "capture": (
        "litemrc.cli.traces.capture",
        "run a program in QEMU and store its page references behind caches",
    ),
    "generate": ("litemrc.cli.traces.generate", "store a synthetic trace"),
    "shared": ("litemrc.cli.traces.shared", "store a trace of processors that share memory"),
    "threads": (
        "litemrc.cli.traces.threads",
        "run a C program with threads and store the memory references of each",
    ),
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the commands."""
    add_commands(parser, {"commands": COMMANDS}, metavar="COMMAND", required=True)
