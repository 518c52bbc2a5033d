# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc COMMAND ...`: each command is a module below this folder, imported when it is run.

Other distributions add groups of commands by the entry point `litemrc.commands`, a table such as `COMMANDS`.

A command module has `set_argparser(parser)` and `main(args) -> int`, which returns the exit code. At module
level it imports only what its parser needs.
"""

import argparse
import errno
import sys
from collections.abc import Sequence

from litemrc.cli.shared.commands import CommandParser, Commands, add_commands, installed, parsers_of
from litemrc.cli.shared.messages import explained, open_standard_streams, silenced, stdout_failure
from litemrc.errors import UserError
from litemrc.texts import printable_lines

# For each group of commands: each one's module, and its description.
COMMANDS = {
    "device": {
        "collect": ("litemrc.cli.device.collect", "collect epochs from a device into a Parquet file"),
        "live": (
            "litemrc.cli.device.live",
            "show a device's curves, working sets, ranks and pages live on the terminal",
        ),
        "top": (
            "litemrc.cli.device.top",
            "show a device's programs by bandwidth, working set and miss ratio, refreshed",
        ),
        "serve": (
            "litemrc.cli.device.serve",
            "serve devices over HTTP: a page, an API, metrics, and a port for other commands",
        ),
        "device": (
            "litemrc.cli.device.device",
            "show and set a device's parameters, and test the link to it",
        ),
        "process": (
            "litemrc.cli.device.process",
            "show and select the processes that a Linux device tracks, and set their memory budgets",
        ),
        "ranks": (
            "litemrc.cli.ranks.ranks",
            "show the power domains of a device, set their states and the policy that controls them",
        ),
        "energy": (
            "litemrc.cli.ranks.energy",
            "report the energy that memory ranks consumed, by state and component",
        ),
        "traffic": (
            "litemrc.cli.device.traffic",
            "report the bandwidth and row hits of a file of DRAM commands, by bank",
        ),
        "refcounters": (
            "litemrc.cli.device.refcounters",
            "arm, read and watch the reference counters of a device",
        ),
        "selftest": (
            "litemrc.cli.device.selftest",
            "test a device's link, memory and monitor, and write a report",
        ),
        "flash": ("litemrc.cli.device.flash", "load a bitstream into an FPGA board"),
        "sdcard": (
            "litemrc.cli.device.sdcard",
            "write the image of an SD card that a board boots Linux from",
        ),
    },
    "curves and traces": {
        "mrc": (
            "litemrc.cli.curves.mrc",
            "compute the miss-ratio curves of traces, or of windows of a trace",
        ),
        "curve": (
            "litemrc.cli.curves.curve",
            "print, plot or export the miss-ratio curves of a Parquet file",
        ),
        "compare": (
            "litemrc.cli.curves.compare",
            "compare miss-ratio curves; exit code 1 above a tolerance",
        ),
        "trace": (
            "litemrc.cli.traces.trace",
            "inspect, convert, plot, capture and generate traces of page references",
        ),
        "hot": (
            "litemrc.cli.traces.hot",
            "list the pages with the most accesses in each epoch of a trace",
        ),
        "heatmap": (
            "litemrc.cli.traces.heatmap",
            "draw a map of page accesses over time, of a trace or of a device",
        ),
    },
    "decisions": {
        "allocate": (
            "litemrc.cli.curves.allocate",
            "divide a memory among processes by their miss-ratio curves",
        ),
        "govern": (
            "litemrc.cli.device.govern",
            "control a device's memory budgets and rank power by its curves",
        ),
        "rightsize": (
            "litemrc.cli.device.rightsize",
            "find the smallest memory of a cgroup for a goal of slowdown",
        ),
        "memnice": ("litemrc.cli.ranks.memnice", "run a program on some of this machine's memory nodes"),
    },
    "simulation on this machine": {
        "demo": ("litemrc.cli.soc.demos", "run programs on a simulated SoC and verify what it counts"),
        "soc": ("litemrc.cli.soc.soc", "run the simulated SoC as a device"),
        "linux": (
            "litemrc.cli.soc.linux",
            "boot Linux on the simulated SoC, with its console on this terminal",
        ),
        "qemu": (
            "litemrc.cli.curves.qemu",
            "compute the miss-ratio curve of a program of any architecture, in QEMU",
        ),
    },
    "shell": {
        "completion": (
            "litemrc.cli.completion",
            "print the script that completes commands and options in a shell",
        ),
    },
}
STUDIES = ("simulate", "replace", "sweep", "intents")  # the commands of the distribution litemrc-studies

# Modules of Python that Windows lacks: serial consoles, file locks, limits of processes.
POSIX_MODULES = {"fcntl", "pwd", "resource", "termios", "tty"}

EXIT_FAILED = 1  # the environment failed: an output cannot be written, out of memory
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` lacks the program's name and defaults to that of the process."""
    open_standard_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
    except SystemExit:  # of the parser, for example after --help
        if failure := stdout_failure():
            return _failed(failure, EXIT_FAILED)
        raise
    except KeyboardInterrupt:
        code = _failed("interrupted", EXIT_INTERRUPTED, "")
    except UserError as error:
        code = _failed(explained(error), error.exit_code)
    except OSError as error:
        failure = stdout_failure()  # had it failed, the flush would fail again
        return _failed(failure or _system_text(error), EXIT_FAILED)
    except ModuleNotFoundError as error:
        if error.name not in POSIX_MODULES:
            raise
        text = f"this command needs Python's module {error.name}, which {sys.platform} lacks: run it on Linux"
        code = _failed(text, EXIT_BAD_INPUT)
    except MemoryError as error:
        code = _failed(f"not enough memory: {error}".removesuffix(": "), EXIT_FAILED)
    except RecursionError:
        code = _failed("the input is nested too deeply", EXIT_BAD_INPUT)
    except UnicodeDecodeError as error:
        code = _failed(f"the input is not {error.encoding} text: {error.reason}", EXIT_BAD_INPUT)
    failure = stdout_failure()
    return _failed(failure, code or EXIT_FAILED) if failure else code


