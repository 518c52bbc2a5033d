# SPDX-License-Identifier: BSD-2-Clause
"""Parquet traces of shared memory: one row per reference, with time, processor, page, word and write.

The file's metadata holds `page_bytes`, `time_unit` and `origin`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from litemrc.errors import UserError
from litemrc.files.parquet import open_parquet
from litemrc.traces.chunk import CHUNK_REFERENCES
from litemrc.traces.formats.columnar import check_parquet
from litemrc.traces.shared.chunk import (
    PAGE_BYTES,
    WORD_BYTES,
    SharedChunk,
    SharedTrace,
    joined,
    parted,
    words_of_page,
)
from litemrc.traces.trace import first_disorder

TYPES = {
    "time": pa.uint64(),
    "processor": pa.uint16(),
    "page": pa.uint64(),
    "word": pa.uint32(),
    "write": pa.bool_(),
}
_ROW_GROUP = 1 << 20  # references


class SharedParquetTrace(SharedTrace):
    """Reads a Parquet file by batches."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        try:
            self._file = open_parquet(path)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise UserError(
                f"cannot be read as Parquet: {error}",
                where=str(path),
                remedy="check the name, or create the file again",
            ) from error
        schema = self._file.schema_arrow
        for name, wanted in TYPES.items():
            if name not in schema.names or schema.field(name).type != wanted:
                there = schema.field(name).type if name in schema.names else "missing"
                self._file.close()
                raise UserError(
                    f"column {name} is {there}",
                    where=str(path),
                    remedy=f"columns must be {', '.join(f'{key} ({kind})' for key, kind in TYPES.items())}",
                )
        metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
        self.page_bytes = WORD_BYTES * words_of_page(metadata.get("page_bytes", PAGE_BYTES), str(path))
        self.time_unit, self.origin = metadata.get("time_unit", ""), metadata.get("origin", "")
        self._rows, self._total = 0, self._file.metadata.num_rows

    def __iter__(self) -> Iterator[SharedChunk]:
        check_parquet(self._file.metadata, Path(self.name).stat().st_size, self.name)
        page_words, previous = words_of_page(self.page_bytes, self.name), 0
        try:
            for batch in self._file.iter_batches(CHUNK_REFERENCES, columns=list(TYPES), use_threads=False):
                columns = {name: self._numbers(batch[name], name) for name in TYPES}
                self._check(columns["word"] >= page_words, f"word beyond the page's {page_words}")
                self._check(columns["page"] >= (1 << 64) // page_words, "page number too large")
                disorder = first_disorder(columns["time"], previous)
                if disorder is not None:
                    self._check(np.arange(batch.num_rows) == disorder, "time is below the previous one")
                words = joined(columns["page"], columns["word"].astype(np.uint64), page_words)
                self._rows += batch.num_rows
                if batch.num_rows:
                    previous = int(columns["time"][-1])
                    yield SharedChunk(words, columns["processor"], columns["write"], columns["time"])
        except (OSError, pa.ArrowException) as error:
            raise UserError(
                f"damaged or truncated: {error}",
                where=f"{self.name}, after row {self._rows}",
                remedy="download or create the file again",
            ) from error

    @property
    def fraction(self) -> float | None:
        return self._rows / self._total if self._total else None

    def close(self) -> None:
        self._file.close()

    def _numbers(self, column: pa.Array, name: str) -> np.ndarray:
        if column.null_count:
            self._check(column.is_null().to_numpy(zero_copy_only=False), f"column {name} is empty (null)")
        return column.to_numpy(zero_copy_only=False)

    def _check(self, wrong: np.ndarray, what: str) -> None:
        if wrong.any():
            row = self._rows + int(np.argmax(wrong))
            raise UserError(
                what, where=f"{self.name}, row {row}", remedy="correct the row, or create the trace again"
            )


class SharedParquetWriter:
    """Writes Parquet with zstd compression and pages of `page_bytes`."""

    def __init__(
        self, sink: BinaryIO, page_bytes: int = PAGE_BYTES, origin: str = "", time_unit: str = ""
    ) -> None:
        self._page_words = words_of_page(page_bytes, "the trace to write")
        metadata = {"page_bytes": str(page_bytes), "time_unit": time_unit, "origin": origin}
        fields = [pa.field(name, kind, nullable=False) for name, kind in TYPES.items()]
        self._writer = pq.ParquetWriter(
            sink,
            pa.schema(fields, metadata=metadata),
            compression="zstd",
            use_dictionary=False,
            column_encoding={"time": "DELTA_BINARY_PACKED"},
        )
        self._waiting: list[pa.Table] = []

    def write(self, chunk: SharedChunk) -> None:
        pages, words = parted(chunk.words, self._page_words)
        columns = (chunk.times, chunk.processors, pages, words.astype(np.uint32), chunk.writes)
        table = pa.table(dict(zip(TYPES, columns, strict=True)), schema=self._writer.schema)
        self._waiting.append(table)
        if sum(table.num_rows for table in self._waiting) >= _ROW_GROUP:
            self._flush()

    def finish(self) -> None:
        """Write the remaining rows and the end of the file."""
        self._flush()
        self.close()

    def close(self) -> None:
        """Close what is open of the file, also after an error."""
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
        self._waiting = []
