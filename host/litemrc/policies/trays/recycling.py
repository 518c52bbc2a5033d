"""Whose pages go when new ones find no room: of all, of some trays, of a color (Jantz et al. 2013, 8.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BEHIND_FILES = 1 << 62


@dataclass(frozen=True, eq=False)
class Residents:
    """Pages that could go, one element each.

    Attributes:
        last_used: int64, when; the larger the later.
        tray: int64, where the page is.
        color: int64, a number the same for pages of one color of one application.
        file: bool, pages of files: these go before others, as their content is on disk already.
        pinned: bool, pages that must stay.
    """

    last_used: NDArray[np.int64]
    tray: NDArray[np.int64]
    color: NDArray[np.int64]
    file: NDArray[np.bool_]
    pinned: NDArray[np.bool_]


def victims(
    residents: Residents, count: int, *, trays: tuple[int, ...] | None = None, color: int | None = None
) -> NDArray[np.intp]:
    """The pages not used for longest, of those that may go, as indices: files first, then the others.

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
    age = residents.last_used[candidates] + np.where(residents.file[candidates], 0, _BEHIND_FILES)
    if candidates.size > count:
        oldest = np.argpartition(age, count)[:count]
        candidates, age = candidates[oldest], age[oldest]
    return candidates[np.argsort(age, kind="stable")]
