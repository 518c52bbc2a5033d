"""When epochs began and ended, from their lengths in clock cycles."""

import numpy as np
from numpy.typing import NDArray

from litemrc.pages.page_bitmaps import PageBitmaps


def mean_ns(bitmaps: PageBitmaps) -> int | None:
    """Return the mean length of an epoch in nanoseconds; None if the length of an epoch is not known."""
    if not bitmaps.clock_hz or not bitmaps.epoch.size or not bitmaps.cycles.all():
        return None
    return max(1, round(float(bitmaps.cycles.mean()) * 1e9 / bitmaps.clock_hz))


def times_ns(bitmaps: PageBitmaps, unknown_ns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return when each epoch began and ended, int64[n] each; the first one began at 0.

    Missing epochs have the mean length.

    Parameters:
        unknown_ns: the length of an epoch if it is not known.
    """
    numbers = bitmaps.epoch.astype(np.int64) - (int(bitmaps.epoch[0]) if bitmaps.epoch.size else 0)
    mean = mean_ns(bitmaps)
    if mean is None:
        return numbers * unknown_ns, (numbers + 1) * unknown_ns
    lengths = np.rint(bitmaps.cycles * (1e9 / bitmaps.clock_hz)).astype(np.int64)
    ends = np.cumsum(lengths) + (numbers - np.arange(numbers.size)) * mean
    return ends - lengths, ends
