"""Columns of tables with one row for each epoch and part of a device."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def exact_column(name: str, values: ArrayLike, dtype: np.dtype) -> NDArray:
    """Return the values, unchanged, as an array of this type.

    Raises:
        ValueError: the type cannot hold them.
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
