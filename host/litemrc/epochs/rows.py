"""Columns of tables with one row for each epoch and part of a device."""

from collections.abc import Sequence

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


def padded(lists: Sequence[Sequence[int]]) -> NDArray[np.uint32]:
    """Return lists of different lengths as rows of an array, filled up with zeros.

    Raises:
        ValueError: a number is not in 0 to 2^32 - 1.
    """
    array = np.zeros((len(lists), max(map(len, lists), default=0)), np.int64)
    for row, values in zip(array, lists, strict=True):
        row[: len(values)] = values
    return exact_column("of lists", array, np.dtype("u4"))


def cut_lists(rows: NDArray[np.uint32]) -> list[list[int]]:
    """Return the rows of an array as lists without the zeros at their ends; the reverse of `padded`."""
    return [np.trim_zeros(row, "b").tolist() for row in rows]
