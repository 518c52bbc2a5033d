"""Memory divided among processes by their miss ratio curves; equal to `litemrc.golden.machines.allocation`.

Curves are trusted: `litemrc.policies.allocation.demand` checks them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.native._core import Gains

WORK = 1 << 24  # points times sizes of memory that the repair of a hull may look at: about 10 ms
MOST_UNITS = 2**31 - 1
MOST_WORK = 2**35  # points times sizes of memory: about ten seconds
MOST_CHOICES = 2**28  # processes times sizes of memory: 1 GiB

# sizes_pages, miss_ratio, utility of a hit ratio of 1, minimum in units
CurveRow = tuple[NDArray[np.int64], NDArray[np.float64], float, int]


def steepest_gradient(
    curves: Sequence[CurveRow], priorities: Sequence[float], *, delta_pages: int, free: int
) -> list[int]:
    """Units given to each process beyond its minimum, of `free` units of `delta_pages`, one by one."""
    gains = _gains(curves, delta_pages, free)
    return gains.steepest_gradient(np.asarray(priorities, np.float64)).tolist()


def concave_hull(
    curves: Sequence[CurveRow], *, delta_pages: int, free: int, work: int = WORK
) -> tuple[list[int], float]:
    """The same on the concave hulls, repaired; and the total gain that no division exceeds."""
    given, bound = _gains(curves, delta_pages, free).concave_hull(work)
    return given.tolist(), bound


def optimum(curves: Sequence[CurveRow], *, delta_pages: int, free: int) -> list[int]:
    """The same, such that the total gain is largest.

    Raises:
        UserError: it would take longer than ten seconds or so, or more than 1 GiB.
    """
    points = sum(min(sizes.size, free) for sizes, *_ in curves)
    if points * (free + 1) > MOST_WORK or len(curves) * (free + 1) > MOST_CHOICES:
        raise UserError(
            f"the optimum of {len(curves):,} processes in {free:,} units of memory is too much to compute",
            remedy="take a larger unit (delta), or method hull: it tells how far it may be from the optimum",
        )
    return _gains(curves, delta_pages, free).optimum().tolist()


def _gains(curves: Sequence[CurveRow], delta_pages: int, free: int) -> Gains:
    if free > MOST_UNITS:
        raise UserError(
            f"{free:,} units of memory are too many",
            remedy=f"take a larger unit (delta): at most {MOST_UNITS:,}",
        )
    gains = Gains(delta_pages, free)
    for sizes_pages, miss_ratio, value, minimum in curves:
        gains.add(sizes_pages, miss_ratio, value, minimum)
    return gains
