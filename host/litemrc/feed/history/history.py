"""The history of a device: a listener that keeps every epoch, across kills, lost links and full disks."""

import fcntl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.feed import Event
from litemrc.feed.history.kinds import KINDS, Kind
from litemrc.feed.history.stream import OpenStream, read_stream
from litemrc.feed.records import DeviceParameters, FeedEpoch

_SUFFIX = ".arrows"
_STREAM_BYTES = 64 << 20  # of a kind, before it becomes Parquet: 0.3 s of work
_STREAM_S = 3600


@dataclass(frozen=True)
class Retention:
    """How long epochs are kept.

    Attributes:
        seconds: Parquet files whose last epoch is older are removed; None: no limit.
        bytes: the oldest Parquet files of a device are removed above this; None: no limit.
    """

    seconds: float | None = None
    bytes: int | None = None


class History:
    """Keeps the epochs of one device in `folder`; a listener of its feed.

    Parameters:
        folder: of the histories of all devices.
        device: name of the device, one folder's name.
        retention: what is removed, whenever a file becomes full.
        say: called with what the user should know: epochs that could not be kept, rests of a killed process.

    Attributes:
        kept, unkept: epochs written since the start, and epochs that the operating system refused.

    Raises:
        UserError: another process keeps this device's history there, or the folder cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        device: str,
        retention: Retention | None = None,
        *,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
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
        self._failed = False
        self._sealing = ThreadPoolExecutor(1, thread_name_prefix="history")
        for left in sorted(self._open_folder.glob(f"*/*{_SUFFIX}")):
            self._sealing.submit(self._seal, left)

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
            self._roll()  # the streams may end in a part of a batch
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
            arrived = f"{datetime.fromtimestamp(epoch.arrived, UTC):%Y%m%dT%H%M%S.%fZ}"
            name = f"{arrived}-{epoch.session}-{epoch.number}{_SUFFIX}"
            stream = OpenStream(self._open_folder / kind.folder / name, schema)
            self._streams[kind.folder] = stream
        stream.append(batch)

    def _roll(self) -> None:
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.close()
            self._sealing.submit(self._seal, stream.path)

    def _seal(self, path: Path) -> None:
        (kind,) = (each for each in KINDS if each.folder == path.parent.name)
        try:
            table, rest = read_stream(path)
            if rest:
                self._say(
                    f"{path}: the epoch that was being written when the process ended is lost ({rest} bytes)"
                )
            if table is not None:
                target = sealed_path(self.folder, kind, self.device, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                kind.seal(target, table)
            path.unlink()
            self._retain()
        except (OSError, UserError) as error:
            self._say(f"history of {self.device}: {path} stays as it is: {error}")

    def _retain(self) -> None:
        """Remove the oldest files that the retention does not allow."""
        files = sorted(sealed_files(self.folder, self.device), key=lambda path: path.name)
        sizes = {path: path.stat().st_size for path in files}
        total, limit = sum(sizes.values()), self._retention.bytes
        oldest = time.time() - self._retention.seconds if self._retention.seconds is not None else None
        for path in files:
            too_old = oldest is not None and path.stat().st_mtime < oldest
            if not too_old and (limit is None or total <= limit):
                continue
            path.unlink()
            total -= sizes[path]
            with suppress(OSError):  # not empty
                path.parent.rmdir()


def sealed_files(folder: Path, device: str, kind: Kind | None = None) -> list[Path]:
    """Return the Parquet files of a device."""
    return list(folder.glob(f"{kind.folder if kind else '*'}/device={device}/date=*/*.parquet"))


def open_files(folder: Path, device: str, kind: Kind) -> list[Path]:
    """Return the streams of a device that are not Parquet yet, the oldest first."""
    return sorted((folder / "open" / device / kind.folder).glob(f"*{_SUFFIX}"))


def sealed_path(folder: Path, kind: Kind, device: str, stream: Path) -> Path:
    """Return the Parquet file that a stream becomes: its name begins with the time of its first epoch."""
    date = datetime.strptime(stream.name[:8], "%Y%m%d").date()
    return folder / kind.folder / f"device={device}" / f"date={date}" / (stream.stem + ".parquet")
