"""Whose pages go when new ones find no room: of all, of some trays, of a color (Jantz et al. 2013, 8.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Residents:
    """Pages that could go, one element each.

    Attributes:
        last_used: int64, when; the larger the later.
        tray: int64, where the page is.
        color: int64, a number the same for pages of one color of one application.
        pinned: bool, pages that must stay.
    """

    last_used: NDArray[np.int64]
    tray: NDArray[np.int64]
    color: NDArray[np.int64]
    pinned: NDArray[np.bool_]


def victims(
    residents: Residents, count: int, *, trays: tuple[int, ...] | None = None, color: int | None = None
) -> NDArray[np.intp]:
    """The pages that were not used for longest, of those that may go, as indices, the oldest first.

    Parameters:
        count: of pages that are wanted; fewer are told if fewer may go.
        trays: where room is wanted: others do not help.
        color: recycle within this color only; what others have is not touched.
    """
    able = ~residents.pinned
    if trays is not None:
        able &= np.isin(residents.tray, trays)
    if color is not None:
        able &= residents.color == color
    candidates = np.flatnonzero(able)
    if candidates.size > count:
        oldest = np.argpartition(residents.last_used[candidates], count)[:count] if count else []
        candidates = candidates[oldest]
    return candidates[np.argsort(residents.last_used[candidates], kind="stable")]
