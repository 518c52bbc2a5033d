"""The arrays that the native core takes, and what is refused on the way in."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.errors import UserError


def page_array(pages: ArrayLike) -> NDArray[np.uint64]:
    """Page numbers as the core takes them: uint64, one-dimensional, contiguous; copied only if they are not.

    Raises:
        UserError: more than one dimension, numbers that are no integers, negative or absent ones.
    """
    if np.ma.is_masked(pages):
        raise UserError("page numbers are absent (masked)", remedy="drop or fill them first")
    array = np.asarray(pages)
    if array.ndim != 1:
        raise UserError(f"pages must be one-dimensional, not of shape {array.shape}")
    if array.size == 0:
        return np.empty(0, np.uint64)
    if array.dtype.kind not in "ui":
        raise UserError(
            f"pages must be integers, not {array.dtype}",
            remedy="convert them first: what a fraction or a missing value means, only you know",
        )
    if array.dtype.kind == "i" and array.min() < 0:
        at = int(np.argmax(array < 0))
        raise UserError(
            f"page number {array[at]} is negative", where=f"access {at}", remedy="pages count from 0"
        )
    return np.ascontiguousarray(array, np.uint64)
