"""Argument types and declarations that several commands share."""

import argparse
import signal
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


def spelled(name: str) -> str:
    """Return a name of the protocol's schema in the spelling of the command line."""
    return name.replace("_", "-")


def natural(text: str, limit: int = 2**32) -> int:
    """Parse a whole number from 0 to below `limit`."""
    if not (text.isascii() and text.isdigit() and int(text) < limit):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {limit - 1} (got {text!r})")
    return int(text)


def positive(text: str, limit: int = 2**32) -> int:
    """Parse a whole number from 1 to below `limit`."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < limit):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {limit - 1} (got {text!r})")
    return int(text)


def number(text: str, limit: float) -> float:
    """Parse a number from 0 to `limit`."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= limit:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {limit:g} (got {text!r})")
    return value


def each_once(parse: Callable[[str], Value]) -> Callable[[str], list[Value]]:
    """Make a parser of comma-separated values; repeated ones count once."""
    return lambda text: list(dict.fromkeys(parse(part) for part in text.split(",")))


def names_of(kind: str, known: Collection[str], *, all_names: bool = False) -> Callable[[str], list[str]]:
    """Make a parser of comma-separated names.

    Parameters:
        kind: what the names stand for, such as "policy".
        all_names: "all" stands for every known name.
    """

    def parse(text: str) -> list[str]:
        if all_names and text == "all":
            return list(known)
        for name in text.split(","):
            if name not in known:
                choices = ", ".join(known) + (", or all" if all_names else "")
                raise argparse.ArgumentTypeError(f"no {kind} is named {name!r}; choose from {choices}")
        return list(dict.fromkeys(text.split(",")))

    return parse


def tcp_port(text: str) -> int:
    """Parse the number of a TCP port."""
    return positive(text, limit=2**16)


def add_port_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare the port of the device and the time to wait for its answers."""
    from litemrc.device.device import TIMEOUT_S

    parser.add_argument(
        "--port",
        metavar="URL",
        required=required,
        help="device file or pyserial URL, such as socket://HOST:PORT",
    )
    parser.add_argument(
        "--baud", type=positive, default=115200, help="bit rate of a device file (%(default)s)"
    )
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=positive,
        default=TIMEOUT_S,
        help="seconds to wait for an answer (%(default)g); a simulated device may need 60",
    )


def add_run_argument(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Declare the programs to run, as texts that `Run.parse` reads."""
    parser.add_argument(
        "--run",
        metavar="WORKLOAD[:CONTEXT[:SCALE]]",
        action="append",
        default=[],
        dest="runs",
        help=f"{purpose}; may be repeated, the programs run in turn. SCALE: run length, at least 1",
    )


def add_epoch_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the length of epochs."""
    from litemrc.device.link.protocol import host_requests

    (unit,) = (field for field in host_requests().types["set_epoch"].body if field.choices)
    parser.add_argument(
        "--epoch-length",
        metavar="N",
        type=positive,
        help="set the epoch length (default: leave it unchanged)",
    )
    parser.add_argument(
        "--epoch-unit",
        choices=[name for name, _ in unit.choices],
        default=unit.choices[0][0],
        help="unit of --epoch-length (%(default)s)",
    )


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the paths of the simulator and its firmware."""
    parser.add_argument("--sim", type=Path, default=Path("build/sim"), help="simulator (%(default)s)")
    parser.add_argument(
        "--firmware",
        type=Path,
        default=Path("build/firmware/firmware.bin"),
        help="ROM image (%(default)s)",
    )


def add_linux_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the paths of the simulator that runs Linux and of the shim that starts Linux."""
    parser.add_argument("--sim", type=Path, default=Path("build/sim-linux"), help="simulator (%(default)s)")
    parser.add_argument(
        "--shim", type=Path, default=Path("build/boot/shim.bin"), help="ROM image (%(default)s)"
    )


def end_on_sigterm() -> None:
    """Handle SIGTERM like Ctrl-C from now on: a simulator must not outlive this process."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
