"""`litemrc flash`: a bitstream into a board."""

import argparse
import json
from pathlib import Path

from litemrc.device.programmer import BOARDS, program

_EPILOG = """\
It was never tried on a board; openFPGALoader's own messages are shown as they come.
Afterwards: litemrc device --port /dev/ttyUSB1 (docs/boards tells each board's port).
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc flash`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    boards = [name for name in BOARDS if ":" not in name]
    parser.add_argument("--board", required=True, choices=boards, help="as in `make BOARD`")
    parser.add_argument(
        "--bitstream", metavar="FILE", type=Path, help="what to load (build/BOARD/litemrc.bit)"
    )
    parser.add_argument(
        "--keep", action="store_true", help="write the flash: the board starts with it from now on"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc flash`."""
    bitstream = args.bitstream or Path("build") / args.board / "litemrc.bit"
    variant = f"{args.board}:{_device_of(bitstream)}"
    program(variant if variant in BOARDS else args.board, bitstream, keep=args.keep)
    return 0


def _device_of(bitstream: Path) -> str:
    """The FPGA that a bitstream was built for, by the board.json beside it."""
    try:
        return json.loads((bitstream.parent / "board.json").read_text())["device"]
    except (OSError, ValueError, KeyError):
        return ""
