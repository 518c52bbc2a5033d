# SPDX-License-Identifier: BSD-2-Clause
"""Conversion and checks of arrays for the native core, and dense page numbers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.errors import UserError
from litemrc.native._core import PageNumbers as _PageNumbers


def page_array(pages: ArrayLike) -> NDArray[np.uint64]:
    """Return page numbers as a contiguous uint64[n]; they are copied only if necessary.

    Raises
    ------
    UserError
        more than one dimension, or values that are not integers, negative or masked.
    """
    if np.ma.is_masked(pages):
        raise UserError("page numbers are missing (masked)", remedy="drop or fill them first")
    array = np.asarray(pages)
    if array.ndim != 1:
        raise UserError(f"pages must be one-dimensional, not of shape {array.shape}")
    if array.size == 0:
        return np.empty(0, np.uint64)
    if array.dtype.kind not in "ui":
        raise UserError(
            f"pages must be integers, not {array.dtype}",
            remedy="convert them first; the meaning of fractions and missing values is not defined here",
        )
    if array.dtype.kind == "i" and array.min() < 0:
        at = int(np.argmax(array < 0))
        raise UserError(
            f"page number {array[at]} is negative", where=f"access {at}", remedy="number pages from 0"
        )
    return np.ascontiguousarray(array, np.uint64)


class PageNumbers:
    """Maps 64-bit page numbers to dense numbers: 0 for the first page seen, 1 for the next, and so on.

    Stack distances do not depend on page numbers, so engines and policies use these as array indices.
    """

    def __init__(self) -> None:
        self._core = _PageNumbers()

    def __len__(self) -> int:
        return self._core.size

    def number(self, pages: ArrayLike) -> NDArray[np.uint32]:
        """Return the numbers of a chunk of accesses, uint32[accesses]; new pages are added.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        return self._core.number(page_array(pages))
