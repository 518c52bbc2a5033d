"""Reads a history: parts by time, whether they are Parquet yet or not."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from litemrc.feed.history.history import open_files, sealed_files, sealed_path
from litemrc.feed.history.kinds import EPOCHS, Kind, parameters_of
from litemrc.feed.history.stream import read_stream
from litemrc.feed.records import DeviceParameters

_METADATA = b"litemrc"


@dataclass(frozen=True)
class Part:
    """Rows of one session, oldest first.

    Attributes:
        rows: with the columns of the kind, `session` and `arrived`.
    """

    parameters: DeviceParameters
    rows: pa.Table


@dataclass(frozen=True)
class Extent:
    """What a history holds of a device.

    Attributes:
        first, last: arrival of an epoch, in seconds since 1970; None without one.
        epochs: in all.
        bytes: of its files, of all kinds.
    """

    first: float | None
    last: float | None
    epochs: int
    bytes: int


@dataclass(frozen=True)
class _Sealed:
    first: int  # microseconds since 1970, as `last`
    last: int
    epochs: int
    parameters: DeviceParameters


class HistoryReader:
    """Reads the history of one device, also while it is written.

    Parameters:
        folder, device: as in `History`.
    """

    def __init__(self, folder: Path, device: str) -> None:
        self.folder, self.device = Path(folder), device
        self._known: dict[Path, _Sealed] = {}

    def extent(self) -> Extent:
        """Return what there is."""
        sealed = [self._sealed(path) for path in sealed_files(self.folder, self.device, EPOCHS)]
        spans = [(each.first / 1e6, each.last / 1e6, each.epochs) for each in sealed if each]
        for part in self._open(EPOCHS):
            first, last = _span(part.rows)
            spans.append((first, last, len(pc.unique(part.rows.column("epoch")))))
        files = sealed_files(self.folder, self.device)
        files += (self.folder / "open" / self.device).glob("*/*")
        return Extent(
            min((first for first, _, _ in spans), default=None),
            max((last for _, last, _ in spans), default=None),
            sum(epochs for _, _, epochs in spans),
            sum(map(_size, files)),
        )

    def parts(self, kind: Kind, start: float, end: float) -> Iterator[Part]:
        """Yield what arrived from `start` to `end`, both included, in seconds since 1970; oldest first.

        Times are those of whole microseconds, as in the files.
        """
        first, last = (_timestamp(each) for each in (start, end))
        # Streams first: one that becomes Parquet meanwhile is read once, as `_open` has it in memory.
        still_open = list(self._open(kind))
        taken = {part.rows.schema.metadata[b"litemrc_stem"].decode() for part in still_open}
        for path in sorted(sealed_files(self.folder, self.device, kind)):
            known = self._sealed(path)
            if known is None or path.stem in taken or known.last < first.value or known.first > last.value:
                continue
            try:
                rows = pq.ParquetFile(path).read()
            except FileNotFoundError:  # retention removed it
                continue
            yield from _between(Part(known.parameters, rows), first, last)
        for part in still_open:
            yield from _between(part, first, last)

    def _open(self, kind: Kind) -> Iterator[Part]:
        for path in open_files(self.folder, self.device, kind):
            if sealed_path(self.folder, kind, self.device, path).exists():
                continue
            try:
                table, _ = read_stream(path)
            except FileNotFoundError:  # it is Parquet now
                continue
            if table is not None:
                marked = {**(table.schema.metadata or {}), b"litemrc_stem": path.stem.encode()}
                yield Part(parameters_of(table.schema), table.replace_schema_metadata(marked))

    def _sealed(self, path: Path) -> _Sealed | None:
        if path not in self._known:
            try:
                described = json.loads(pq.read_metadata(path).metadata[_METADATA])
            except (OSError, KeyError, ValueError, pa.ArrowException):  # removed meanwhile, or not ours
                return None
            self._known[path] = _Sealed(
                described["first"],
                described["last"],
                described["epochs"],
                parameters_of(pa.schema([]), described),
            )
        return self._known[path]


def _between(part: Part, first: pa.Scalar, last: pa.Scalar) -> Iterator[Part]:
    arrived = part.rows.column("arrived")
    kept = part.rows.filter(pc.and_(pc.greater_equal(arrived, first), pc.less_equal(arrived, last)))
    if len(kept):
        yield Part(part.parameters, kept)


def _span(rows: pa.Table) -> tuple[float, float]:
    arrived = rows.column("arrived")
    return arrived[0].value / 1e6, arrived[-1].value / 1e6


def _timestamp(seconds: float) -> pa.Scalar:
    latest = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
    return pa.scalar(round(min(max(seconds, 0), latest) * 1e6), pa.timestamp("us", "UTC"))


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
