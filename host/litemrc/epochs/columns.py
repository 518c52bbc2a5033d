# SPDX-License-Identifier: BSD-2-Clause
"""Columns and rows of epoch tables, and page groups.

The rows of an epoch are a structured array with the columns as its fields: what a feed hands on, a thousand
times a second. An `EpochTable` checks many of them at once.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

COLUMNS: dict[str, np.dtype] = {
    "epoch": np.dtype("u4"),
    "context": np.dtype("u1"),
    "accesses": np.dtype("u8"),
    "misses": np.dtype("u8"),
    "touched": np.dtype("u8"),
    "dropped": np.dtype("u8"),
    "outside": np.dtype("u8"),
    "unsampled": np.dtype("u8"),
    "scale_log2": np.dtype("u1"),
    "overflow": np.dtype("bool"),
    "hits": np.dtype("u4"),
    "resident": np.dtype("u4"),
    "evicted": np.dtype("u4"),
    "unidentified": np.dtype("u4"),
    "tail": np.dtype("u4"),
    "split": np.dtype("bool"),
}
TAIL_COLUMNS = ("resident", "evicted", "unidentified", "tail")  # without an operating system all are 0
DEFAULT_COLUMNS = (*TAIL_COLUMNS, "split")  # of zeros, if they are not given
OF_THE_EPOCH = ("dropped", "outside", "unsampled", "scale_log2", "split")  # the same in all rows of one epoch
LARGEST_SCALE_LOG2 = 31  # as on the link
_MOST_TAIL_GROUPS = 256  # as on the link

Rows = NDArray[np.void]  # with the fields of `rows_dtype`


@lru_cache(16)  # a device has one
def rows_dtype(groups: int, tail_groups: int) -> np.dtype:
    """Return the type of rows: the columns, with `hits` of all groups and `tail` of this length."""
    lengths = {"hits": (groups,), "tail": (tail_groups,)}
    return np.dtype([(name, each, lengths.get(name, ())) for name, each in COLUMNS.items()])


def make_rows(columns: Mapping[str, Any], size: int, groups: int, tail_groups: int) -> Rows:
    """Return rows with the values of these columns, or of one value for all; 0 in other columns."""
    rows = np.zeros(size, rows_dtype(groups, tail_groups))
    for name, values in columns.items():
        rows[name] = values
    return rows


def joined_columns(parts: Sequence[Rows]) -> dict[str, Any]:
    """Return the columns of all parts, of which there is one at least; `tail` is as long as the longest one.

    Column by column: a long collection would not fit into memory another time.
    """
    columns = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS if name != "tail"}
    used = [int(np.flatnonzero(part["tail"].any(axis=0)).max(initial=-1)) + 1 for part in parts]
    columns["tail"] = np.zeros((sum(part.size for part in parts), max(used)), COLUMNS["tail"])
    at = 0
    for part, width in zip(parts, used, strict=True):
        columns["tail"][at : at + part.size, :width] = part["tail"][:, :width]
        at += part.size
    return columns


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts, of which there is one at least."""
    if len({part.dtype for part in parts}) == 1:
        rows = np.empty(sum(part.size for part in parts), parts[0].dtype)
        at = 0
        for part in parts:  # np.concatenate() takes twice as long to compare the types
            rows[at : at + part.size] = part
            at += part.size
        return rows
    columns = joined_columns(parts)
    return make_rows(columns, columns["epoch"].size, columns["hits"].shape[1], columns["tail"].shape[1])


def last_rows(rows: Rows, count: int) -> Rows:
    """Return the last `count` rows of each context, in their order."""
    order = np.argsort(rows["context"], kind="stable")
    ends = np.searchsorted(rows["context"][order], rows["context"][order], side="right")
    return rows[np.sort(order[ends - np.arange(rows.size) <= count])]


def evictions(rows: Rows | Mapping[str, NDArray]) -> NDArray[np.int64]:
    """Return the pages evicted in each epoch from the context of each row, at least, int64[n].

    Some may be gone since. Before the first row of a context it is not known how many were evicted: none.
    """
    order = np.lexsort((rows["epoch"], rows["context"]))
    evicted = rows["evicted"][order].astype(np.int64)
    found = np.diff(evicted, prepend=0) + rows["tail"][order].sum(axis=1, dtype=np.int64)
    found[np.diff(rows["context"][order].astype(np.int64), prepend=-1) != 0] = 0
    counts = np.empty_like(evicted)
    counts[order] = np.maximum(found, 0)
    return counts


def groups_of_memory(frames: int, pages: int, groups: int, scale_log2: int) -> int:
    """Groups that the pages of a memory that take part can fill: `groups`, or fewer the fewer are sampled."""
    return min(max(-(-(frames >> scale_log2) * groups // pages), 1), groups)


def open_group(groups: int) -> int:
    """Return the last group of the tail of a monitor with n groups: it also counts all deeper refaults.

    A tail has twice the groups of the monitor: it reaches as far beyond the memory as the memory is large.
    Source: litemrc_tail_groups() of the driver.
    """
    return min(2 * groups, _MOST_TAIL_GROUPS) - 1


def exact_column(name: str, values: ArrayLike, dtype: np.dtype) -> NDArray:
    """Return the values, unchanged, as an array of this type.

    Raises
    ------
    ValueError
        the type cannot hold them.
    """
    given = np.asarray(values)
    column = np.ascontiguousarray(given, dtype=dtype)
    if given.dtype != dtype and not np.array_equal(column, given):
        raise ValueError(f"column {name} holds values that are no {dtype.name}")
    return column


def repeated_rows(epoch: NDArray[np.uint32], part: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rows, bool[n], repeat the epoch and part of an earlier row."""
    pairs = epoch.astype(np.int64) << 8 | part
    repeated = np.ones(pairs.size, dtype=bool)
    repeated[np.unique(pairs, return_index=True)[1]] = False
    return repeated


def rows_between(epoch: NDArray[np.uint32], start: int | None, stop: int | None) -> NDArray[np.bool_]:
    """Return which rows, bool[n], are of epochs `start` up to, not including, `stop`; None: no limit."""
    kept = np.ones(epoch.size, dtype=bool)
    if start is not None:
        kept &= epoch >= start
    if stop is not None:
        kept &= epoch < stop
    return kept
