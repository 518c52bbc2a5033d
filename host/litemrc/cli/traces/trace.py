"""`litemrc trace ...`: the commands on traces, each a module beside this one."""

import argparse

from litemrc.cli.shared.commands import add_commands

COMMANDS = {
    "info": ("traces.info", "count the references, pages, writes and contexts of a trace"),
    "convert": ("traces.convert", "store a trace in another format or compression, or as IN/OUT records"),
    "plot": ("traces.plot", "plot a trace: pages over time"),
    "capture": ("traces.capture", "run a program in QEMU and store its page references behind caches"),
    "generate": ("traces.generate", "store a synthetic trace"),
    "shared": ("traces.shared", "store a trace of processors that share memory"),
    "threads": ("traces.threads", "run a C program with threads and store the memory references of each"),
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the commands."""
    add_commands(parser, COMMANDS, title="commands", metavar="COMMAND", required=True)
