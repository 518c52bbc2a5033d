"""Merges small Parquet files of a history, so that a query opens few.

The merged file is written whole and names those whose rows it has; from then on they are not read, and they
are removed. Whenever the process ends, each row is there once.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.history.index import HistoryFile

LEAST_FILES = 8  # for fewer it is not done
_SMALL_BYTES = 4 << 20
_MERGED_BYTES = 16 << 20  # at most: damage of a file takes all of its rows
_MERGED_FILES = 1000


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

    Raises:
        UserError: the file cannot be written.
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
