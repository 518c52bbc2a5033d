"""Aged miss-ratio curve: hit counters that decay with the process's own accesses."""

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.hit_counters import HitCounters


class AgedCurve:
    """Hit counters of a process summed over epochs; counts halve every `half_life` accesses.

    Refaults extend it beyond the memory. Without them the memory of a process could only shrink: a hit that
    needs more memory is a miss to the hardware.

    An epoch without accesses leaves the curve unchanged, because a sleeping process will need the same memory
    when it wakes. Only its reference rate falls.

    Parameters:
        half_life: in accesses.
    """

    def __init__(self, half_life: float) -> None:
        self._half_life = half_life
        self._hits: NDArray[np.float64] = np.zeros(0)  # float64[groups], refaults included
        self._misses = 0.0  # without refaults; below 0 while these were counted before their misses
        self._cycles = 0.0
        self.group_pages = 1
        self.memory_groups = 0  # those that the hardware counts: the rest lies beyond the memory

    def add(self, epoch: HitCounters | None, cycles: float) -> None:
        """Add an epoch of `cycles` cycles; None: it had no access.

        If the groups have changed, for example by another sampling rate, all earlier counts are discarded.
        """
        if epoch is None or not (epoch.accesses or epoch.refaults.size):
            self._cycles += cycles
            return
        if (epoch.hits.size, epoch.group_pages) != (self.memory_groups, self.group_pages):
            self._hits = np.zeros(epoch.hits.size)
            self.memory_groups, self.group_pages = epoch.hits.size, epoch.group_pages
            self._misses = self._cycles = 0.0
        remains = 0.5 ** (epoch.accesses / self._half_life)
        hits = epoch.combined_hits
        aged, self._hits = self._hits, np.zeros(max(self._hits.size, hits.size))
        self._hits[: aged.size] = aged * remains
        self._hits[: hits.size] += hits
        self._misses = self._misses * remains + epoch.combined_misses
        self._cycles = self._cycles * remains + cycles

    @property
    def accesses(self) -> float:
        """Return the decayed number of accesses."""
        return float(self._hits.sum()) + self._misses

    @property
    def reference_rate(self) -> float:
        """Return accesses per cycle, including sleep."""
        return self.accesses / self._cycles if self._cycles else 0.0

    @property
    def sizes_pages(self) -> NDArray[np.int64]:
        """Return the sizes of one group, two groups ... all groups, as far as refaults reach, int64[n]."""
        return np.arange(1, self._hits.size + 1, dtype=np.int64) * self.group_pages

    @property
    def miss_ratio(self) -> NDArray[np.float64]:
        """Return the miss ratios at `sizes_pages`, non-increasing, in 0..1; 1 before the first access."""
        if not self.accesses:
            return np.ones(self._hits.size)
        missed = self._misses + np.cumsum(self._hits[::-1])[::-1]  # with one group less
        return np.maximum(np.append(missed[1:], self._misses), 0.0) / missed[0]
