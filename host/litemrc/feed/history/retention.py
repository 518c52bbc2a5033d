# SPDX-License-Identifier: BSD-2-Clause
"""Which files of a history are removed, by age and by size, and which small files become one.

Removal is in the order of writing, whatever clocks say. Age is recorded time, not that of the clock on the
wall: the time that newer files were written over, and the gaps between them. A gap counts as a tenth of what
is kept at most, as it may be a clock that stepped forward: such a step ages the history by a tenth. A clock
that steps back is a gap of 0.

A merged file is written whole and names those whose rows it has; from then on they are not read, and they
are removed. Whenever the process ends, each row is there once.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.history.index import HistoryFile
from litemrc.feed.history.kinds import KINDS

_LONGEST_GAP = 0.1  # of the time that is kept
LEAST_FILES = 8  # for fewer it is not done
_SMALL_BYTES = 4 << 20
_MERGED_BYTES = 16 << 20  # at most: damage of a file takes all of its rows
_MERGED_FILES = 1000


@dataclass(frozen=True)
class Retention:
    """How long epochs are kept.

    Attributes
    ----------
    seconds
        Parquet files whose last epoch is older, in recorded time, are removed; None: no limit.
    bytes
        the oldest Parquet files of a device are removed above this; None: no limit.
    """

    seconds: float | None = None
    bytes: int | None = None


def removed(files: Iterable[HistoryFile], retention: Retention) -> tuple[list[HistoryFile], int]:
    """Return the files that are not kept, and how many are kept because gaps do not count in full.

    Files that cannot be read are kept.
    """
    readable = sorted((file for file in files if file.readable), key=lambda file: file.order)
    old: list[HistoryFile] = []
    doubtful = 0
    if retention.seconds is not None:
        for kind in KINDS:
            too_old, spared = _too_old([file for file in readable if file.kind is kind], retention.seconds)
            old += too_old
            doubtful += spared
    kept = [file for file in readable if file not in old]
    total = sum(file.bytes for file in kept)
    for file in kept:
        if retention.bytes is None or total <= retention.bytes:
            break
        old.append(file)
        total -= file.bytes
    return old, doubtful


def _too_old(files: list[HistoryFile], seconds: float) -> tuple[list[HistoryFile], int]:
    most, longest_gap = seconds * 1e6, seconds * 1e6 * _LONGEST_GAP
    age = age_by_clock = 0.0
    found, doubtful = [], 0
    for newer, file in zip([None, *reversed(files)], reversed(files), strict=False):
        if newer:
            assert newer.first is not None and file.last is not None
            gap = max(newer.first - file.last, 0)
            age += newer.recorded_us + min(gap, longest_gap)
            age_by_clock += newer.recorded_us + gap
        if age > most:
            found.append(file)
        else:
            doubtful += age_by_clock > most
    return found, doubtful


def groups(files: Iterable[HistoryFile]) -> Iterator[list[HistoryFile]]:
    """Yield files to be merged: small ones of one kind, day and device, and those of former versions."""
    found: dict[tuple[str, Path, bytes], list[HistoryFile]] = {}
    for file in sorted(files, key=lambda each: each.order):
        if file.readable and file.parameters and (file.bytes < _SMALL_BYTES or file.former):
            device = file.kind.schema(replace(file.parameters, session=0)).metadata[b"litemrc_device"]
            found.setdefault((file.kind.folder, file.path.parent, device), []).append(file)
    for alike in found.values():
        if len(alike) >= LEAST_FILES or any(file.former for file in alike):
            yield from _parts(alike)


def _parts(files: list[HistoryFile]) -> Iterator[list[HistoryFile]]:
    part: list[HistoryFile] = []
    for file in files:
        if part and (
            len(part) == _MERGED_FILES or sum(each.bytes for each in part) + file.bytes > _MERGED_BYTES
        ):
            yield part
            part = []
        part.append(file)
    if len(part) > 1 or any(file.former for file in part):
        yield part


def merge(files: list[HistoryFile], stopped: Callable[[], bool]) -> tuple[Path, list[HistoryFile]] | None:
    """Write the rows of files to one; return its path and those that it stands for. None: nothing was done.

    A file that turns out to be damaged is left as it is, for its readers to report.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    kind, tables, taken = files[0].kind, [], []
    for file in files:
        if stopped():
            return None
        try:
            tables.append(kind.read(file.path)[1])
            taken.append(file)
        except UserError:
            continue
    if len(taken) < 2 and not any(file.former for file in taken):
        return None
    table = pa.concat_tables(each.replace_schema_metadata(tables[0].schema.metadata) for each in tables)
    begin = taken[0].path.stem.partition("+")[0]
    path = taken[0].path.with_name(f"{begin}+{sum(file.epochs for file in taken)}.parquet")
    kind.seal(
        path,
        table,
        sequence=max(file.sequence for file in taken),
        recorded_us=sum(file.recorded_us for file in taken),
        merged=[file.path.stem for file in taken],
        losses=[asdict(damage) for file in taken for damage in file.damages],
    )
    sync_folder(path.parent)
    return path, taken


def sync_folder(folder: Path) -> None:
    """Make names in a folder outlast a power failure, before what they replace is removed."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
