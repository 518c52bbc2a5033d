# SPDX-License-Identifier: BSD-2-Clause
"""Rows of epoch tables: columns, page groups, and the counters of a context as they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.hit_counters import HitCounters, without_evictions

_MOST_TAIL_GROUPS = 256  # as on the link


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
    if not np.array_equal(column, given):
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


def padded(lists: Sequence[Sequence[int]]) -> NDArray[np.uint32]:
    """Return lists of different lengths as rows of an array, filled up with zeros.

    Raises
    ------
    ValueError
        a number is not in 0 to 2^32 - 1.
    """
    array = np.zeros((len(lists), max(map(len, lists), default=0)), np.int64)
    for row, values in zip(array, lists, strict=True):
        row[: len(values)] = values
    return exact_column("of lists", array, np.dtype("u4"))


def cut_lists(rows: NDArray[np.uint32]) -> list[list[int]]:
    """Return the rows of an array as lists without the zeros at their ends; the reverse of `padded`."""
    return [np.trim_zeros(row, "b").tolist() for row in rows]


@dataclass(frozen=True, slots=True)
class EpochRow:
    """Counters of one context in one finished epoch, checked as it arrives; units as in `EpochTable`.

    Raises
    ------
    ValueError
        sum(hits) + misses != accesses, or touched > accesses, although no counter saturated.
    """

    epoch: int
    context: int
    accesses: int
    misses: int
    touched: int
    dropped: int
    outside: int
    unsampled: int
    scale_log2: int
    overflow: bool
    hits: tuple[int, ...]
    resident: int = 0
    evicted: int = 0
    unidentified: int = 0
    tail: tuple[int, ...] = ()
    split: bool = False

    def __post_init__(self) -> None:
        total = sum(self.hits) + self.misses
        if total != self.accesses and not self.overflow:
            raise ValueError(
                f"epoch {self.epoch}, context {self.context}: sum(hits) + misses is {total},"
                f" but accesses is {self.accesses}"
            )
        if self.touched > self.accesses and not self.overflow:
            raise ValueError(
                f"epoch {self.epoch}, context {self.context}: {self.touched} pages touched"
                f" by {self.accesses} accesses"
            )

    def evictions(self, evicted_before: int | None) -> int:
        """Return the pages that were evicted in the epoch, at least: some may be gone since.

        Parameters
        ----------
        evicted_before
            `evicted` of the epoch before; None, and so no evictions: not known.
        """
        if evicted_before is None:
            return 0
        return max(self.evicted - evicted_before + sum(self.tail), 0)

    def counters(self, engine_group_pages: int, evictions: int = 0) -> HitCounters:
        """Return the counters with the refaults of the tail, as policies take them.

        Parameters
        ----------
        engine_group_pages
            pages that the engine holds in a group; sampling is taken into account here.
        evictions
            in the epoch; see `without_evictions`.
        """
        sampled = np.array([evictions / (1 << self.scale_log2)])
        return HitCounters.of(
            without_evictions(np.array([self.hits], np.uint64), sampled)[0],
            self.misses,
            engine_group_pages << self.scale_log2,
            accesses=self.accesses,
            overflow=self.overflow,
            refaults=self.tail,
            scale_log2=self.scale_log2,
        )
