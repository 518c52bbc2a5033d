# SPDX-License-Identifier: BSD-2-Clause
"""What the files of a device's history hold, in memory: kept current by the writer, asked by any thread."""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.history.kinds import EPOCHS, KINDS, Kind, epoch_count, parameters_of, times_of
from litemrc.feed.history.layout import Damage, damaged_files, open_files, sealed_files, unknown_file
from litemrc.feed.history.stream import read_stream
from litemrc.feed.records import DeviceParameters
from litemrc.files.sealed_parquet import read_description


@dataclass(frozen=True)
class Extent:
    """What a history holds of a device.

    Attributes
    ----------
    first, last
        earliest and latest arrival of an epoch, in seconds since 1970; None without one.
    epochs
        in all.
    bytes
        of its files, of all kinds.
    """

    first: float | None
    last: float | None
    epochs: int
    bytes: int


@dataclass(frozen=True)
class HistoryFile:
    """A file of a history.

    Attributes
    ----------
    kind
        of its rows.
    bytes
        its size.
    first, last
        earliest and latest arrival, in microseconds since 1970; None: unknown, or no row.
    epochs
        in it.
    sequence
        the order in which files were written, whatever clocks say; 0: of a former version.
    recorded_us
        time over which it was written.
    merged
        stems of the files whose rows it holds.
    parameters
        of its first session; None: unknown.
    former
        of a former version: the footer has no seal.
    damages
        losses of the stream that it was; for a file that cannot be read, this.
    readable
        false: its rows cannot be read.
    """

    path: Path
    kind: Kind
    bytes: int
    first: int | None = None
    last: int | None = None
    epochs: int = 0
    sequence: int = 0
    recorded_us: int = 0
    merged: frozenset[str] = frozenset()
    parameters: DeviceParameters | None = None
    former: bool = False
    damages: tuple[Damage, ...] = ()
    readable: bool = True

    @property
    def order(self) -> tuple[int, int, str]:
        """Sorts files as they were written."""
        return self.sequence, self.first or 0, self.path.name


@dataclass(frozen=True)
class Snapshot:
    """Files of a moment, which stay readable while it is held.

    Attributes
    ----------
    sealed
        Parquet files.
    streams
        files that are not Parquet yet.
    damaged
        streams kept beside, of which no Parquet file tells.
    """

    sealed: list[HistoryFile]
    streams: list[HistoryFile]
    damaged: list[Damage]


