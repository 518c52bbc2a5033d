"""A miss ratio curve that forgets, at the pace of its process's own accesses."""

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve


class AgedCurve:
    """Hit counters of a process, epoch after epoch, the older the less: every `half_life` accesses by half.

    An epoch without accesses leaves the curve as it is: what a process that sleeps will need when it wakes is
    what it needed before. Only its rate falls, as time goes on.

    Parameters:
        half_life: in accesses.
    """

    def __init__(self, half_life: float) -> None:
        self._half_life = half_life
        self._hits: NDArray[np.float64] = np.zeros(0)  # float64[groups]
        self._misses = 0.0
        self._clocks = 0.0
        self.group_pages = 1

    def add(self, epoch: Curve | None, clocks: float) -> None:
        """An epoch of so many clocks has ended; None: without an access.

        If the groups have changed, as with another sampling, all that came before is forgotten.
        """
        if epoch is None or epoch.accesses == 0:
            self._clocks += clocks
            return
        if (epoch.hits.size, epoch.group_pages) != (self._hits.size, self.group_pages):
            self._hits, self.group_pages = np.zeros(epoch.hits.size), epoch.group_pages
            self._misses = self._clocks = 0.0
        remains = 0.5 ** (epoch.accesses / self._half_life)
        self._hits = self._hits * remains + epoch.hits
        self._misses = self._misses * remains + epoch.misses
        self._clocks = self._clocks * remains + clocks

    @property
    def accesses(self) -> float:
        """Those that are remembered."""
        return float(self._hits.sum()) + self._misses

    @property
    def reference_rate(self) -> float:
        """Accesses a clock, sleep included."""
        return self.accesses / self._clocks if self._clocks else 0.0

    @property
    def sizes_pages(self) -> NDArray[np.int64]:
        """One group, two groups ... all groups, int64[groups]."""
        return np.arange(1, self._hits.size + 1, dtype=np.int64) * self.group_pages

    @property
    def miss_ratio(self) -> NDArray[np.float64]:
        """At each of `sizes_pages`; never rising, in 0..1. All 1 before the first access."""
        if not self.accesses:
            return np.ones(self._hits.size)
        missed = self._misses + np.cumsum(self._hits[::-1])[::-1]  # with one group less
        return np.append(missed[1:], self._misses) / missed[0]
