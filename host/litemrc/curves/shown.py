"""Which sizes and miss ratios of curves tables and pictures show."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve


def shown_sizes(curves: Sequence[Curve], count: int = 3) -> list[int]:
    """Return up to `count` sizes in pages, spread by equal ratios from one group to the largest reuse.

    All curves have the `resolution_pages` of the first.
    """
    group_pages = curves[0].resolution_pages
    largest = max(max(curve.reuse_pages for curve in curves) // group_pages, 1)
    steps = np.geomspace(1, largest, count)
    return sorted({round(step) * group_pages for step in steps})


def ratio_top(ratios: Iterable[NDArray[np.float64]]) -> float:
    """Return where a miss-ratio axis ends: 1, or less where all are low, as DRAM is accessed in bursts."""
    highest = max((float(np.nanmax(shown, initial=0)) for shown in ratios), default=0.0)
    return next(top for top in (0.05, 0.1, 0.2, 0.3, 0.5, 1.0) if highest <= top)
