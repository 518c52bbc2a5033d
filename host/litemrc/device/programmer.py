# SPDX-License-Identifier: BSD-2-Clause
"""openFPGALoader: loads a bitstream into a board's FPGA or its configuration flash."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from litemrc.errors import UserError

PROGRAM = "openFPGALoader"


@dataclass(frozen=True)
class Programming:
    """How openFPGALoader reaches a board.

    Parameters
    ----------
    options
        what names the board or its cable.
    plug
        what the user connects.
    keeps
        the board keeps every bitstream, whether asked to or not.
    """

    options: tuple[str, ...]
    plug: str
    keeps: bool = False


# By name of the board's make target; after a colon, the FPGA where it matters.
BOARDS = {
    "ulx3s": Programming(("-b", "ulx3s"), "USB to US1"),
    # openFPGALoader has no name for it; its cable is that of Lattice's other ECP5 board.
    "versa_ecp5": Programming(("-c", "ft2232"), "USB to the board's mini connector, and its power supply"),
    "orangecrab": Programming(
        ("-b", "orangeCrab"), "USB with the button held down, so that the boot loader runs", keeps=True
    ),
    "arty": Programming(("-b", "arty_a7_35t"), "USB to J10"),
    "arty:a7-100": Programming(("-b", "arty_a7_100t"), "USB to J10"),
}

# Messages of openFPGALoader without a device, and without permission.
_NOTHING_THERE = re.compile(
    r"device not found|No DFU compatible device|no device|cable not found", re.IGNORECASE
)
_NOT_ALLOWED = re.compile(
    r"usb_open\(\) failed|LIBUSB_ERROR_ACCESS|ermission denied|inappropriate permissions"
)


def program(board: str, bitstream: Path, *, keep: bool = False) -> None:
    """Load `bitstream`; openFPGALoader's progress goes to this process's output.

    Parameters
    ----------
    board
        a name of BOARDS.
    keep
        write the flash, so that the board starts with it; else it is gone with the power.

    Raises
    ------
    UserError
        if there is no such file, no openFPGALoader, or no board, or if it fails.
    """
    way = BOARDS[board]
    if not bitstream.is_file():
        raise UserError(
            "there is no bitstream",
            where=str(bitstream),
            remedy=f"make {board.partition(':')[0]} builds one; --bitstream names another",
        )
    if not shutil.which(PROGRAM):
        raise UserError(f"{PROGRAM} is not on PATH", remedy="apt-get install openfpgaloader")
    command = [PROGRAM, *way.options, *(["-f"] if keep and not way.keeps else []), str(bitstream)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if not done.returncode:
        return
    said = done.stderr.strip()
    last = said.splitlines()[-1] if said else f"exit code {done.returncode}"
    if _NOT_ALLOWED.search(said):
        raise UserError(
            "this user may not open the board's USB device",
            where=last,
            remedy="install the udev rules of docs/boards/60-litemrc.rules, or run as root",
        )
    if _NOTHING_THERE.search(said):
        raise UserError(f"no {board.partition(':')[0]} found", where=last, remedy=f"connect {way.plug}")
    raise UserError(f"{PROGRAM} failed: {' '.join(command)}", where=last)