@dataclass
class HistoryIndex:
    """The files of one device; `scan` reads what is on the disk, the writer reports what it changes."""

    folder: Path
    device: str
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sealed: dict[Path, HistoryFile] = field(default_factory=dict)
    _streams: dict[Path, HistoryFile] = field(default_factory=dict)
    _sealed_extent: Extent = Extent(None, None, 0, 0)
    _held: Counter[int] = field(default_factory=Counter)  # moments of snapshots that are held
    _moment: int = 0
    _leaving: list[tuple[int, Path]] = field(default_factory=list)  # removed from the index; when

    def scan(self) -> None:
        """Read what is on the disk; descriptions that are known already are not read again."""
        sealed: dict[Path, HistoryFile] = {}
        streams: dict[Path, HistoryFile] = {}
        for kind in KINDS:
            for path in open_files(self.folder, self.device, kind):
                with suppress(FileNotFoundError):  # it is Parquet now
                    streams[path] = self._stream(path, kind)
            for path in sealed_files(self.folder, self.device, kind):
                known = self._sealed.get(path)
                with suppress(FileNotFoundError):  # retention removed it
                    sealed[path] = known or sealed_file(path, kind, self.folder)
        with self._lock:
            self._sealed, self._streams = sealed, streams
            self._count()

    def snapshot(self) -> Snapshot:
        """Return the files of this moment, without keeping them."""
        with self._lock:
            sealed, streams = list(self._sealed.values()), list(self._streams.values())
        merged = {(file.kind.folder, stem) for file in sealed if file.readable for stem in file.merged}
        sealed = [file for file in sealed if (file.kind.folder, file.path.stem) not in merged]
        taken = merged | {(file.kind.folder, file.path.stem) for file in sealed if file.readable}
        streams = [file for file in streams if (file.kind.folder, file.path.stem) not in taken]
        damaged = [
            unknown_file(path, self.folder, "a damaged stream, of which nothing could be read")
            for kind in KINDS
            for path in damaged_files(self.folder, self.device, kind)
            if (kind.folder, path.name.partition(".arrows")[0]) not in taken
        ]
        return Snapshot(sorted(sealed, key=lambda file: file.order), streams, damaged)

    @contextmanager
    def held(self) -> Iterator[Snapshot]:
        """Yield the files of this moment, none of which is removed before the end."""
        with self._lock:
            moment = self._moment
            self._held[moment] += 1
        try:
            yield self.snapshot()
        finally:
            with self._lock:
                self._held[moment] -= 1
                self._held += Counter()  # without zeros
            self._remove()

    def extent(self) -> Extent:
        """Return what there is; no file is asked."""
        with self._lock:
            extents = [self._sealed_extent, *map(_extent, self._streams.values())]
        return _sum(extents)

    def next_sequence(self) -> int:
        """Return the place of the next file in the order of writing."""
        with self._lock:
            return 1 + max((file.sequence for file in self._sealed.values()), default=0)

    def wrote(self, path: Path, kind: Kind, size: int, arrived_us: int) -> None:
        """An epoch was appended to a stream, which has `size` bytes now."""
        with self._lock:
            old = self._streams.get(path, HistoryFile(path, kind, 0))
            times = [time for time in (old.first, old.last, arrived_us) if time is not None]
            self._streams[path] = replace(
                old, bytes=size, first=min(times), last=max(times), epochs=old.epochs + 1
            )

    def change(self, added: Iterable[HistoryFile], removed: Iterable[Path]) -> None:
        """Put files in the place of others, which leave the disk when no snapshot needs them."""
        with self._lock:
            for file in added:
                self._sealed[file.path] = file
            for path in removed:
                self._sealed.pop(path, None)
                self._streams.pop(path, None)
                self._leaving.append((self._moment, path))
            self._moment += 1
            self._count()
        self._remove()

    def forget(self, path: Path) -> None:
        """A stream has another name now."""
        with self._lock:
            self._streams.pop(path, None)

    def _remove(self) -> None:
        with self._lock:
            oldest = min(self._held, default=self._moment)
            gone = [path for moment, path in self._leaving if moment < oldest]
            self._leaving = [each for each in self._leaving if each[0] >= oldest]
        for path in gone:
            try:
                path.unlink(missing_ok=True)
            except OSError:  # such as a file system that is read-only meanwhile
                with self._lock:
                    self._leaving.append((-1, path))
                continue
            with suppress(OSError):  # not empty
                if path.suffix == ".parquet":
                    path.parent.rmdir()

    def _count(self) -> None:
        self._sealed_extent = _sum(map(_extent, self._sealed.values()))

    def _stream(self, path: Path, kind: Kind) -> HistoryFile:
        size = path.stat().st_size
        try:
            table = read_stream(path).table if kind is EPOCHS else None
        except PermissionError:  # whoever reads it reports that
            table = None
        if table is None:
            return HistoryFile(path, kind, size)
        first, last = times_of(table)
        return HistoryFile(path, kind, size, first, last, epoch_count(table))


def sealed_file(path: Path, kind: Kind, folder: Path) -> HistoryFile:
    """Return what a Parquet file holds, by its verified description.

    Raises
    ------
    FileNotFoundError
        it is not there.
    """
    size = path.stat().st_size
    try:
        described = read_description(path, kind.file)
        return _described(path, kind, size, described)
    except (UserError, LookupError, TypeError, ValueError) as error:
        path.stat()
        what = error.what if isinstance(error, UserError) else f"its description is not one: {error!r}"
        return HistoryFile(path, kind, size, damages=(unknown_file(path, folder, what),), readable=False)


def _described(path: Path, kind: Kind, size: int, described: dict[str, Any]) -> HistoryFile:
    parameters = parameters_of(pa.schema([]), described)
    if "sequence" not in described:  # a former version had the first and the last row's times
        first, last = times_of(kind.read(path)[1])
        spanned = min(last - first, 3_600_000_000)
        return HistoryFile(
            path,
            kind,
            size,
            first,
            last,
            described["epochs"],
            recorded_us=spanned,
            parameters=parameters,
            former=True,
        )
    names = ("first", "last", "epochs", "sequence", "recorded_us")
    numbers: dict[str, Any] = {name: int(described[name]) for name in names}
    return HistoryFile(
        path,
        kind,
        size,
        **numbers,
        merged=frozenset(described["merged"]),
        parameters=parameters,
        damages=tuple(Damage(**each) for each in described["losses"]),
    )


def _extent(file: HistoryFile) -> Extent:
    if file.kind is not EPOCHS or file.first is None or file.last is None:
        return Extent(None, None, 0, file.bytes)
    return Extent(file.first / 1e6, file.last / 1e6, file.epochs, file.bytes)


def _sum(extents: Iterable[Extent]) -> Extent:
    found = list(extents)
    return Extent(
        min((each.first for each in found if each.first is not None), default=None),
        max((each.last for each in found if each.last is not None), default=None),
        sum(each.epochs for each in found),
        sum(each.bytes for each in found),
    )
