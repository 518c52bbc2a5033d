# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes counted apart: the writes to the pages of context c are in context c + contexts / 2."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from litemrc.epochs.epoch_row import EpochRow

ACCESSES = ("reads", "writes")
_SUMS = ("accesses", "misses", "touched", "unidentified")


def owning_contexts(context: NDArray[np.uint8], split: NDArray[np.bool_], contexts: int) -> NDArray[np.uint8]:
    """Return uint8[n], the contexts that own the pages of rows; that of writes is another one."""
    writes = split & (context >= contexts // 2)
    return np.where(writes, context - contexts // 2, context).astype(np.uint8)


def rows_together(rows: Iterable[EpochRow], contexts: int) -> list[EpochRow]:
    """Return a row for each owner of pages and epoch: the sums of its reads and its writes.

    Parameters
    ----------
    rows
        those of an epoch in ascending order of contexts.
    contexts
        of the monitor.
    """
    found: dict[tuple[int, int], EpochRow] = {}
    for row in rows:
        owner = row.context - contexts // 2 if row.split and row.context >= contexts // 2 else row.context
        reads = found.get((row.epoch, owner))
        whole = replace(row, context=owner, split=False)
        found[row.epoch, owner] = _sum(reads, whole) if reads else whole
    return sorted(found.values(), key=lambda row: (row.epoch, row.context))


def _sum(one: EpochRow, other: EpochRow) -> EpochRow:
    return replace(
        one,
        **{name: getattr(one, name) + getattr(other, name) for name in _SUMS},
        resident=max(one.resident, other.resident),
        evicted=max(one.evicted, other.evicted),
        overflow=one.overflow or other.overflow,
        hits=tuple(map(sum, zip(one.hits, other.hits, strict=True))),
        tail=tuple(map(sum, zip_longest(one.tail, other.tail, fillvalue=0))),
    )