def _run(argv: list[str]) -> int:
    parser = command_parser(argv[0] if argv else "")
    if not argv:
        parser.print_help()
        return EXIT_BAD_INPUT  # a script that lost its arguments must not go on
    args = parser.parse_args(argv)
    with silenced(getattr(args, "quiet", False)):
        return int(args.run(args))


def _failed(text: str, code: int, kind: str = "error: ") -> int:
    print(f"litemrc: {kind}{printable_lines(text)}", file=sys.stderr)
    return code


def _system_text(error: OSError) -> str:
    """Return an error that no command foresaw, with its name and the file, on one line."""
    name = errno.errorcode.get(error.errno or 0, type(error).__name__)
    files = [str(file) for file in (error.filename, error.filename2) if file is not None]
    return f"{' and '.join(files) + ': ' if files else ''}{error.strerror or error} ({name})"


def command_parser(word: str = "") -> argparse.ArgumentParser:
    """Return the parser of the command line; a command declares its arguments when it is parsed.

    Parameters
    ----------
    word
        the first on the command line. Other distributions are looked for, which takes 30 ms, unless it
        is a command of this one.
    """
    groups: dict[str, Commands] = {**COMMANDS}
    if not any(word in commands for commands in COMMANDS.values()):
        groups |= installed("litemrc.commands", {"studies": STUDIES})
    parser = CommandParser(prog="litemrc", description="Page miss-ratio curves (MRCs) of real DRAM traffic.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    add_commands(parser, groups, metavar="COMMAND", required=True)
    return parser


def declared_parser() -> argparse.ArgumentParser:
    """Return the parser with the arguments of all commands, for documentation and completion."""
    parser = command_parser()
    for _ in parsers_of(parser):
        pass
    return parser


class _Version(argparse.Action):
    """Prints the version; importlib.metadata is loaded only here, as it takes 30 ms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"litemrc {version('litemrc')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
