"""What a board's BIOS loads before it starts Linux: `boot.json` and the files that it names.

The folder is made by `make BOARD-linux`. LiteX's BIOS reads it from an SD card, or over the console from
`litex_term --images boot.json`.
"""

import json
from itertools import pairwise
from pathlib import Path

from litemrc.errors import UserError

LIST = "boot.json"
# Buffers of LiteX's BIOS (software/bios/boot.c), each with room for a final 0.
_NAME_CHARACTERS, _LIST_BYTES = 31, 1023


def read_boot_files(folder: Path) -> dict[str, bytes]:
    """Return the contents of `boot.json` and of each file that it names, by name.

    Raises:
        UserError: a file is missing, or the BIOS could not load or would overwrite one.
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
