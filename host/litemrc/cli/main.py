"""`litemrc COMMAND ...`: each command is a module in a room of this folder, imported when it is run.

A command module has `set_argparser(parser)` and `main(args) -> int`, which returns the exit code. At module
level it imports only what its parser needs.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from litemrc.cli.shared.commands import add_commands
from litemrc.cli.shared.messages import silenced
from litemrc.errors import UserError

# For each command its module, below this folder, and its description.
COMMANDS = {
    "demo": (
        "soc.demo",
        "boot the simulated SoC, collect the curves of its programs and verify them against the golden model",
    ),
    "ranks-demo": (
        "soc.ranks_demo",
        "boot the simulated SoC with four ranks, put idle ranks to sleep and verify their energy",
    ),
    "linux-demo": (
        "soc.linux_demo",
        "boot Linux on the simulated SoC, run programs concurrently and verify their curves",
    ),
    "collect": ("device.collect", "collect epochs from a device into a Parquet file"),
    "curve": ("curves.curve", "print, plot or export the miss-ratio curves of a Parquet file"),
    "allocate": ("curves.allocate", "divide a memory among processes by their miss-ratio curves"),
    "energy": ("ranks.energy", "report the energy that memory ranks consumed, by state and component"),
    "intents": ("machines.intents", "check an application's intents for its page colors"),
    "mrc": ("curves.mrc", "compute the miss-ratio curve of a trace"),
    "replace": (
        "machines.replace",
        "count the page faults of traces under LRU, CLOCK, OPT and SEQ replacement",
    ),
    "simulate": ("machines.simulate", "run a trace-driven machine"),
    "soc": ("soc.soc", "run the simulated SoC as a device"),
    "linux": ("soc.linux", "boot Linux on the simulated SoC, with its console on this terminal"),
    "device": ("device.device", "show and set a device's parameters, and test the link to it"),
    "flash": ("device.flash", "load a bitstream into an FPGA board"),
    "ranks": (
        "ranks.ranks",
        "show the power domains of a device, set their states and the policy that controls them",
    ),
    "refcounters": ("device.refcounters", "arm, read and watch the reference counters of a device"),
    "govern": ("device.govern", "control a device's memory budgets and rank power by its curves"),
    "process": (
        "device.process",
        "show and select the processes that a Linux device tracks, and set their memory budgets",
    ),
    "trace": ("traces.trace", "inspect, convert, plot, capture and generate traces of page references"),
}

EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
EXIT_BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` lacks the program's name and defaults to that of the process."""
    argv = sys.argv[1:] if argv is None else list(argv)
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # question marks on a terminal without Unicode
        args = _parse(argv)
        with silenced(getattr(args, "quiet", False)):
            code = int(args.run(args))
        sys.stdout.flush()
        return code
    except UserError as error:
        print(_explain(error), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("litemrc: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed the pipe; otherwise Python fails when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="litemrc", description="Page miss-ratio curves (MRCs) of real DRAM traffic.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    add_commands(parser, COMMANDS, title="commands", metavar="COMMAND", required=True)
    return parser.parse_args(argv)


class _Version(argparse.Action):
    """Prints the version; importlib.metadata is loaded only here, as it takes 30 ms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"litemrc {version('litemrc')}")
        parser.exit()


def _explain(error: UserError) -> str:
    lines = [f"litemrc: error: {error.what}"]
    if error.where:
        lines.append(f"  where:  {error.where}")
    if error.remedy:
        lines.append(f"  remedy: {error.remedy}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
