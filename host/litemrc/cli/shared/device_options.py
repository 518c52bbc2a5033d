# SPDX-License-Identifier: BSD-2-Clause
"""Options of the commands that talk to a device or start a simulated one."""

import argparse
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import EPOCH_UNITS, positive
from litemrc.device import TIMEOUT_S
from litemrc.device.bundle import Bundle

if TYPE_CHECKING:
    from litemrc.device.device import Device


def add_port_arguments(parser: argparse._ActionsContainer, *, required: bool = True) -> None:
    """Declare the port of the device and the time to wait for its answers."""
    parser.add_argument(
        "--port",
        metavar="URL",
        required=required,
        help="device file, pyserial URL such as socket://HOST:PORT, unix:///PATH of a socket of litemrcd, "
        "litex://HOST:PORT?csr=FILE for LiteX's bridges (docs/bridges.md), or http://HOST:PORT/NAME of "
        "litemrc serve (docs/serve.md)",
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
    add_take_argument(parser)
    parser.add_argument(
        "--bundle",
        metavar="FOLDER",
        type=Path,
        help="refuse a device whose gateware is not that of this bundle (docs/boards/bundles.md)",
    )


def add_take_argument(parser: argparse._ActionsContainer, *, again: bool = False) -> None:
    """Declare whether another host is replaced; again: behind an action, where it is accepted as well."""
    parser.add_argument(
        "--take",
        action="store_true",
        default=argparse.SUPPRESS if again else False,
        help=argparse.SUPPRESS
        if again
        else "take a socket:// port over from the program that has it, which is notified",
    )


def open_device(args: argparse.Namespace) -> "Device":
    """Open the device of `add_port_arguments`; the port is taken over once, at the first call.

    Raises
    ------
    UserError
        the bundle cannot be read.
    LinkError
        as `Device`.
    """
    from litemrc.device.device import Device

    take, args.take = args.take, False
    identifier = bundle_identifier(args)
    return Device(args.port, timeout_s=args.timeout, baud=args.baud, identifier=identifier, take=take)


def bundle_identifier(args: argparse.Namespace) -> str | None:
    """Return the identifier of the gateware that `--bundle` names; None without one.

    Raises
    ------
    UserError
        the bundle cannot be read.
    """
    return Bundle.read(args.bundle).identifier if args.bundle else None


def add_run_argument(parser: argparse._ActionsContainer, purpose: str) -> None:
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
    parser.add_argument(
        "--epoch-length",
        metavar="N",
        type=positive,
        help="set the epoch length (default: leave it unchanged)",
    )
    parser.add_argument(
        "--epoch-unit",
        choices=EPOCH_UNITS,
        default=EPOCH_UNITS[0],
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


def add_linux_start_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the images of Linux, the time that it may take to start, and whether it must boot."""
    parser.add_argument(
        "--images",
        type=Path,
        default=Path("build/linux"),
        help="folder of kernel, device tree and initramfs (%(default)s)",
    )
    parser.add_argument(
        "--boot-timeout",
        metavar="S",
        type=positive,
        default=900,
        help="seconds until Linux must have started the daemon (%(default)s)",
    )
    add_cold_argument(parser)


def add_cold_argument(parser: argparse.ArgumentParser) -> None:
    """Declare that Linux boots although there is a snapshot."""
    parser.add_argument(
        "--cold",
        action="store_true",
        help="boot (1 to 2 minutes), instead of starting from the snapshot of the first boot",
    )


def end_on_sigterm() -> None:
    """Handle SIGTERM like Ctrl-C from now on: a simulator must not outlive this process."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
