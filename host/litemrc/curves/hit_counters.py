# SPDX-License-Identifier: BSD-2-Clause
"""Hit counters of an LRU stack, and the curve they make.

Equation 1 of Zhou et al. (ASPLOS 2004, section 2.2), over groups of pages as in section 3.1:
MR(m groups) = 1 - (hit[0] + ... + hit[m-1]) / (sum(hit) + misses).
The denominator, the number of accesses, is summed afresh, not taken from the `accesses` counter: a saturated
counter (flag `overflow`) can distort a curve but never push it out of 0..1.

Refaults extend the curve beyond the memory. The hardware counts a refault as a miss, as its frame is new; an
operating system that knows its LRU stack distance makes a hit of it:
MR(m groups) = 1 - (hit[0] + refault[0] + ... + hit[m-1] + refault[m-1]) / (sum(hit) + misses).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.points import Tail, read_only
from litemrc.curves.sizes import PAGE_BYTES

_NONE = read_only(np.zeros(0, np.uint64))


@dataclass(frozen=True, eq=False)
class HitCounters:
    """Hit counters of one context over some time.

    Attributes
    ----------
    hits
        uint64[groups]; hits[g] accesses found their page in group g of the LRU stack, 0 on top.
    misses
        accesses to a page that was in no group.
    group_pages
        pages of the memory in a group.
    accesses
        accesses counted; sum(hits) + misses unless a counter saturated.
    overflow
        a counter saturated.
    refaults
        uint64[n]; refaults[g] of the misses found their page, which was evicted, in group g of the
        LRU stack. Not sampled.
    scale_log2
        hits, misses and accesses are those of 1 page of 2^scale_log2.
    """

    hits: NDArray[np.uint64]
    misses: int
    group_pages: int
    accesses: int
    overflow: bool = False
    refaults: NDArray[np.uint64] = field(default_factory=lambda: _NONE)
    scale_log2: int = 0

    @classmethod
    def of(
        cls,
        hits: ArrayLike,
        misses: int,
        group_pages: int,
        *,
        accesses: int | None = None,
        overflow: bool = False,
        refaults: ArrayLike = (),
        scale_log2: int = 0,
    ) -> "HitCounters":
        """Check hit counters [groups] and refaults [n]; without `accesses`, they are sum(hits) + misses.

        Raises
        ------
        ValueError
            no groups, an empty group, or sum(hits) + misses != accesses without an overflow.
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
        evicted = np.trim_zeros(np.asarray(refaults, dtype=np.uint64), "b")
        return cls(
            read_only(counters),
            int(misses),
            group_pages,
            int(accesses),
            bool(overflow),
            read_only(evicted),
            scale_log2,
        )

    def without_refaults(self) -> "HitCounters":
        """Return the counters of the hardware alone."""
        return replace(self, refaults=_NONE)

    @property
    def combined_hits(self) -> NDArray[np.float64]:
        """Return hits and refaults by group in sampled accesses, float64[n]; n is that of the longer one."""
        combined = np.zeros(max(self.hits.size, self.refaults.size))
        combined[: self.hits.size] = self.hits
        combined[: self.refaults.size] += self.refaults / 2.0**self.scale_log2
        return combined

    @property
    def combined_misses(self) -> float:
        """Return the misses that are no refaults, in sampled accesses.

        The sum over epochs is right. Of one epoch it may be negative, as a refault may be counted an epoch
        before its miss.
        """
        return self.misses - float(self.refaults.sum()) / 2.0**self.scale_log2

    def curve(
        self,
        page_bytes: int = PAGE_BYTES,
        *,
        name: str = "",
        aliases: Sequence[str] = (),
        dropped: int = 0,
        tail: Tail | None = None,
    ) -> Curve:
        """Return the curve at one group, two groups ... all groups; the parameters are attributes of it.

        With refaults there are sizes beyond the memory, up to the group of the deepest one.
        """
        if self.refaults.size:
            missed = self.combined_misses + np.append(0, np.cumsum(self.combined_hits[::-1]))[::-1]
            sizes = np.arange(1, missed.size, dtype=np.int64) * self.group_pages
            total = missed[0]
            ratios = np.maximum(missed[1:], 0) / total if total else np.full(sizes.size, np.nan)
        else:
            sizes, ratios = points_of_hits(self.hits.copy(), self.misses, self.group_pages)
        return Curve(
            sizes,
            ratios,
            self.accesses,
            max(round(self.combined_misses), 0),
            page_bytes,
            name,
            tuple(aliases),
            self.group_pages,
            dropped=dropped,
            overflow=self.overflow,
            tail=tail,
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


def sees_the_kernel(engine: str) -> bool:
    """Return whether an engine counts the kernel's reads: all but the operating system's own tracker."""
    return engine != "os"


def without_evictions(
    hits: NDArray[np.unsignedinteger], evictions: NDArray[np.float64]
) -> NDArray[np.unsignedinteger]:
    """Return hit counters in which the first access of each eviction counts as its other accesses do.

    A page is evicted when nobody has used it for long. Reading it is a hit where it lies, deep in the
    memory, and the page is then on top, where the rest of it is read: hits of the first group. So a
    program whose pages are evicted seems to need all the memory that it has. Here the deepest hits, one
    for each eviction, are hits of the first group, too.

    Parameters
    ----------
    hits
        [n, groups], of n epochs.
    evictions
        [n], pages in each epoch; if sampled, of those sampled.
    """
    if not evictions.any():
        return hits
    hits = hits.astype(np.uint64)
    deeper = np.cumsum(hits[:, ::-1], axis=1, dtype=np.uint64)[:, ::-1] - hits
    left = np.rint(evictions).astype(np.int64)[:, None] - deeper.astype(np.int64)
    moved = np.minimum(hits, np.maximum(left, 0).astype(np.uint64))
    moved[:, 0] = 0
    corrected: NDArray[np.uint64] = hits - moved
    corrected[:, 0] += moved.sum(axis=1, dtype=np.uint64)
    return corrected
