"""A history as one table of epochs, for commands that read a file of `litemrc collect`."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from litemrc.epochs.files import VERSION, epochs_of_rows
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.reading import Damage, HistoryReader

_EVER = (0.0, 1e12)
_DEVICE = "device="


def read_history(path: Path) -> tuple[EpochTable, list[Damage]]:
    """Return all epochs of a device, those of later sessions numbered on, and what damage took.

    Parameters:
        path: folder of a history with one device, or FOLDER/epochs/device=NAME in it.

    Raises:
        UserError: no history, several devices, no epoch that can be read, or the monitor changed.
    """
    folder, device = _device(path)
    for _ in range(3):  # a server that writes it may merge files meanwhile
        damages: list[Damage] = []
        parts = list(HistoryReader(folder, device).parts(EPOCHS, *_EVER, damages))
        if all((folder / damage.file).exists() for damage in damages):
            break
    if not parts:
        what = "; ".join(map(str, damages)) or "it has no epoch"
        raise UserError(f"the history of {device} cannot be read: {what}", where=str(path))
    devices = [replace(part.parameters, session=0) for part in parts]
    if any(each != devices[0] for each in devices):
        raise UserError(
            "the device's monitor or its programs changed between sessions: they have no table in common",
            where=str(path),
            remedy="name one of the files in it",
        )
    first = parts[0].rows.schema.metadata
    rows = pa.concat_tables([part.rows.replace_schema_metadata(first) for part in parts])
    described = EPOCHS.described(parts[0].parameters, rows) | {"version": VERSION}
    return epochs_of_rows(rows, described), damages


def _device(path: Path) -> tuple[Path, str]:
    for part in (path, *path.parents):
        if part.name.startswith(_DEVICE):
            return part.parent.parent, part.name.removeprefix(_DEVICE)
    found = {each.name.removeprefix(_DEVICE) for each in path.glob(f"epochs/{_DEVICE}*")}
    found |= {each.parent.parent.name for each in path.glob("open/*/epochs/*.arrows")}
    if len(found) == 1:
        return path, found.pop()
    if not found:
        raise UserError(
            "is a folder without a history", where=str(path), remedy="name a file, or a folder of --history"
        )
    names = ", ".join(str(path / "epochs" / f"{_DEVICE}{name}") for name in sorted(found))
    raise UserError("has the histories of several devices", where=str(path), remedy=f"name one: {names}")
