# SPDX-License-Identifier: BSD-2-Clause
"""The history of a device: a listener that keeps every epoch, across kills, lost links and full disks."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.feed import Event
from litemrc.feed.history.former_stream import free_name, salvage
from litemrc.feed.history.index import HistoryFile, HistoryIndex, sealed_file
from litemrc.feed.history.kinds import KINDS, Kind, times_of
from litemrc.feed.history.layout import (
    STREAM,
    Damage,
    partial_files,
    sealed_files,
    sealed_path,
    when,
    written,
)
from litemrc.feed.history.retention import Retention, groups, merge, removed, sync_folder
from litemrc.feed.history.stream import OpenStream, Stream, read_stream
from litemrc.feed.records import DeviceParameters, FeedEpoch

__all__ = ["History", "Retention", "sealed_files"]

_STREAM_BYTES = 64 << 20  # of a kind, before it becomes Parquet: 0.3 s of work
_STREAM_S = 3600
_AGAIN_S = 30.0  # until a stream that could not become Parquet is tried again


class History:
    """Keeps the epochs of one device in `folder`; a listener of its feed.

    Parameters
    ----------
    folder
        of the histories of all devices.
    device
        name of the device, one folder's name.
    retention
        what is removed, whenever a file becomes full.
    say
        called with what the user should know: epochs that could not be kept, rests of a killed process.

    Attributes
    ----------
    kept, unkept
        epochs written since the start, and epochs that the operating system refused.
    index
        what the files hold.

    Raises
    ------
    UserError
        another process keeps this device's history there, or the folder cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        device: str,
        retention: Retention | None = None,
        *,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        import fcntl  # POSIX only, and reading needs none

        self.folder, self.device = Path(folder), device
        self.kept = self.unkept = 0
        self._retention, self._say = retention or Retention(), say
        self._open_folder = self.folder / "open" / device
        try:
            self._open_folder.mkdir(parents=True, exist_ok=True)
            self._locked = (self._open_folder / "lock").open("w")
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            what = f"another process keeps the history of {device} there"
            raise UserError(what, where=str(self.folder), remedy="name another folder") from error
        except OSError as error:
            what = f"the history cannot be written: {error.strerror or error}"
            raise UserError(what, where=str(self.folder), remedy="name a folder of your own") from error
        self._parameters: DeviceParameters | None = None
        self._streams: dict[str, OpenStream] = {}
        self._schemas: dict[str, pa.Schema] = {}
        self._begun = 0.0
        self._lost = 0
        self._failed = self._closing = self._told_of_gaps = False
        self._waiting: set[Path] = set()  # streams that could not become Parquet
        self._tried = time.monotonic()
        for partial in partial_files(self.folder, device):  # of a killed process, as none else has the lock
            partial.unlink(missing_ok=True)
        self.index = HistoryIndex(self.folder, device)
        self.index.scan()
        for file in self.index.snapshot().sealed:
            for damage in () if file.readable else file.damages:
                self._say(f"history of {device}: {damage}; the file is kept")
        self._sealing = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._sealing.submit(self._guarded, self._finish_merges)
        for left in sorted(self._open_folder.glob(f"*/*{STREAM}")):
            self._sealing.submit(self._seal, left)
        self._sealing.submit(self._guarded, self._tidy)

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if isinstance(event, DeviceParameters):
            self._roll()
            self._parameters, self._lost = event, 0
            self._schemas = {kind.folder: kind.schema(event) for kind in KINDS}
        elif isinstance(event, FeedEpoch):
            self._keep(event)

    def close(self) -> None:
        """Make Parquet of the open streams, and wait until it is written."""
        if self._closing:
            return
        self._closing = True
        self._roll()
        self._sealing.shutdown()
        self._locked.close()

    def _keep(self, epoch: FeedEpoch) -> None:
        assert self._parameters
        if self._streams and (
            time.monotonic() - self._begun > _STREAM_S
            or max(stream.size for stream in self._streams.values()) > _STREAM_BYTES
        ):
            self._roll()
        if self._waiting and time.monotonic() - self._tried > _AGAIN_S:
            self._try_again()
        if not self._streams:
            self._begun = time.monotonic()
        try:
            for kind in KINDS:
                self._append(kind, self._parameters, epoch)
        except OSError as error:
            self.unkept += 1
            if not self._failed:
                self._say(
                    f"history of {self.device}: epoch {epoch.number} is not kept: {error.strerror or error}"
                )
            self._failed = True
            self._roll()  # the streams may end in a part of a record
            return
        if self._failed:
            self._say(f"history of {self.device}: epochs are kept again, from {epoch.number} on")
        self._failed = False
        self.kept += 1
        self._lost = epoch.lost

    def _append(self, kind: Kind, parameters: DeviceParameters, epoch: FeedEpoch) -> None:
        schema = self._schemas[kind.folder]
        batch = kind.batch(schema, parameters, epoch, epoch.lost - self._lost)
        if batch is None:
            return
        stream = self._streams.get(kind.folder)
        if stream is None:
            stream = OpenStream(self._free_path(kind, epoch), schema)
            self._streams[kind.folder] = stream
        stream.append(batch)
        self.index.wrote(stream.path, kind, stream.size, round(epoch.arrived * 1e6))

    def _free_path(self, kind: Kind, epoch: FeedEpoch) -> Path:
        """A name for a stream that no file has, also where a clock stepped back."""
        arrived = f"{datetime.fromtimestamp(epoch.arrived, UTC):%Y%m%dT%H%M%S.%fZ}"
        stem, number = f"{arrived}-{epoch.session}-{epoch.number}", 1
        path = self._open_folder / kind.folder / (stem + STREAM)
        while path.exists() or sealed_path(self.folder, kind, self.device, path).exists():
            number += 1
            path = path.with_name(f"{stem}-{number}{STREAM}")
        return path

    def _roll(self) -> None:
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.close()
            self._sealing.submit(self._seal, stream.path)
        self._try_again()
        self._sealing.submit(self._guarded, self._tidy)

    def _try_again(self) -> None:
        self._tried = time.monotonic()
        for path in sorted(self._waiting):
            self._sealing.submit(self._seal, path)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do work of the background, and say why it failed: nobody waits for its result."""
        try:
            work()
        except Exception as error:
            self._say(f"history of {self.device}: {error}")

    def _seal(self, path: Path) -> None:
        (kind,) = (each for each in KINDS if each.folder == path.parent.name)
        try:
            self._make_parquet(path, kind)
        except Exception as error:
            if path not in self._waiting:
                self._say(f"history of {self.device}: {path} stays as it is: {error}; it is tried again")
            self._waiting.add(path)
        else:
            if path in self._waiting:
                self._waiting.discard(path)
                self._say(f"history of {self.device}: {path} is Parquet now")

    def _make_parquet(self, path: Path, kind: Kind) -> None:
        if not path.exists():  # done meanwhile
            return
        stream, lost = read_stream(path), None
        if stream.former:
            lost = salvage(path)
            stream = read_stream(path)
        damages = damages_of(stream, path, self.folder)
        if lost:
            rows = len(stream.table) if stream.table else 0
            damages.append(_damage(stream, path, self.folder, f"a stream of a former version, {lost}", rows))
        for damage in damages:
            self._say(f"history of {self.device}: {damage}; the stream is kept, its name ends in .damaged")
        if stream.torn and not stream.former:
            what = "the epoch that was being written when the process ended is lost"
            self._say(f"{path}: {what} ({stream.torn} bytes)")
        added: list[HistoryFile] = []
        if stream.table is not None:
            target = sealed_path(self.folder, kind, self.device, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            first, last = times_of(stream.table)
            kind.seal(
                target,
                stream.table,
                sequence=self.index.next_sequence(),
                recorded_us=min(last - first, round(_STREAM_S * 1e6)),  # more: the clock stepped
                merged=[],
                losses=[asdict(damage) for damage in damages],
            )
            sync_folder(target.parent)
            added.append(sealed_file(target, kind, self.folder))
        if stream.damages:
            kept = free_name(path)
            path.rename(kept)
        self.index.change(added, [path])

    def _finish_merges(self) -> None:
        """Remove files whose rows a merged one has, as a process ended before it did."""
        for file in self.index.snapshot().sealed:
            old = [file.path.with_name(f"{stem}.parquet") for stem in file.merged if file.readable]
            old = [path for path in old if path.exists()]
            if not old:
                continue
            try:
                file.kind.read(file.path)
            except UserError as error:
                kept = file.path.rename(free_name(file.path))
                self._say(
                    f"history of {self.device}: {error}; kept as {kept.name}, the files it merged are read"
                )
                self.index.scan()
            else:
                self.index.change([], old)

    def _tidy(self) -> None:
        """Remove what is not kept, and merge small files."""
        if self._retention != Retention():
            old, doubtful = removed(self.index.snapshot().sealed, self._retention)
            if doubtful and not self._told_of_gaps:
                self._told_of_gaps = True
                self._say(
                    f"history of {self.device}: {doubtful} files that are too old by their times are kept:"
                    " for long nothing was recorded, or the clock stepped; such a gap counts as a tenth of"
                    " --keep-days at most"
                )
            self.index.change([], [file.path for file in old])
        snapshot = self.index.snapshot()
        for group in groups(snapshot.sealed):
            alone = [file for file in group if not self._stream_of(file).exists()]  # else both would be there
            merged = merge(alone, lambda: self._closing)
            if merged:
                path, taken = merged
                self.index.change(
                    [sealed_file(path, group[0].kind, self.folder)], [file.path for file in taken]
                )

    def _stream_of(self, file: HistoryFile) -> Path:
        return self._open_folder / file.kind.folder / f"{file.path.stem}{STREAM}"


def damages_of(stream: Stream, path: Path, folder: Path) -> list[Damage]:
    """Return what damage took from a stream, by the epochs before and behind it."""
    return [
        _damage(stream, path, folder, f"bytes {each.begin} to {each.end} are damaged", each.row)
        for each in stream.damages
    ]


def _damage(stream: Stream, path: Path, folder: Path, what: str, row: int) -> Damage:
    before, behind = (_epoch_at(stream.table, place) for place in (row - 1, row))
    begin, end = written(path)
    if before and behind:
        count = max(behind.number - before.number - 1, 0)  # of one session
        lost = f"{count} epochs, those between {before} and {behind}"
    elif before:
        lost = f"epochs behind {before}"
    elif behind:
        lost = f"epochs before {behind}"
    else:
        lost = f"all of its epochs, written from {when(begin)} to {when(end)}"
    first, last = before.arrived if before else begin, behind.arrived if behind else end
    return Damage(str(path.relative_to(folder)), what, lost, min(first, last), max(first, last))


@dataclass(frozen=True)
class _Epoch:
    number: int
    arrived: float

    def __str__(self) -> str:
        return f"epoch {self.number} ({when(self.arrived)})"


def _epoch_at(table: pa.Table | None, row: int) -> _Epoch | None:
    """The epoch of a row; None: there is none."""
    if table is None or not 0 <= row < len(table):
        return None
    return _Epoch(table.column("epoch")[row].as_py(), table.column("arrived")[row].value / 1e6)
