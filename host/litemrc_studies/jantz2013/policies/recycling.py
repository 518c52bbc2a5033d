# SPDX-License-Identifier: BSD-2-Clause
"""Choice of pages to reclaim: from all, from some trays, or from a color (Jantz et al. 2013, 8.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BEHIND_FILES = 1 << 62


@dataclass(frozen=True, eq=False)
class Residents:
    """Resident pages, one array element each.

    Attributes
    ----------
    last_used
        int64, time of the last use.
    tray
        int64, tray of the page.
    color
        int64, a unique number per color and application.
    file
        bool, file pages; they are reclaimed first, because their content is on disk.
    pinned
        bool, pages that must stay.
    """

    last_used: NDArray[np.int64]
    tray: NDArray[np.int64]
    color: NDArray[np.int64]
    file: NDArray[np.bool_]
    pinned: NDArray[np.bool_]


def victims(
    residents: Residents, count: int, *, trays: tuple[int, ...] | None = None, color: int | None = None
) -> NDArray[np.intp]:
    """Return the indices of the least recently used reclaimable pages: file pages first, then others.

    Parameters
    ----------
    count
        number of pages; the result has fewer if fewer may be reclaimed.
    trays
        reclaim from these trays only; None: from all.
    color
        reclaim from this color only; None: from all.
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
