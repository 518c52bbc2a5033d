# SPDX-License-Identifier: BSD-2-Clause
"""A bundle: everything to load a board with and to talk to it, described in its `bundle.json`.

`make bundle` writes one (scripts/boards/bundle.py). The gateware's identifier says whether a device is the
bundle's: software that was built for one runs on all with the same.

To start Linux, a board's BIOS loads `boot.json` and the files that it names. Their folder is made by
`make BOARD-linux`. LiteX's BIOS reads it from an SD card, or over the console from
`litex_term --images boot.json`.
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from litemrc.errors import UserError

DESCRIPTION = "bundle.json"
FORMAT = 1
BITSTREAM = "litemrc.bit"
_REMEDY = "name the folder of a bundle, as `make bundle BOARD=ulx3s` makes it"
LIST = "boot.json"
# Buffers of LiteX's BIOS (software/bios/boot.c), each with room for a final 0.
_NAME_CHARACTERS, _LIST_BYTES = 31, 1023


@dataclass(frozen=True)
class Bundle:
    """A bundle whose files are there and unharmed.

    Attributes
    ----------
    folder
        where it is.
    board
        the board, as in `litemrc flash --board`.
    device
        its FPGA.
    identifier
        of the gateware.
    files
        SHA-256 in hexadecimal digits of each file, by its path in the folder.
    """

    folder: Path
    board: str
    device: str
    identifier: str
    files: dict[str, str]

    @classmethod
    def read(cls, folder: Path) -> "Bundle":
        """Read a bundle and check its files.

        Raises
        ------
        UserError
            it is none, or of a later version, or a file is missing or differs from its checksum.
        """
        where = folder / DESCRIPTION
        try:
            described = json.loads(where.read_text(encoding="utf-8"))
            found = described["format"]
            if found != FORMAT:
                raise UserError(
                    f"format {found} of bundles; this version reads {FORMAT}",
                    where=str(where),
                    remedy="update the host package",
                )
            board, device, identifier = (str(described[name]) for name in ("board", "device", "identifier"))
            files = {str(name): str(each["sha256"]) for name, each in described["files"].items()}
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror}", where=str(where), remedy=_REMEDY) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"is no description of a bundle: {type(error).__name__}: {error}"
            raise UserError(what, where=str(where), remedy=_REMEDY) from error
        bundle = cls(folder, board, device, identifier, files)
        bundle._check_files()
        return bundle

    def bitstream(self) -> Path:
        """Return the path of the bitstream.

        Raises
        ------
        UserError
            there is none, as in the bundle of a board whose vendor's tool was not there.
        """
        if BITSTREAM not in self.files:
            raise UserError("the bundle has no bitstream", where=str(self.folder), remedy="see its README.md")
        return self.folder / BITSTREAM

    def boot_files(self) -> Path:
        """Return the folder of what the board's BIOS boots.

        Raises
        ------
        UserError
            there is none: the bundle is of the bare-metal firmware.
        """
        if not any(name.startswith("boot/") for name in self.files):
            remedy = f"make bundle BOARD={self.board}-linux makes one that boots Linux"
            raise UserError("the bundle has no boot files", where=str(self.folder), remedy=remedy)
        return self.folder / "boot"

    def _check_files(self) -> None:
        for name, digest in self.files.items():
            path = self.folder / name
            try:
                found = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                what = f"cannot be read: {error.strerror}"
                raise UserError(what, where=str(path), remedy="unpack the bundle again") from error
            if found != digest:
                what = "the file differs from its checksum in bundle.json"
                raise UserError(what, where=str(path), remedy="unpack the bundle again")


def read_boot_files(folder: Path) -> dict[str, bytes]:
    """Return the contents of `boot.json` and of each file that it names, by name.

    Raises
    ------
    UserError
        a file is missing, or the BIOS could not load or would overwrite one.
    """
    where = folder / LIST
    listed = _read(where)
    files = {LIST: listed}
    try:
        described = json.loads(listed)
        places = {name: int(address, 16) for name, address in described.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise UserError(f'is no list of {{"file": "0xaddress"}}: {error}', where=str(where)) from error
    if len(listed) > _LIST_BYTES:
        raise UserError(f"the BIOS reads {_LIST_BYTES:,} bytes of it, not {len(listed):,}", where=str(where))
    for name in places:
        if not 0 < len(name) <= _NAME_CHARACTERS or Path(name).name != name:
            raise UserError(
                f"the BIOS takes names of up to {_NAME_CHARACTERS} characters, without a folder",
                where=f"{where}: {name}",
            )
        files[name] = _read(folder / name)
    _check_places({name: (place, len(files[name])) for name, place in places.items()}, where)
    return files


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where=str(path), remedy="make BOARD-linux makes these files"
        ) from error


def _check_places(places: dict[str, tuple[int, int]], where: Path) -> None:
    """Refuse files of which one would be loaded over another."""
    in_order = sorted(places.items(), key=lambda item: item[1])
    for (name, (start, size)), (other, (next_start, _)) in pairwise(in_order):
        if start + size > next_start:
            raise UserError(
                f"{name} ends at {start + size:#x}, and {other} begins at {next_start:#x}", where=str(where)
            )
