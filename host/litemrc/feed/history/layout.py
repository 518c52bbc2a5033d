"""Where the files of a history are."""

import re
from datetime import datetime
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
