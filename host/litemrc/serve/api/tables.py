# SPDX-License-Identifier: BSD-2-Clause
"""Epochs as Arrow tables with a row for each epoch and context, and the formats in which they are sent."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from litemrc.epochs.files import UNITS
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.texts import spreadsheet_text

MEDIA = {
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
    "csv": "text/csv; charset=utf-8",
}
SUFFIXES = {"arrow": "arrows", "parquet": "parquet", "csv": "csv"}
_ROWS = 8192  # of a batch that is sent
# The columns do not depend on the device.
_ANY = DeviceParameters(
    session=0, clock_hz=0, page_bytes=1, frames=1, engine="", pages=1, groups=1, contexts=1, recent_pages=0
)


def epochs_table(parameters: DeviceParameters, epochs: Sequence[FeedEpoch]) -> pa.Table:
    """Return epochs of one session, as the history would keep them."""
    schema, lost = EPOCHS.schema(parameters), epochs[0].lost if epochs else 0
    batches = []
    for epoch in epochs:
        batches.append(EPOCHS.batch(schema, parameters, epoch, epoch.lost - lost))
        lost = epoch.lost
    return pa.Table.from_batches(batches, schema)


def named(device: str, table: pa.Table, contexts: Sequence[int] = ()) -> pa.Table:
    """Return a table with the device's name in front, and of these contexts only, if there are any."""
    if contexts:
        table = table.filter(pc.is_in(table.column("context"), pa.array(contexts, pa.uint8())))
    column = pa.array([device] * len(table), pa.string())
    fields = [pa.field("device", pa.string()), *table.schema]
    metadata = {"litemrc_units": json.dumps(dict(UNITS))}
    return pa.table([column, *table.columns], pa.schema(fields, metadata))


def empty_table(device: str) -> pa.Table:
    """Return the columns without a row."""
    return named(device, epochs_table(_ANY, []))


def chunks(form: str, tables: Iterable[pa.Table]) -> Iterator[bytes]:
    """Yield a stream of Arrow, a Parquet file or CSV, piece by piece; there must be a table."""
    iterator = iter(tables)
    first = next(iterator)
    pieces = _Pieces()
    prepared = _flat if form == "csv" else lambda table: table
    schema = prepared(first.slice(0, 0)).schema
    with _WRITERS[form](pieces, schema) as writer:
        for table in chain([first], iterator):
            for batch in prepared(table).cast(schema).to_batches(_ROWS):
                writer.write_batch(batch)
                yield pieces.taken()
    yield pieces.taken()


class _Pieces(io.RawIOBase):
    """A file whose bytes are taken as they are written."""

    def __init__(self) -> None:
        self._written: list[bytes] = []
        self._place = 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._written.append(bytes(content))
        self._place += len(self._written[-1])
        return len(self._written[-1])

    def tell(self) -> int:
        return self._place

    def taken(self) -> bytes:
        taken = b"".join(self._written)
        self._written.clear()
        return taken


_WRITERS: dict[str, Callable[[_Pieces, pa.Schema], Any]] = {
    "arrow": pa.ipc.new_stream,
    "parquet": lambda pieces, schema: pq.ParquetWriter(pieces, schema, compression="zstd"),
    "csv": pyarrow.csv.CSVWriter,
}


def _flat(table: pa.Table) -> pa.Table:
    """Return the table for CSV: a list is its numbers with spaces between, and no text is a formula."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            texts = (value and spreadsheet_text(value) for value in table.column(field.name).to_pylist())
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
        if pa.types.is_list(field.type):
            texts = pc.cast(table.column(field.name), pa.list_(pa.string()))
            table = table.set_column(place, field.name, pc.binary_join(texts, " "))
    return table
