# SPDX-License-Identifier: BSD-2-Clause
"""Reads a history: parts by time, whether they are Parquet yet or not; what is damaged is named."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from litemrc.epochs.files import VERSION, epochs_of_rows
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError
from litemrc.feed.history.history import damages_of
from litemrc.feed.history.index import Extent, HistoryFile, HistoryIndex
from litemrc.feed.history.kinds import EPOCHS, Kind, parameters_of
from litemrc.feed.history.layout import Damage, unknown_file, whole_file
from litemrc.feed.history.stream import read_stream
from litemrc.feed.records import DeviceParameters
from litemrc.files.sealed_parquet import verify_sealed

__all__ = ["Damage", "Extent", "HistoryReader", "Part"]
_EVER = (0.0, 1e12)
_DEVICE = "device="


@dataclass(frozen=True)
class Part:
    """Rows of one session, in the order in which they were written.

    Attributes
    ----------
    rows
        with the columns of the kind, `session` and `arrived`.
    """

    parameters: DeviceParameters
    rows: pa.Table


class HistoryReader:
    """Reads the history of one device, also while it is written. Every read verifies the files' checksums.

    Parameters
    ----------
    folder, device
        as in `History`.
    index
        that of the `History` which writes it, in this process; None: the folder is looked through.
    """

    def __init__(self, folder: Path, device: str, index: HistoryIndex | None = None) -> None:
        self.folder, self.device = Path(folder), device
        self._scans = index is None
        self._index = index or HistoryIndex(self.folder, device)

    def extent(self) -> Extent:
        """Return what there is."""
        if self._scans:
            self._index.scan()
        return self._index.extent()

    def parts(
        self, kind: Kind, start: float, end: float, damages: list[Damage] | None = None
    ) -> Iterator[Part]:
        """Yield what arrived from `start` to `end`, both included, in seconds since 1970; as it was written.

        Times are those of whole microseconds, as in the files. Between two parts a reader may stop.

        Parameters
        ----------
        damages
            to which is appended what damage took from this time, or may have taken.

        Raises
        ------
        UserError
            something is damaged, and `damages` is not given; all else was yielded before.
        """
        found: list[Damage] = []
        for each in self.read(kind, start, end):
            if isinstance(each, Part):
                yield each
            elif each not in found:
                found.append(each)
                if damages is not None and each not in damages:
                    damages.append(each)
        if found and damages is None:
            others = f", and {len(found) - 1} more" if len(found) > 1 else ""
            raise UserError(
                f"{found[0].what}; lost: {found[0].lost}{others}",
                where=str(self.folder / found[0].file),
                remedy="put a copy that is whole in its place",
            )

    def damages(self, kind: Kind, start: float, end: float) -> list[Damage]:
        """Return what damage took from a time: checksums are verified, rows are not decoded."""
        found = self.read(kind, start, end, rows=False)
        return list(dict.fromkeys(each for each in found if isinstance(each, Damage)))

    def read(self, kind: Kind, start: float, end: float, *, rows: bool = True) -> Iterator[Part | Damage]:
        """Yield as `parts` does, and between them what is damaged; without rows that alone."""
        first, last = (_timestamp(each) for each in (start, end))
        if self._scans:
            self._index.scan()
        with self._index.held() as files:
            # Streams first: where another process writes, one that becomes Parquet meanwhile is in memory.
            streams = [self._stream(file) for file in files.streams if file.kind is kind]
            for damage in files.damaged:
                if damage.file.split("/")[2] == kind.folder and damage.overlaps(start, end):
                    yield damage
            for file in files.sealed:
                if file.kind is not kind:
                    continue
                for damage in file.damages:
                    if damage.overlaps(start, end):
                        yield damage
                if not file.readable or file.first is None or file.last is None:
                    continue
                if file.first <= last.value and file.last >= first.value:
                    found = self._sealed(file, rows)
                    if isinstance(found, Damage):
                        yield found
                    elif found:
                        yield from _between(found, first, last)
            for part, damages in streams:
                for damage in damages:
                    if damage.overlaps(start, end):
                        yield damage
                if part and rows:
                    yield from _between(part, first, last)

    def _sealed(self, file: HistoryFile, rows: bool) -> Part | Damage | None:
        try:
            if rows:
                return Part(*file.kind.read(file.path))
            verify_sealed(file.path, file.kind.file)
            return None
        except UserError as error:
            assert file.first is not None and file.last is not None
            times = file.first / 1e6, file.last / 1e6
            return whole_file(file.path, self.folder, error.what, file.epochs, *times)

    def _stream(self, file: HistoryFile) -> tuple[Part | None, list[Damage]]:
        try:
            stream = read_stream(file.path)
        except OSError as error:
            return None, [unknown_file(file.path, self.folder, error.strerror or str(error))]
        if stream.former:
            what = "a stream of a former version, which `litemrc serve --history` reads when it starts"
            return None, [unknown_file(file.path, self.folder, what)]
        damages = damages_of(stream, file.path, self.folder)
        if stream.table is None:
            return None, damages
        return Part(parameters_of(stream.table.schema), stream.table), damages


def _between(part: Part, first: pa.Scalar, last: pa.Scalar) -> Iterator[Part]:
    """Yield the rows of this time, of each session apart."""
    arrived = part.rows.column("arrived")
    kept = part.rows.filter(pc.and_(pc.greater_equal(arrived, first), pc.less_equal(arrived, last)))
    sessions = kept.column("session").to_numpy()
    ends = [*(np.flatnonzero(np.diff(sessions)) + 1).tolist(), len(kept)]
    for begin, end in pairwise([0, *ends] if len(kept) else []):
        session = int(sessions[begin])
        yield Part(replace(part.parameters, session=session), kept.slice(begin, end - begin))


def _timestamp(seconds: float) -> pa.Scalar:
    latest = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
    return pa.scalar(round(min(max(seconds, 0), latest) * 1e6), pa.timestamp("us", "UTC"))


def read_history(path: Path) -> tuple[EpochTable, list[Damage]]:
    """Return all epochs of a device, those of later sessions numbered on, and what damage took.

    Parameters
    ----------
    path
        folder of a history with one device, or FOLDER/epochs/device=NAME in it.

    Raises
    ------
    UserError
        no history, several devices, no epoch that can be read, or the monitor changed.
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
    # A device that counts DRAM commands since an update has the same counters.
    devices = [replace(part.parameters, session=0, banks=0, access_bytes=0) for part in parts]
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
