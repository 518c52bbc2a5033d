# SPDX-License-Identifier: BSD-2-Clause
"""Demand of a process for memory: its miss-ratio curve and utility.

A curve can be aged: its hit counters decay with the process's own accesses.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.points import checked_points
from litemrc.errors import UserError


@dataclass(frozen=True, eq=False)
class Demand:
    """The memory demand of a process (Zhou et al., ASPLOS 2004, section 4.1.1).

    Attributes
    ----------
    name
        unique name of the process.
    sizes_pages
        int64[k], memory sizes in pages, increasing, above 0.
    miss_ratio
        float64[k] at these sizes, non-increasing, in 0..1; 1 below the first size, constant
        beyond the last.
    accesses
        over which the curve was measured.
    weight
        of its utility (w_i of equation 2).
    minimum_pages
        guaranteed memory.
    reference_rate
        accesses per unit of time, the same unit for all processes. With it, utility is end
        performance (hits in that time); without it, the hit ratio.

    Raises
    ------
    UserError
        arrays of different or zero length; sizes that do not increase; a ratio that increases or
        is out of range; a negative number.
    """

    name: str
    sizes_pages: NDArray[np.int64]
    miss_ratio: NDArray[np.float64]
    accesses: int
    weight: float = 1.0
    minimum_pages: int = 0
    reference_rate: float | None = None

    def __post_init__(self) -> None:
        where = f"curve of {self.name!r}"
        sizes, ratios = checked_points(self.name, self.sizes_pages, self.miss_ratio)
        if not sizes.size:
            raise UserError("0 sizes_pages and 0 miss_ratio", where=where, remedy="give at least one")
        object.__setattr__(self, "sizes_pages", sizes)
        object.__setattr__(self, "miss_ratio", ratios)
        for name in ("accesses", "weight", "minimum_pages", "reference_rate"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise UserError(f"{name} cannot be {value}", where=where, remedy="give 0 or more")

    @property
    def value(self) -> float:
        """Return the utility of a hit ratio of 1."""
        return self.weight if self.reference_rate is None else self.weight * self.reference_rate

    def miss_ratio_at(self, pages: int) -> float:
        """Return the miss ratio at the largest size of at most `pages` pages."""
        fitting = int(np.searchsorted(self.sizes_pages, pages, side="right"))
        return float(self.miss_ratio[fitting - 1]) if fitting else 1.0

    def utility(self, pages: int) -> float:
        """Return the weighted hit ratio, times the reference rate if there is one."""
        return self.value * (1 - self.miss_ratio_at(pages))


class AgedCurve:
    """Hit counters of a process summed over epochs; counts halve every `half_life` accesses.

    Refaults extend it beyond the memory. Without them the memory of a process could only shrink: a hit that
    needs more memory is a miss to the hardware.

    An epoch without accesses leaves the curve unchanged, because a sleeping process will need the same memory
    when it wakes. Only its reference rate falls.

    Parameters
    ----------
    half_life
        in accesses.
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
