"""The points of a miss-ratio curve (memory sizes and miss ratios), checked."""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.errors import UserError

Scalar = TypeVar("Scalar", bound=np.generic)


def checked_points(
    name: str, sizes_pages: ArrayLike, miss_ratio: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return memory sizes in pages, int64[n], and the miss ratio at each, float64[n], as read-only arrays.

    Parameters:
        name: of the curve, for messages.
        sizes_pages: [n], rising, at least one page.
        miss_ratio: [n], in 0..1, never rising.

    Raises:
        UserError: the arrays are no numbers, of different length or break one of these rules.
    """
    where = f"curve of {name!r}"
    sizes = _array("sizes_pages", sizes_pages, np.int64, where)
    ratios = _array("miss_ratio", miss_ratio, np.float64, where)
    if sizes.size != ratios.size:
        raise UserError(
            f"{sizes.size} sizes_pages and {ratios.size} miss_ratio", where=where, remedy="give one for each"
        )

    def refuse(bad: NDArray[np.bool_], why: str, first: int = 0) -> None:
        if bad.any():
            at = int(np.argmax(bad)) + first
            here = f"sizes_pages[{at}] = {sizes[at]}, miss_ratio[{at}] = {ratios[at]:g}"
            before = f", before it {sizes[at - 1]} and {ratios[at - 1]:g}" if at else ""
            raise UserError(why, where=f"{where}: {here}{before}")

    refuse(sizes < 1, "a size is below one page")
    refuse(sizes[1:] <= sizes[:-1], "sizes do not rise", 1)
    refuse(~((ratios >= 0) & (ratios <= 1)), "a miss ratio is not in 0..1")
    refuse(ratios[1:] > ratios[:-1], "the miss ratio rises with memory", 1)
    return sizes, ratios


def checked_band(
    name: str, miss_ratio: NDArray[np.float64], low: ArrayLike | None, high: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits of a band around miss ratios, float64[n] each, as read-only arrays.

    Raises:
        UserError: a missing limit, another length, or not 0 <= low <= miss ratio <= high <= 1.
    """
    where = f"curve of {name!r}"
    if low is None or high is None:
        raise UserError("a band needs both limits", where=where, remedy="give low and high, or neither")
    lows = _array("miss_ratio_low", low, np.float64, where)
    highs = _array("miss_ratio_high", high, np.float64, where)
    if not lows.size == highs.size == miss_ratio.size:
        raise UserError("the band and the miss ratios differ in length", where=where)
    bad = ~((lows >= 0) & (lows <= miss_ratio) & (miss_ratio <= highs) & (highs <= 1))
    if bad.any():
        at = int(np.argmax(bad))
        raise UserError(
            f"miss_ratio[{at}] = {miss_ratio[at]:g} is not in its band {lows[at]:g} to {highs[at]:g}",
            where=where,
            remedy="give 0 <= low <= miss ratio <= high <= 1",
        )
    return lows, highs


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a view of the array that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _array(name: str, values: ArrayLike, dtype: type[Scalar], where: str) -> NDArray[Scalar]:
    try:
        given = np.asarray(values)
        array: NDArray[Scalar] = np.ascontiguousarray(given, dtype)
        numeric = given.dtype.kind in "iuf" or given.size == 0
        same = numeric and np.array_equal(array, given, equal_nan=True)
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same or array.ndim != 1:
        raise UserError(f"{name} must be a list of {np.dtype(dtype).name} numbers", where=where)
    return read_only(array)
