# SPDX-License-Identifier: BSD-2-Clause
"""Division of memory by miss-ratio curves; equal to `litemrc.golden.allocation`.

Curves are not checked here; `litemrc.policies.allocation.demand` checks them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.native._core import Gains

WORK = 1 << 24  # limit of a hull's repair in points times memory sizes: about 10 ms
MOST_UNITS = 2**31 - 1
MOST_WORK = 2**35  # points times memory sizes: about ten seconds
MOST_CHOICES = 2**28  # processes times memory sizes: 1 GiB

# sizes_pages, miss_ratio, utility of a hit ratio of 1, minimum in units
CurveRow = tuple[NDArray[np.int64], NDArray[np.float64], float, int]


def steepest_gradient(
    curves: Sequence[CurveRow], priorities: Sequence[float], *, delta_pages: int, free: int
) -> list[int]:
    """Divide `free` units of `delta_pages` by steepest gradient; return the units above each minimum."""
    gains = _gains(curves, delta_pages, free)
    return gains.steepest_gradient(np.asarray(priorities, np.float64)).tolist()


def concave_hull(
    curves: Sequence[CurveRow], *, delta_pages: int, free: int, work: int = WORK
) -> tuple[list[int], float]:
    """Divide on the concave hulls with repair; also return an upper bound of the total gain."""
    given, bound = _gains(curves, delta_pages, free).concave_hull(work)
    return given.tolist(), bound


def optimum(curves: Sequence[CurveRow], *, delta_pages: int, free: int) -> list[int]:
    """Divide with the largest total gain.

    Raises
    ------
    UserError
        it would take longer than about ten seconds, or more than 1 GiB.
    """
    points = sum(min(sizes.size, free) for sizes, *_ in curves)
    if points * (free + 1) > MOST_WORK or len(curves) * (free + 1) > MOST_CHOICES:
        raise UserError(
            f"the optimum of {len(curves):,} processes in {free:,} units of memory is too much to compute",
            remedy="use a larger unit (delta), or method hull, which reports its distance from the optimum",
        )
    return _gains(curves, delta_pages, free).optimum().tolist()


def _gains(curves: Sequence[CurveRow], delta_pages: int, free: int) -> Gains:
    if free > MOST_UNITS:
        raise UserError(
            f"{free:,} units of memory are too many",
            remedy=f"use a larger unit (delta), for at most {MOST_UNITS:,} units",
        )
    gains = Gains(delta_pages, free)
    for sizes_pages, miss_ratio, value, minimum in curves:
        gains.add(sizes_pages, miss_ratio, value, minimum)
    return gains
