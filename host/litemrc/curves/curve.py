"""Miss ratio curve arithmetic on hit counters; knows no device and no file.

A curve follows from the counters by equation 1 of Zhou et al. (ASPLOS 2004, section 2.2), its index being
groups of pages as in section 3.1: MR(m groups) = 1 - (hit[0] + ... + hit[m-1]) / (sum(hit) + misses).
The denominator is the number of accesses; it is summed afresh, not taken from the `accesses` counter, so that
a saturated counter (flag `overflow`) can distort a curve but never push it out of 0..1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

EPSILON = 0.01  # a miss ratio this much above the best is as good: one more miss in 100 accesses


@dataclass(frozen=True, eq=False)
class Curve:
    """Hit counters of one context over some epochs, and the curve they make.

    Attributes:
        hits: uint64[groups]; hits[g] accesses found their page in group g of the LRU stack, 0 on top.
        misses: accesses to a page that was in no group: no memory size would have held it.
        group_pages: pages of the memory in a group, the resolution of the curve.
        accesses: accesses counted; sum(hits) + misses unless a counter saturated.
        dropped: accesses lost before they could be counted, of whatever context, in the epochs of this curve.
        context: context number, or None for several contexts summed.
        overflow: a counter saturated in one of the epochs; the curve is then approximate.
    """

    hits: NDArray[np.uint64]
    misses: int
    group_pages: int
    accesses: int
    dropped: int = 0
    context: int | None = None
    overflow: bool = False

    @classmethod
    def of_counters(
        cls,
        hits: ArrayLike,
        misses: int,
        group_pages: int,
        *,
        accesses: int | None = None,
        dropped: int = 0,
        context: int | None = None,
        overflow: bool = False,
    ) -> "Curve":
        """Build a curve from hit counters [groups]; without `accesses`, they are sum(hits) + misses.

        Raises:
            ValueError: no groups, an empty group, or sum(hits) + misses != accesses without an overflow.
        """
        counters = np.asarray(hits, dtype=np.uint64)
        if counters.ndim != 1 or counters.size == 0:
            raise ValueError(f"hits must be a list of at least one counter, not of shape {counters.shape}")
        if group_pages < 1:
            raise ValueError(f"a group must have at least one page, not {group_pages}")
        total = int(counters.sum()) + int(misses)
        if accesses is None:
            accesses = total
        if total != accesses and not overflow:
            raise ValueError(f"sum(hits) + misses is {total}, but accesses is {accesses}")
        return cls(counters, int(misses), group_pages, int(accesses), int(dropped), context, bool(overflow))

    @property
    def sizes_pages(self) -> NDArray[np.int64]:
        """Memory sizes in pages, int64[groups]: one group, two groups ... all groups."""
        return np.arange(1, self.hits.size + 1, dtype=np.int64) * self.group_pages

    @property
    def miss_ratio(self) -> NDArray[np.float64]:
        """Miss ratio at each of `sizes_pages`, float64[groups] in 0..1; all nan if there was no access."""
        total = int(self.hits.sum()) + self.misses
        if total == 0:
            return np.full(self.hits.size, np.nan)
        # Integers up to the one division: 1 - x/y would round twice.
        return (total - np.cumsum(self.hits)) / total

    def miss_ratio_at(self, pages: int) -> float:
        """Miss ratio in a memory of `pages` pages: that of the largest whole number of groups that fits.

        A memory smaller than one group always misses (1.0), one larger than all groups misses as they do.
        The exact curve never lies above this step function. nan if there was no access.
        """
        if pages < 0:
            raise ValueError(f"a memory cannot have {pages} pages")
        groups = min(pages // self.group_pages, self.hits.size)
        ratio = float(self.miss_ratio[groups - 1])
        return 1.0 if groups == 0 and not np.isnan(ratio) else ratio

    def smallest_size(self, epsilon: float = EPSILON) -> int:
        """Smallest memory, in pages, whose miss ratio exceeds that of all groups by at most `epsilon`.

        `epsilon` is a difference of miss ratios. The result is a whole number of groups; 0 if memory helps no
        access (nothing was reused, or nothing was accessed).
        Source: N_mrc of Zhou et al., section 5, "almost the maximum possible page hit ratio".
        """
        if epsilon < 0:
            raise ValueError(f"epsilon must not be negative, as {epsilon} is")
        ratios = np.concatenate(([1.0], self.miss_ratio))
        if np.isnan(ratios[-1]):
            return 0
        return int(np.argmax(ratios <= ratios[-1] + epsilon)) * self.group_pages

    @property
    def reuse_pages(self) -> int:
        """Smallest memory, in pages, that holds all reuse: every group up to the last one hit.

        0 without a hit; rounded up, for the deepest page reused lies somewhere in the last group.
        """
        hit_groups = np.flatnonzero(self.hits)
        return 0 if hit_groups.size == 0 else (int(hit_groups[-1]) + 1) * self.group_pages


def merge(curves: Iterable[Curve], *, dropped: int | None = None) -> Curve:
    """Sum the counters of several curves: epochs one after the other, or contexts side by side.

    Parameters:
        curves: at least one, all of the same number and size of groups; a context they share is kept.
        dropped: accesses lost, where it is not the sum over the curves: contexts of one epoch share one loss.

    Raises:
        ValueError: no curve, or curves of different groups.
    """
    curves = list(curves)
    if not curves:
        raise ValueError("no curve to merge")
    shapes = {(curve.hits.size, curve.group_pages) for curve in curves}
    if len(shapes) > 1:
        raise ValueError(f"curves of different (groups, group_pages) cannot be merged: {sorted(shapes)}")
    contexts = {curve.context for curve in curves}
    return Curve(
        hits=np.sum([curve.hits for curve in curves], axis=0, dtype=np.uint64),
        misses=sum(curve.misses for curve in curves),
        group_pages=curves[0].group_pages,
        accesses=sum(curve.accesses for curve in curves),
        dropped=sum(curve.dropped for curve in curves) if dropped is None else dropped,
        context=contexts.pop() if len(contexts) == 1 else None,
        overflow=any(curve.overflow for curve in curves),
    )


def telling_sizes(curves: Sequence[Curve], count: int = 3) -> list[int]:
    """Up to `count` sizes in pages, spread by equal ratios from one group to what holds all reuse."""
    group_pages = curves[0].group_pages
    largest = max(max(curve.reuse_pages for curve in curves) // group_pages, 1)
    steps = np.geomspace(1, largest, count)
    return sorted({round(step) * group_pages for step in steps})


def ratio_top(ratios: Iterable[NDArray[np.float64]]) -> float:
    """Where a miss ratio axis may end: 1, or less where all are low, as DRAM comes in bursts to a page."""
    highest = max((float(np.nanmax(shown, initial=0)) for shown in ratios), default=0.0)
    return next(top for top in (0.05, 0.1, 0.2, 0.3, 0.5, 1.0) if highest <= top)
