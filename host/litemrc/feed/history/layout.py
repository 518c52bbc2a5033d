# SPDX-License-Identifier: BSD-2-Clause
"""Where the files of a history are, and what damage took from them."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from litemrc.feed.history.kinds import Kind

STREAM = ".arrows"
DAMAGED = ".damaged"  # behind the name of a stream that is kept, as not all of it could be read
_PARTIAL = re.compile(r"\..+\.(parquet|arrows)\.\d+\.partial")  # of `replacing`


def sealed_files(folder: Path, device: str, kind: Kind | None = None) -> list[Path]:
    """Return the Parquet files of a device."""
    found = folder.glob(f"{kind.folder if kind else '*'}/device={device}/date=*/*.parquet")
    return [path for path in found if not path.name.startswith(".")]


def open_files(folder: Path, device: str, kind: Kind) -> list[Path]:
    """Return the streams of a device that are not Parquet yet, the oldest first."""
    return sorted((folder / "open" / device / kind.folder).glob(f"*{STREAM}"))


def damaged_files(folder: Path, device: str, kind: Kind) -> list[Path]:
    """Return the streams that were kept because they are damaged."""
    return sorted((folder / "open" / device / kind.folder).glob(f"*{STREAM}{DAMAGED}*"))


def partial_files(folder: Path, device: str) -> list[Path]:
    """Return files of a device that a killed process had not finished."""
    found = [*folder.glob(f"*/device={device}/date=*/.*"), *(folder / "open" / device).glob("*/.*")]
    return [path for path in found if _PARTIAL.fullmatch(path.name) and path.is_file()]


def sealed_path(folder: Path, kind: Kind, device: str, stream: Path) -> Path:
    """Return the Parquet file that a stream becomes: its name begins with the time of its first epoch."""
    date = datetime.strptime(stream.name[:8], "%Y%m%d").date()
    return folder / kind.folder / f"device={device}" / f"date={date}" / (stream.stem + ".parquet")


@dataclass(frozen=True)
class Damage:
    """Damage of a file.

    Attributes
    ----------
    file
        its path in the folder of the history.
    what
        is wrong with it.
    lost
        epochs that cannot be read, in words.
    first, last
        earliest and latest arrival of what is lost, in seconds since 1970; None: unknown.
    """

    file: str
    what: str
    lost: str
    first: float | None = None
    last: float | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.what}; lost: {self.lost}"

    def overlaps(self, start: float, end: float) -> bool:
        """Return whether something of this time may be lost."""
        first = -math.inf if self.first is None else self.first
        last = math.inf if self.last is None else self.last
        return first <= end and start <= last


def whole_file(path: Path, folder: Path, what: str, epochs: int, first: float, last: float) -> Damage:
    """Return the damage of a file none of whose rows can be read."""
    lost = f"{epochs} epochs that arrived from {when(first)} to {when(last)}"
    return Damage(str(path.relative_to(folder)), what, lost, first, last)


def unknown_file(path: Path, folder: Path, what: str) -> Damage:
    """Return the damage of a file of which nothing but its name is known."""
    begin, _ = written(path)
    # Its times are open: a clock may have stepped back while it was written.
    lost = f"all of its epochs; the first arrived at {when(begin)}, by the file's name"
    return Damage(str(path.relative_to(folder)), what, lost)


def written(path: Path) -> tuple[float, float]:
    """Return when a file was begun, by its name, and when it was last written to."""
    try:
        end = path.stat().st_mtime
    except OSError:
        end = 0.0
    try:
        begin = datetime.strptime(path.name.partition("-")[0], "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    except ValueError:  # renamed by hand
        return end, end
    return begin.timestamp(), max(begin.timestamp(), end)


def when(seconds: float) -> str:
    """Return a time in words."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
