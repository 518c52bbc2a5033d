# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of an epoch table, one row per (epoch, context), under a seal."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from litemrc.epochs.columns import COLUMNS, TAIL_COLUMNS, Rows
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable
from litemrc.files.sealed_parquet import (
    FileKind,
    continued_epochs,
    read_sealed,
    whole_column,
    write_sealed,
)

KIND = FileKind("an epoch table", "name a file that `litemrc collect` or `litemrc demo` wrote")
VERSION = 5
OLDEST_VERSION = 3
_LISTS = ("hits", "tail")
_SINCE = dict.fromkeys(TAIL_COLUMNS, 4) | {"split": 5}  # the version in which a column came
UNITS = {
    "epoch": "number of the epoch",
    "context": "number of the context",
    "accesses": "accesses",
    "misses": "accesses",
    "touched": "distinct pages accessed; if sampled, sampled pages",
    "dropped": "accesses lost in the whole epoch, whatever their context; the same in all rows of an epoch",
    "outside": "accesses out of the address range in the whole epoch; the same in all rows of an epoch",
    "unsampled": "accesses to pages not sampled in the whole epoch; the same in all rows of an epoch",
    "scale_log2": "1 page of 2^scale_log2 took part; the same in all rows of an epoch",
    "overflow": "true: a counter saturated, or dropped, outside or unsampled is at its limit",
    "hits": "accesses, one counter per group of the LRU stack, most recently used first; a group stands for "
    "(pages / groups) * 2^scale_log2 pages of the memory",
    "resident": "pages charged to the context's memory cgroup at the end of the epoch; 0 without one",
    "evicted": "pages evicted from the context's memory cgroup, at the end of the epoch; 0 without one",
    "unidentified": "evictions and refaults of the epoch whose page or order is unknown",
    "tail": "refaults (accesses to evicted pages), one counter per group of the LRU position, as hits; zeros "
    "at the end are cut; not sampled; each is among the misses of this epoch or the next",
    "split": "true: reads and writes counted apart, the writes to the pages of context c in context c + "
    "contexts / 2; the same in all rows of an epoch",
    **{"page_bytes": "bytes", "frames": "pages", "pages": "pages"},
}
_PARAMETERS = (
    *("page_bytes", "frames", "engine", "pages", "groups", "contexts", "recent_pages"),
    *("system", "interrupted"),
)


def write_epochs(path: str | Path, table: EpochTable) -> None:
    """Write `table` to `path`, replacing what was there only when the new file is complete.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    write_sealed(path, KIND, VERSION, epoch_columns(table.columns), UNITS, epoch_description(table))


def epoch_columns(columns: Rows | Mapping[str, NDArray]) -> dict[str, pa.Array]:
    """Return the columns of a table, or rows, as the file has them."""
    found = {name: pa.array(np.ascontiguousarray(columns[name])) for name in COLUMNS if name not in _LISTS}
    hits, tail = columns["hits"], columns["tail"]
    starts = np.arange(len(hits) + 1, dtype=np.int32) * hits.shape[1]
    found["hits"] = pa.ListArray.from_arrays(starts, hits.ravel())
    kept = np.logical_or.accumulate(tail[:, ::-1] != 0, axis=1)[:, ::-1]  # zeros at the end are cut
    starts = np.append(0, np.cumsum(kept.sum(axis=1))).astype(np.int32)
    found["tail"] = pa.ListArray.from_arrays(starts, tail[kept])
    return found


def epoch_description(table: EpochTable) -> dict[str, Any]:
    """Return all of a table but its columns, as the file describes it."""
    return {
        **{name: getattr(table, name) for name in _PARAMETERS},
        "context_names": {str(context): name for context, name in table.context_names.items()},
        "processes": [asdict(process) for process in table.processes],
        "link_statistics": dict(table.link_statistics),
    }


def read_epochs(path: str | Path) -> EpochTable:
    """Read the epoch table that `write_epochs` wrote, now or in an earlier version from 3 on.

    Raises
    ------
    UserError
        no such file, not an epoch table, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, epochs_of_rows, oldest=OLDEST_VERSION)


def epochs_of_rows(data: pa.Table, described: Mapping[str, Any]) -> EpochTable:
    """Return rows of a file, which a history may have of several sessions, as a table.

    Raises
    ------
    ValueError, LookupError, TypeError
        they contradict the description, or each other.
    """
    kept = [name for name in COLUMNS if described["version"] >= _SINCE.get(name, OLDEST_VERSION)]
    return EpochTable(
        **arrays_of(continued_epochs(data), described["groups"], kept),
        **{name: described[name] for name in _PARAMETERS},
        context_names={int(context): name for context, name in described["context_names"].items()},
        processes=tuple(_process(each) for each in described["processes"]),
        link_statistics=described["link_statistics"],
    )


def arrays_of(data: pa.Table, groups: int, names: Iterable[str] = tuple(COLUMNS)) -> dict[str, Any]:
    """Return columns of rows of a file, as an `EpochTable` has them.

    Raises
    ------
    ValueError, LookupError, TypeError
        a column is missing, has missing values, or other hit counters than those of these groups.
    """
    arrays: dict[str, Any] = {}
    for name in names:
        column = whole_column(data, name)
        if name not in _LISTS:
            arrays[name] = column.to_numpy(zero_copy_only=False)
            continue
        lengths, values = column.value_lengths().to_numpy(), column.flatten().to_numpy()
        if name == "hits":
            wrong = np.flatnonzero(lengths != groups)
            if wrong.size:
                found = lengths[wrong[0]]
                raise ValueError(f"row {wrong[0]} has {found} hit counters instead of {groups}")
            arrays[name] = values.reshape(len(data), groups)
        else:
            arrays[name] = np.zeros((len(data), lengths.max(initial=0)), values.dtype)
            arrays[name][np.arange(arrays[name].shape[1]) < lengths[:, None]] = values
    return arrays


def _process(described: dict[str, Any]) -> Process:
    process = Process(**described)
    for name, kind in Process.__annotations__.items():
        if not isinstance(getattr(process, name), kind):
            raise ValueError(f"{name} of a process is {getattr(process, name)!r}")
    return process
