# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes counted apart: the writes to the pages of context c are in context c + contexts / 2."""

import numpy as np
from numpy.typing import NDArray

from litemrc.epochs.columns import COLUMNS, Rows

ACCESSES = ("reads", "writes")
_SUMS = ("accesses", "misses", "touched", "unidentified", "hits", "tail")
_LARGEST = ("resident", "evicted", "overflow")


def owning_contexts(context: NDArray[np.uint8], split: NDArray[np.bool_], contexts: int) -> NDArray[np.uint8]:
    """Return uint8[n], the contexts that own the pages of rows; that of writes is another one."""
    writes = split & (context >= contexts // 2)
    return np.where(writes, context - contexts // 2, context).astype(np.uint8)


def rows_together(rows: Rows, contexts: int) -> Rows:
    """Return a row for each owner of pages and epoch: the sums of its reads and its writes.

    Parameters
    ----------
    contexts
        of the monitor.
    """
    if not rows["split"].any():
        return rows
    owner = owning_contexts(rows["context"], rows["split"], contexts)
    order = np.lexsort((rows["context"], owner, rows["epoch"]))
    rows, owner = rows[order], owner[order]
    starts = np.flatnonzero(np.diff(rows["epoch"].astype(np.int64) << 8 | owner, prepend=-1))
    whole = rows[starts]
    whole["context"], whole["split"] = owner[starts], False
    for name in _LARGEST:
        whole[name] = np.maximum.reduceat(rows[name], starts)
    for name in _SUMS:
        sums, most = np.add.reduceat(rows[name], starts, dtype=np.uint64), np.iinfo(COLUMNS[name]).max
        whole["overflow"] |= np.any(sums.reshape(starts.size, -1) > most, axis=1)
        whole[name] = np.minimum(sums, most)
    return whole
