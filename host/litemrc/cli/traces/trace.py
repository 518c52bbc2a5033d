"""`litemrc trace ...`: each of its commands is a module `trace_NAME` beside this one."""

import argparse
from importlib import import_module

COMMANDS = {
    "info": "count a trace's references, pages, writes and contexts",
    "convert": "store a trace in another format, compression, or as IN/OUT records",
    "plot": "draw a trace: pages over time",
    "capture": "run a program under Valgrind and store the page references that reach memory",
    "generate": "store a synthetic trace",
    "shared": "store a trace of processors that share memory, generated or in another format",
    "threads": "run a C program with threads and store which of them reads and writes what",
}


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the commands and their arguments."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        module = import_module(f"litemrc.cli.traces.{name}")
        module.set_argparser(command)
        command.set_defaults(run_trace=module.main)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace`."""
    return args.run_trace(args)
