"""`litemrc COMMAND ...`: a command is a module in a folder here, imported only when it is asked for.

A command module has `set_argparser(parser)` and `main(args) -> int`, which returns the exit code.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

from litemrc.errors import UserError

# Each command: its room, a folder beside this file, and what it does.
COMMANDS = {
    "demo": (
        "soc",
        "boot the simulated SoC, collect the curves of its programs and check them with the golden model",
    ),
    "ranks-demo": (
        "soc",
        "boot the simulated SoC with four ranks, let unused ones sleep, and check their energy",
    ),
    "linux-demo": (
        "soc",
        "boot Linux on the simulated SoC, run programs side by side and check their curves",
    ),
    "collect": ("device", "collect epochs from a device into a Parquet file"),
    "curve": ("curves", "print, draw or export the miss ratio curves in a Parquet file"),
    "allocate": ("curves", "divide a memory among processes by their miss ratio curves"),
    "energy": ("ranks", "tell what the ranks of a memory consumed, by state and component"),
    "intents": ("machines", "check what an application says of its colors"),
    "mrc": ("curves", "compute the miss ratio curve of a trace"),
    "replace": ("machines", "count page faults of traces under LRU, CLOCK, OPT and SEQ replacement"),
    "simulate": ("machines", "run the simulated SoC, as a device for the other commands"),
    "linux": ("soc", "boot Linux in the simulated SoC, its console on this terminal"),
    "device": ("device", "show a device's parameters and test the link to it"),
    "flash": ("device", "put a bitstream into an FPGA board"),
    "ranks": ("ranks", "show the power domains of a device, and send them to sleep or say who does"),
    "refcounters": ("device", "arm, read and watch the reference counters of a device"),
    "govern": ("device", "divide a device's memory, and send its ranks to sleep, as its curves say"),
    "process": (
        "device",
        "show and choose the processes a Linux device follows, and set their memory budgets",
    ),
    "trace": ("traces", "read, convert, draw, capture and generate traces of page references"),
}

EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells say it
EXIT_BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` without the program's name, by default that of the process."""
    argv = sys.argv[1:] if argv is None else list(argv)
    try:
        # A terminal without Unicode gets question marks rather than a traceback.
        sys.stdout.reconfigure(errors="replace")
        args = _parse(argv)
        code = args.run(args)
        sys.stdout.flush()
        return code
    except UserError as error:
        print(_explain(error), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("litemrc: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; without this Python complains when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="litemrc", description="Page miss ratio curves of real DRAM traffic.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"litemrc {version('litemrc')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked_for = next((word for word in argv if not word.startswith("-")), None)
    for name, (room, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        if name == asked_for:
            module = import_module(f"litemrc.cli.{room}.{name.replace('-', '_')}")
            module.set_argparser(command)
            command.set_defaults(run=module.main)
    return parser.parse_args(argv)


def _explain(error: UserError) -> str:
    lines = [f"litemrc: error: {error.what}"]
    if error.where:
        lines.append(f"  where:  {error.where}")
    if error.remedy:
        lines.append(f"  remedy: {error.remedy}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
