"""Hit counters of an LRU stack, and the curve they make.

Equation 1 of Zhou et al. (ASPLOS 2004, section 2.2), over groups of pages as in section 3.1:
MR(m groups) = 1 - (hit[0] + ... + hit[m-1]) / (sum(hit) + misses).
The denominator, the number of accesses, is summed afresh, not taken from the `accesses` counter: a saturated
counter (flag `overflow`) can distort a curve but never push it out of 0..1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.points import read_only
from litemrc.curves.sizes import PAGE_BYTES


@dataclass(frozen=True, eq=False)
class HitCounters:
    """Hit counters of one context over some time.

    Attributes:
        hits: uint64[groups]; hits[g] accesses found their page in group g of the LRU stack, 0 on top.
        misses: accesses to a page that was in no group.
        group_pages: pages of the memory in a group.
        accesses: accesses counted; sum(hits) + misses unless a counter saturated.
        overflow: a counter saturated.
    """

    hits: NDArray[np.uint64]
    misses: int
    group_pages: int
    accesses: int
    overflow: bool = False

    @classmethod
    def of(
        cls,
        hits: ArrayLike,
        misses: int,
        group_pages: int,
        *,
        accesses: int | None = None,
        overflow: bool = False,
    ) -> "HitCounters":
        """Check hit counters [groups]; without `accesses`, they are sum(hits) + misses.

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
        return cls(read_only(counters), int(misses), group_pages, int(accesses), bool(overflow))

    def curve(
        self,
        page_bytes: int = PAGE_BYTES,
        *,
        name: str = "",
        aliases: Sequence[str] = (),
        dropped: int = 0,
    ) -> Curve:
        """Return the curve at one group, two groups ... all groups; the parameters are attributes of it."""
        sizes, ratios = points_of_hits(self.hits.copy(), self.misses, self.group_pages)
        return Curve(
            sizes,
            ratios,
            self.accesses,
            self.misses,
            page_bytes,
            name,
            tuple(aliases),
            self.group_pages,
            dropped=dropped,
            overflow=self.overflow,
        )


def points_of_hits(
    hits: NDArray[np.uint64], misses: int, group_pages: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sizes in pages, int64[groups], and the miss ratios, float64[groups], of hit counters.

    `hits` is overwritten, since a footprint can be a large part of the memory.
    """
    total = int(hits.sum()) + int(misses)
    missed = np.cumsum(hits, out=hits)
    np.subtract(np.uint64(total), missed, out=missed)
    sizes = np.arange(1, hits.size + 1, dtype=np.int64)
    sizes *= group_pages
    # Integers up to the one division: 1 - x/y would round twice.
    return sizes, missed / total if total else np.full(hits.size, np.nan)
