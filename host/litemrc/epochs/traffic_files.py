# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of epochs' DRAM commands, one row per (epoch, bank), under a seal.

What a device does not observe is null, not 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from litemrc.epochs.traffic import BANK_COUNTS, Traffic
from litemrc.files.sealed_parquet import FileKind, continued_epochs, read_sealed, whole_column, write_sealed

KIND = FileKind("a traffic table", "name a file that `litemrc collect --traffic` wrote")
VERSION = 1
_TOTALS = {"cycles": pa.uint64(), **dict.fromkeys(("refreshes", "refresh_cycles", "queue_peak"), pa.uint32())}
TYPES: dict[str, pa.DataType] = {
    "epoch": pa.uint32(),
    "bank": pa.uint16(),
    **dict.fromkeys(BANK_COUNTS, pa.uint32()),
    "access_bytes": pa.uint32(),
    **_TOTALS,
    "seconds": pa.float64(),
}
OPTIONAL = frozenset({*BANK_COUNTS[2:], *_TOTALS, "seconds"})  # columns that may be null
_SAME = "the same in all rows of an epoch"
_KNOWN = f"null: unknown; {_SAME}"
UNITS = {
    "epoch": "number of the epoch",
    "bank": "number of the bank",
    "reads": "read commands; each moves access_bytes",
    "writes": "write commands; each moves access_bytes",
    "row_hits": "reads and writes that followed another one to the row as it was open; null: unknown",
    "activates": "ACTIVATE commands; null: unknown",
    "row_conflicts": "ACTIVATE commands of the bank as it was closed for another row; null: unknown",
    "access_bytes": f"bytes that a read or write moves in a cycle of the system clock; {_SAME}",
    "cycles": f"cycles of the system clock; {_KNOWN}",
    "refreshes": f"REFRESH commands; {_KNOWN}",
    "refresh_cycles": f"cycles of the system clock that a refresh takes (tRFC); {_KNOWN}",
    "queue_peak": f"most requests that the DRAM controller had accepted and not issued; {_KNOWN}",
    "seconds": f"seconds; {_KNOWN}",
    "clock_hz": "Hz",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class TrafficTable:
    """The DRAM commands of epochs of a device.

    Attributes
    ----------
    clock_hz
        of the system clock, whose cycles are counted.
    epochs
        numbers of the epochs, each once; where one is missing, it was lost.
    traffic
        of each of them.
    interrupted
        the collection was stopped before its end.

    Raises
    ------
    ValueError
        an epoch twice, or one without traffic.
    """

    clock_hz: int
    epochs: Sequence[int] = field(default_factory=tuple)
    traffic: Sequence[Traffic] = field(default_factory=tuple)
    interrupted: bool = False

    def __post_init__(self) -> None:
        if self.clock_hz < 1:
            raise ValueError("clock_hz must be positive")
        if len(self.epochs) != len(self.traffic) or len(set(self.epochs)) != len(self.epochs):
            raise ValueError(f"{len(set(self.epochs))} epochs with {len(self.traffic)} of traffic")


def write_traffic(path: str | Path, table: TrafficTable) -> None:
    """Write `table` to `path`, replacing what was there only when the new file is complete.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    columns = traffic_columns(table.epochs, table.traffic)
    described = traffic_description(table.clock_hz, interrupted=table.interrupted)
    write_sealed(path, KIND, VERSION, columns, UNITS, described, optional=OPTIONAL)


def traffic_columns(epochs: Sequence[int], traffic: Sequence[Traffic]) -> dict[str, pa.Array]:
    """Return the rows of epochs as the file has them."""
    banks = [each.reads.size for each in traffic]
    columns: dict[str, Any] = {
        "epoch": np.repeat(np.asarray(epochs, np.uint32), banks),
        "bank": np.concatenate([np.zeros(0, np.uint16), *(np.arange(size) for size in banks)]),
    }
    for name in BANK_COUNTS:
        counts = (getattr(each, name) for each in traffic)
        columns[name] = pa.chunked_array(
            [
                pa.nulls(size, TYPES[name]) if each is None else pa.array(each, TYPES[name])
                for each, size in zip(counts, banks, strict=True)
            ],
            TYPES[name],
        ).combine_chunks()
    for name in ("access_bytes", *_TOTALS, "seconds"):
        values = pa.array([getattr(each, name) for each in traffic], TYPES[name])
        columns[name] = values.take(pa.array(np.repeat(np.arange(len(banks)), banks)))
    return {name: pa.array(columns[name], each) for name, each in TYPES.items()}


def traffic_description(clock_hz: int, *, interrupted: bool = False) -> dict[str, Any]:
    """Return all of a table but its columns, as the file describes it."""
    return {"clock_hz": clock_hz, "interrupted": interrupted}


def read_traffic(path: str | Path) -> TrafficTable:
    """Read the table that `write_traffic` wrote, or a file of a history.

    Raises
    ------
    UserError
        no such file, not a traffic table, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, _decode)


def _decode(data: pa.Table, described: dict[str, Any]) -> TrafficTable:
    epochs, traffic = traffic_of_rows(continued_epochs(data))
    described = {name: described[name] for name in ("clock_hz", "interrupted")}
    return TrafficTable(epochs=epochs, traffic=traffic, **described)


def traffic_of_rows(data: pa.Table) -> tuple[list[int], list[Traffic]]:
    """Return the epochs of rows of a file, and what each of them has.

    Raises
    ------
    ValueError, LookupError, TypeError
        rows contradict each other, or a column is missing or has other types.
    """
    columns = {name: _column(data, name) for name in TYPES}
    epoch, bank = (columns[name][0].astype(np.int64) for name in ("epoch", "bank"))
    begins = np.flatnonzero(bank == 0)
    sizes = np.diff(np.append(begins, epoch.size))
    if epoch.size and (bank[0] or (bank != np.arange(epoch.size) - np.repeat(begins, sizes)).any()):
        raise ValueError("an epoch has not the rows of all its banks")
    for name in ("epoch", "access_bytes", *_TOTALS, "seconds"):
        for each in columns[name]:
            if (each != np.repeat(each[begins], sizes)).any():
                raise ValueError(f"column {name} differs between rows of an epoch")
    traffic = []
    for begin, size in zip(begins.tolist(), sizes.tolist(), strict=True):
        values: dict[str, Any] = {
            name: _bank_counts(name, columns[name], begin, size) for name in BANK_COUNTS
        }
        for name in ("access_bytes", *_TOTALS, "seconds"):
            values[name] = None if columns[name][1][begin] else columns[name][0][begin].item()
        traffic.append(Traffic(**values))
    return epoch[begins].tolist(), traffic


def _column(data: pa.Table, name: str) -> tuple[NDArray, NDArray[np.bool_]]:
    """Return the values of a column, 0 for nulls, and which are null."""
    if name not in OPTIONAL:
        column = whole_column(data, name)
        return column.to_numpy(zero_copy_only=False), np.zeros(len(column), bool)
    column = data.column(name).combine_chunks().cast(TYPES[name])
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return column.fill_null(0).to_numpy(zero_copy_only=False), missing


def _bank_counts(
    name: str, column: tuple[NDArray, NDArray[np.bool_]], begin: int, size: int
) -> NDArray | None:
    values, missing = (each[begin : begin + size] for each in column)
    if missing.any():
        if not missing.all():
            raise ValueError(f"column {name} is null in some rows of an epoch only")
        return None
    return values
