# SPDX-License-Identifier: BSD-2-Clause
"""The table of a sweep: one Parquet file with a row for each result, parameters as columns."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from litemrc.errors import UserError
from litemrc.files.outputs import replacing
from litemrc.files.parquet import open_parquet

from litemrc_studies.sweeps.journal import Journal
from litemrc_studies.sweeps.point import Outcome, Point

KIND, VERSION = "sweep", 1
POINT, SECONDS, NOTES, ERROR = "point", "seconds", "notes", "error"
RESULT = "result_"
_ROWS_IN_GROUP = 1 << 16
Row = dict[str, Any]


class _Column:
    """The type of a column, found from its values."""

    def __init__(self, *kinds: str) -> None:
        self._kinds = set(kinds)

    def see(self, value: Any) -> None:
        """Take a value into account."""
        if value is not None:
            large = isinstance(value, int) and not -(2**63) <= value < 2**63
            self._kinds.add("float" if large else type(value).__name__)

    @property
    def type(self) -> pa.DataType:
        """The type that holds all values; text if they are of several kinds."""
        if self._kinds == {"bool"}:
            return pa.bool_()
        if self._kinds == {"int"}:
            return pa.int64()
        return pa.float64() if self._kinds <= {"int", "float"} else pa.string()


def _as(kind: pa.DataType, value: Any) -> Any:
    """Return a value as a column of a type has it."""
    if value is None or isinstance(value, str):
        return value
    if kind == pa.string():
        return ",".join(map(_text, value)) if isinstance(value, list) else _text(value)
    return float(value) if kind == pa.float64() else value


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class TableSummary:
    """What a table holds.

    Attributes
    ----------
    points, done, failed
        points of the sweep; those with an outcome; those of them without results.
    rows
        of the table.
    parameters, results
        names of columns.
    """

    points: int
    done: int
    failed: int
    rows: int
    parameters: tuple[str, ...]
    results: tuple[str, ...]


def write_table(
    path: Path,
    points: Sequence[tuple[str, Point]],
    journal: Journal,
    parameters: Sequence[str],
    described: Mapping[str, Any],
) -> TableSummary:
    """Write the outcomes of a journal in the order of the points.

    A row has the point's number, its parameters, one of its results, the seconds that the point took, its
    notes, and why it failed. A point that failed, or has no results, has one row without results. A result
    with the name of a parameter gets the prefix result_. Memory holds one row group.

    Parameters
    ----------
    points
        with their keys; those without an outcome are left out.
    described
        goes into the file's metadata under the key `litemrc`, as JSON.

    Raises
    ------
    OutputError
        the file cannot be written.
    """
    columns = {POINT: _Column("int"), **{name: _Column() for name in parameters}}
    results: dict[str, _Column] = {}
    rows = done = failed = 0
    for point, outcome in _outcomes(points, journal):
        done += 1
        failed += bool(outcome.error)
        rows += max(1, len(outcome.rows))
        for name, value in point.parameters.items():
            columns[name].see(value)
        for row in outcome.rows:
            for name, value in row.items():
                results.setdefault(name, _Column()).see(value)
    names = {name: RESULT + name if name in {*columns, SECONDS, NOTES, ERROR} else name for name in results}
    columns |= {names[name]: column for name, column in results.items()}
    columns |= {SECONDS: _Column("float"), NOTES: _Column("str"), ERROR: _Column("str")}
    types = {name: column.type for name, column in columns.items()}
    summary = TableSummary(len(points), done, failed, rows, tuple(parameters), tuple(names.values()))
    metadata = {
        "kind": KIND,
        "version": VERSION,
        **described,
        "parameters": summary.parameters,
        "results": summary.results,
        "points": summary.points,
        "done": done,
        "failed": failed,
    }
    schema = pa.schema(types).with_metadata({b"litemrc": json.dumps(metadata).encode()})
    with (
        replacing(path) as partial,
        pq.ParquetWriter(partial, schema, compression="zstd", write_page_checksum=True) as writer,
    ):
        for group in _groups(_rows(_outcomes(points, journal), names), types):
            writer.write_table(pa.table(group, schema=schema))
    return summary


def read_rows(path: Path, most: int | None = None) -> Iterator[Row]:
    """Yield the rows of a table; `most`: the first ones."""
    for batch in open_parquet(path).iter_batches(batch_size=min(most or _ROWS_IN_GROUP, _ROWS_IN_GROUP)):
        for row in batch.to_pylist():
            if most is not None:
                if not most:
                    return
                most -= 1
            yield row


def read_columns(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return some columns of a table.

    Raises
    ------
    UserError
        it has none of a name.
    """
    file = open_parquet(path)
    known = file.schema_arrow.names
    for name in names:
        if name not in known:
            raise UserError(
                f"no column is named {name!r}", where=str(path), remedy=f"use some of {', '.join(known)}"
            )
    columns: dict[str, list[Any]] = file.read(columns=list(names)).to_pydict()
    return columns


def _outcomes(points: Sequence[tuple[str, Point]], journal: Journal) -> Iterator[tuple[Point, Outcome]]:
    return ((point, journal.outcome(key)) for key, point in points if key in journal)


def _rows(outcomes: Iterable[tuple[Point, Outcome]], names: Mapping[str, str]) -> Iterator[Row]:
    for point, outcome in outcomes:
        common = {
            POINT: point.number,
            **point.parameters,
            SECONDS: outcome.seconds,
            NOTES: "; ".join(outcome.notes) or None,
            ERROR: outcome.error or None,
        }
        for row in outcome.rows or [{}]:
            yield common | {names[name]: value for name, value in row.items()}


def _groups(rows: Iterable[Row], types: Mapping[str, pa.DataType]) -> Iterator[dict[str, list[Any]]]:
    group: dict[str, list[Any]] = {name: [] for name in types}
    count = 0
    for row in rows:
        for name, kind in types.items():
            group[name].append(_as(kind, row.get(name)))
        count += 1
        if count == _ROWS_IN_GROUP:
            yield group
            group, count = {name: [] for name in types}, 0
    if count:
        yield group
