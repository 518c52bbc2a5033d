# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc flash`: load a bitstream into a board."""

import argparse
import json
from pathlib import Path

from litemrc.device.bundle import Bundle
from litemrc.device.programmer import BOARDS, program
from litemrc.errors import UserError

_EPILOG = """\
Not yet tested on a board. The messages of openFPGALoader are passed through.
Next: litemrc device --port /dev/ttyUSB1 (docs/boards lists the port of each board).
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc flash`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    boards = [name for name in BOARDS if ":" not in name]
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--board", choices=boards, help="board name, as in `make BOARD`")
    source.add_argument(
        "--bundle", metavar="FOLDER", type=Path, help="board and bitstream, as `make bundle` makes them"
    )
    parser.add_argument(
        "--bitstream", metavar="FILE", type=Path, help="bitstream to load (build/BOARD/litemrc.bit)"
    )
    parser.add_argument(
        "--permanent",
        action="store_true",
        help="write the flash memory: the board boots this bitstream from now on",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc flash`."""
    if args.bundle and args.bitstream:
        raise UserError("--bundle has a bitstream of its own", remedy="leave out --bitstream, or use --board")
    if args.bundle:
        bundle = Bundle.read(args.bundle)
        board, device, bitstream = bundle.board, bundle.device, bundle.bitstream()
    else:
        board, bitstream = args.board, args.bitstream or Path("build") / args.board / "litemrc.bit"
        device = _device_of(bitstream)
    variant = f"{board}:{device}"
    program(variant if variant in BOARDS else board, bitstream, keep=args.permanent)
    return 0


def _device_of(bitstream: Path) -> str:
    """Return the FPGA that a bitstream was built for, from the board.json beside it."""
    try:
        return str(json.loads((bitstream.parent / "board.json").read_text())["device"])
    except (OSError, ValueError, KeyError):
        return ""
