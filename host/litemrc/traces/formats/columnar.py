# SPDX-License-Identifier: BSD-2-Clause
"""Parquet and Arrow traces: one row per reference, with columns time, page, write, context and
processor.

Only `page` is required; other columns are ignored. The accesses of a simulation (`accesses.parquet` of
`litemrc demo`) are also read: their columns are cycle and frame, and the references are the events with `op`
`access` or `dropped` (seen by the memory, dropped by the monitor).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from litemrc.errors import UserError
from litemrc.files.parquet import open_parquet
from litemrc.traces.bounds import bytes_allowed, too_many_bytes
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.arrow_messages import MAGIC, expanded_sizes
from litemrc.traces.places import Place, UrlFile, is_url
from litemrc.traces.trace import Trace, TraceWriter, WriteOptions, disorder, first_disorder, stored_size

TYPES = {"time": pa.uint64(), "page": pa.uint64(), "write": pa.bool_(), "context": pa.uint32()}
_WRITTEN = TYPES | {"processor": pa.uint16()}
_ALIASES = {"time": "cycle", "page": "frame"}
_ROW_GROUP = 1 << 20  # references
_REFERENCES = pa.array(["access", "dropped"])


class ColumnarTrace(Trace):
    """Reads a Parquet file, or an Arrow file or stream, by batches.

    Parameters
    ----------
    row_groups
        of Parquet: only these; None: all.
    """

    def __init__(self, path: Place, row_groups: range | None = None) -> None:
        super().__init__(str(path))
        self._rows = 0
        self._left_out = 0
        self._groups = row_groups
        try:
            file = UrlFile(str(path)) if is_url(path) else None
            remote = pa.PythonFile(file, "r") if file else None
            self._stored = file.size if file else Path(path).stat().st_size
            start = _head(remote, path)
            self.format = "parquet" if start.startswith(b"PAR1") else "arrow"
            if self.format == "parquet":
                self._file = open_parquet(remote or path, pre_buffer=remote is not None)
                self._schema, self._total = self._file.schema_arrow, self._file.metadata.num_rows
                if row_groups is not None:
                    rows = [self._file.metadata.row_group(group).num_rows for group in range(row_groups.stop)]
                    self._rows, self._total = sum(rows[: row_groups.start]), sum(rows)
            else:
                # A file holds a stream: its footer, which could name a batch many times, is not needed.
                self._map = remote or pa.memory_map(str(path))
                self._map.seek(len(MAGIC) if start == MAGIC else 0)
                self._file = pa.ipc.open_stream(self._map)
                self._schema, self._total = self._file.schema, None
            self._names = self._schema.names
            metadata = self._schema.metadata or {}
            self.origin = metadata.get(b"origin", b"").decode()
            self.time_unit = metadata.get(b"time_unit", b"").decode()
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise _unreadable(path, error) from error
        self._columns = {name: self._column(name) for name in (*TYPES, "op") if self._column(name)}
        if "page" not in self._columns:
            raise UserError(
                f"no column page (or frame) among {', '.join(self._names)}",
                where=str(path),
                remedy="rename the column of page numbers to page",
            )
        if stored := metadata.get(b"page_bytes"):
            self.stored_page_bytes = stored_size(stored.decode("ascii", "replace"), str(path))
        if self._columns.get("time") == "cycle":
            self.time_unit = "cycles"

    def _check_bounds(self) -> None:
        """Refuse a file whose columns are far longer than its stored bytes (`bounds.py`)."""
        if not self.bounded:
            return
        if self.format == "parquet":
            check_parquet(self._file.metadata, self._stored or 0, self.name)
            return
        expanded, position = 0, self._map.tell()
        try:
            for message, size in enumerate(expanded_sizes(self._map)):
                expanded += size
                if expanded > bytes_allowed(self._stored or 0):
                    raise too_many_bytes(self._stored or 0, f"{self.name}, message {message}")
            self._map.seek(position)
        except (OSError, ValueError) as error:
            raise _unreadable(self.name, error) from error

    def __iter__(self) -> Iterator[Chunk]:
        self._check_bounds()
        previous = 0
        for batch in self._batches():
            columns = {name: batch[column] for name, column in self._columns.items()}
            kept = self._references(columns)
            chunk = self._chunk(columns, kept)
            index = None if chunk.times is None or self.sorts else first_disorder(chunk.times, previous)
            if index is not None and chunk.times is not None:
                row = (
                    index if kept is None else int(np.flatnonzero(kept.to_numpy(zero_copy_only=False))[index])
                )
                before = int(chunk.times[index - 1]) if index else previous
                raise disorder(int(chunk.times[index]), before, f"{self.name}, row {self._rows + row}")
            self._rows += batch.num_rows
            if len(chunk):
                previous = int(chunk.times[-1]) if chunk.times is not None else 0
                yield chunk
        if self._left_out:
            self.notes.append(f"{self._left_out:,} events are not references and were left out (op)")

    @property
    def fraction(self) -> float | None:
        return self._rows / self._total if self._total else None

    def close(self) -> None:
        if self.format == "parquet":
            self._file.close()
        else:
            self._map.close()

    def _column(self, name: str) -> str | None:
        names = (name, _ALIASES.get(name))
        return next((there for there in names if there in self._names), None)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            if self.format == "parquet":
                wanted = list(self._columns.values())
                yield from self._file.iter_batches(
                    CHUNK_REFERENCES, row_groups=self._groups, columns=wanted, use_threads=False
                )
            else:
                for batch in self._file:
                    batch.validate()  # that its buffers are as long as its columns
                    yield batch
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise UserError(
                f"damaged or truncated: {error}",
                where=f"{self.name}, after row {self._rows}",
                remedy="download or create the file again",
            ) from error

    def _references(self, columns: dict[str, pa.Array]) -> pa.BooleanArray | None:
        """Return which rows are references (None: all), and remove the column `op`."""
        if "op" not in columns:
            return None
        kept = pc.is_in(columns.pop("op").cast(pa.string()), value_set=_REFERENCES)
        self._left_out += len(kept) - kept.true_count
        return kept

    def _chunk(self, columns: dict[str, pa.Array], kept: pa.BooleanArray | None) -> Chunk:
        values: dict[str, np.ndarray] = {}
        for name, column in columns.items():
            if column.null_count:
                row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                raise UserError(
                    f"column {name} is empty (null)",
                    where=f"{self.name}, row {self._rows + row}",
                    remedy="fill it or remove the row",
                )
            if column.type != TYPES[name]:
                column = self._cast(name, column)
            if kept is not None:
                column = column.filter(kept)
            values[name] = column.to_numpy(zero_copy_only=False)
        return Chunk(values["page"], values.get("write"), values.get("time"), values.get("context"))

    def _cast(self, name: str, column: pa.Array) -> pa.Array:
        numbers = pa.types.is_integer(column.type)
        if not numbers or name == "write":
            raise UserError(
                f"column {name} has type {column.type}",
                where=self.name,
                remedy="use booleans for write and whole numbers for the other columns",
            )
        try:
            return column.cast(TYPES[name])
        except pa.ArrowInvalid as error:
            limit = (1 << TYPES[name].bit_width) - 1
            wrong = [not 0 <= value <= limit for value in column.to_pylist()]
            row = wrong.index(True)
            raise UserError(
                f"{name} {column[row]} is negative or too large",
                where=f"{self.name}, row {self._rows + row}",
                remedy=f"{name} must be 0 to {limit}",
            ) from error


def check_parquet(metadata: pq.FileMetaData, stored: int, name: str) -> None:
    """Check that a file's columns are not far longer than its `stored` bytes (`bounds.py`).

    What the file says of single columns is not asked for: pyarrow ends the process if their statistics are
    damaged.

    Raises
    ------
    UserError
        they are.
    """
    expanded = 8 * metadata.num_rows  # the page numbers, however they are encoded
    for group in range(metadata.num_row_groups):
        expanded = max(expanded, metadata.row_group(group).total_byte_size)
        if expanded > bytes_allowed(stored):
            raise too_many_bytes(stored, f"{name}, row group {group}")


def row_group_bytes(path: Place) -> list[int]:
    """Return about how many of a Parquet file's bytes each row group has; empty if it is none.

    Raises
    ------
    UserError
        it cannot be read.
    """
    try:
        file = UrlFile(str(path)) if is_url(path) else None
        remote = pa.PythonFile(file, "r") if file else None
        stored = (file.size if file else Path(path).stat().st_size) or 0
        if not _head(remote, path).startswith(b"PAR1"):
            return []
        with open_parquet(remote or path) as opened:
            metadata = opened.metadata
            sizes = [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    return [stored * size // (sum(sizes) or 1) for size in sizes]


def _unreadable(path: Place, error: Exception) -> UserError:
    return UserError(
        f"cannot be read as Parquet or Arrow: {error}",
        where=str(path),
        remedy="check the name, or create the file again",
    )


def _head(remote: pa.PythonFile | None, path: Place) -> bytes:
    if remote is None:
        with Path(path).open("rb") as file:
            return file.read(8)
    start: bytes = remote.read(8)
    remote.seek(0)
    return start


class ParquetWriter(TraceWriter):
    """Writes the columns of the first chunk with zstd compression; metadata: page size, unit of times."""

    def __init__(self, sink: BinaryIO, options: WriteOptions) -> None:
        self._sink = sink
        self._metadata = {
            "page_bytes": str(options.page_bytes),
            "time_unit": options.time_unit,
            "origin": options.origin,
        }
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []  # rows of an incomplete row group

    def write(self, chunk: Chunk) -> None:
        given = (chunk.times, chunk.pages, chunk.writes, chunk.contexts, chunk.processors)
        columns = {name: column for name, column in zip(_WRITTEN, given, strict=True) if column is not None}
        if self._writer is None:
            fields = [pa.field(name, _WRITTEN[name], nullable=False) for name in columns]
            self._writer = pq.ParquetWriter(
                self._sink,
                pa.schema(fields, metadata=self._metadata),
                compression="zstd",
                compression_level=3,
                use_dictionary=False,
                # Deltas of times are small; repeated pages are compressed by zstd.
                column_encoding={"time": "DELTA_BINARY_PACKED"} if "time" in columns else None,
            )
        self._waiting.append(pa.table(columns, schema=self._writer.schema))
        if sum(table.num_rows for table in self._waiting) >= _ROW_GROUP:
            self._flush()

    def finish(self) -> None:
        if self._writer is None:
            self.write(Chunk(np.empty(0, dtype=np.uint64)))
        self._flush()
        self.close()

    def _flush(self) -> None:
        if self._writer is not None and self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
        self._waiting = []

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
