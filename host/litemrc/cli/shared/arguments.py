"""Arguments that several commands share."""

import argparse
import re
import signal
from pathlib import Path

from litemrc.device.device import TIMEOUT_S
from litemrc.device.link.protocol import host_requests


def positive(text: str, limit: int = 2**32) -> int:
    """A number from 1 to below `limit`, as argparse wants it."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < limit):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {limit - 1}")
    return int(text)


def tcp_port(text: str) -> int:
    """The number of a TCP port, as argparse wants it."""
    return positive(text, limit=2**16)


def epoch_range(text: str) -> tuple[int | None, int | None]:
    """A range A:B of epoch numbers, either end of it open, as argparse wants it."""
    match = re.fullmatch(r"(\d*):(\d*)", text)
    if not match:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a range A:B of epoch numbers, such as 3:7, 3: or :7"
        )
    start, stop = (int(number) if number else None for number in match.groups())
    return start, stop


def add_port_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare which device, and how long to wait for it."""
    parser.add_argument(
        "--port",
        metavar="URL",
        required=required,
        help="device file or pyserial URL, such as socket://HOST:PORT",
    )
    parser.add_argument("--baud", type=positive, default=115200, help="bit/s of a device file (%(default)s)")
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=positive,
        default=TIMEOUT_S,
        help="seconds a device has for an answer (%(default)g); a simulated one may need 60",
    )


def add_run_argument(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Declare the programs to run, as texts for `Run.parse`."""
    parser.add_argument(
        "--run",
        metavar="WORKLOAD[:CONTEXT[:SCALE]]",
        action="append",
        default=[],
        dest="runs",
        help=f"{purpose}; may be repeated: one runs after the other. SCALE: how long, 1 is the shortest",
    )


def add_epoch_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how long epochs are to be."""
    (unit,) = (field for field in host_requests().types["set_epoch"].body if field.choices)
    parser.add_argument(
        "--epoch-length", metavar="N", type=positive, help="set the length of an epoch (else as it is)"
    )
    parser.add_argument(
        "--epoch-unit",
        choices=[name for name, _ in unit.choices],
        default=unit.choices[0][0],
        help="unit of --epoch-length (%(default)s)",
    )


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the simulator and its firmware are."""
    parser.add_argument("--sim", type=Path, default=Path("build/sim"), help="the simulator (%(default)s)")
    parser.add_argument(
        "--firmware",
        type=Path,
        default=Path("build/firmware/firmware.bin"),
        help="image for its ROM (%(default)s)",
    )


def add_linux_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the simulator that runs Linux and the shim that starts it are."""
    parser.add_argument(
        "--sim", type=Path, default=Path("build/sim-linux"), help="the simulator (%(default)s)"
    )
    parser.add_argument(
        "--shim", type=Path, default=Path("build/boot/shim.bin"), help="image for its ROM (%(default)s)"
    )


def end_on_sigterm() -> None:
    """SIGTERM from now on as Ctrl-C: a simulator must not outlive this process."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
