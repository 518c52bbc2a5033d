"""`litemrc COMMAND ...`: each command is a module in a room of this folder, imported when it is run.

A command module has `set_argparser(parser)` and `main(args) -> int`, which returns the exit code. At module
level it imports only what its parser needs.
"""

import argparse
import errno
import sys
from collections.abc import Sequence

from litemrc.cli.shared.commands import CommandParser, add_commands, parsers_of
from litemrc.cli.shared.messages import explained, silenced
from litemrc.cli.shared.streams import open_standard_streams, stdout_failure
from litemrc.errors import UserError
from litemrc.texts import printable_lines

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
    "linux-ranks-demo": (
        "soc.linux_ranks_demo",
        "boot Linux on the simulated SoC with four ranks, empty idle ranks and verify their energy",
    ),
    "linux-trays-demo": (
        "soc.linux_trays_demo",
        "boot Linux on the simulated SoC with eight ranks, and color the pages of two programs",
    ),
    "linux-govern": (
        "soc.linux_govern",
        "boot Linux on the simulated SoC, and govern the memory of two programs by their curves",
    ),
    "collect": ("device.collect", "collect epochs from a device into a Parquet file"),
    "live": ("device.live", "show a device's curves, working sets, ranks and pages live on the terminal"),
    "curve": ("curves.curve", "print, plot or export the miss-ratio curves of a Parquet file"),
    "allocate": ("curves.allocate", "divide a memory among processes by their miss-ratio curves"),
    "energy": ("ranks.energy", "report the energy that memory ranks consumed, by state and component"),
    "intents": ("machines.intents", "check an application's intents for its page colors"),
    "mrc": ("curves.mrc", "compute the miss-ratio curves of traces, or of windows of a trace"),
    "hot": ("traces.hot", "list the pages with the most accesses in each epoch of a trace"),
    "heatmap": ("traces.heatmap", "draw which pages were accessed when, of a trace or of a device"),
    "qemu": ("curves.qemu", "compute the miss-ratio curve of a program of any architecture, in QEMU"),
    "compare": ("curves.compare", "compare miss-ratio curves; exit code 1 above a tolerance"),
    "replace": (
        "machines.replace",
        "count the page faults of traces under LRU, CLOCK, OPT and SEQ replacement",
    ),
    "simulate": ("machines.simulate", "run a trace-driven machine"),
    "sweep": ("sweeps.sweep", "run grids of parameters of trace-driven machines on a Dask cluster"),
    "soc": ("soc.soc", "run the simulated SoC as a device"),
    "linux": ("soc.linux", "boot Linux on the simulated SoC, with its console on this terminal"),
    "device": ("device.device", "show and set a device's parameters, and test the link to it"),
    "selftest": ("device.selftest", "test a device's link, memory and monitor, and write a report"),
    "serve": (
        "device.serve",
        "serve devices over HTTP: a page, an API, metrics, and a port for other commands",
    ),
    "flash": ("device.flash", "load a bitstream into an FPGA board"),
    "sdcard": ("device.sdcard", "write the image of an SD card that a board boots Linux from"),
    "ranks": (
        "ranks.ranks",
        "show the power domains of a device, set their states and the policy that controls them",
    ),
    "memnice": ("ranks.memnice", "run a program on some of this machine's memory nodes"),
    "refcounters": ("device.refcounters", "arm, read and watch the reference counters of a device"),
    "govern": ("device.govern", "control a device's memory budgets and rank power by its curves"),
    "rightsize": ("device.rightsize", "find the smallest memory of a cgroup for a goal of slowdown"),
    "process": (
        "device.process",
        "show and select the processes that a Linux device tracks, and set their memory budgets",
    ),
    "trace": ("traces.trace", "inspect, convert, plot, capture and generate traces of page references"),
    "completion": ("completion", "print the script that completes commands and options in a shell"),
}

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
    except MemoryError as error:
        code = _failed(f"not enough memory: {error}".removesuffix(": "), EXIT_FAILED)
    except RecursionError:
        code = _failed("the input is nested too deeply", EXIT_BAD_INPUT)
    except UnicodeDecodeError as error:
        code = _failed(f"the input is not {error.encoding} text: {error.reason}", EXIT_BAD_INPUT)
    failure = stdout_failure()
    return _failed(failure, code or EXIT_FAILED) if failure else code


def _run(argv: list[str]) -> int:
    parser = command_parser()
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


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; a command declares its arguments when it is parsed."""
    parser = CommandParser(prog="litemrc", description="Page miss-ratio curves (MRCs) of real DRAM traffic.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    add_commands(parser, COMMANDS, title="commands", metavar="COMMAND", required=True)
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
