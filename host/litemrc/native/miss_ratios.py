"""What every engine answers: miss ratios at memory sizes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError


@dataclass(frozen=True, eq=False)
class MissRatios:
    """A miss ratio curve of a trace under LRU replacement.

    Attributes:
        accesses: references in the trace.
        cold_misses: first accesses to a page, which no memory avoids; an estimate if the engine samples.
        sizes_pages: int64[sizes], memory sizes in pages, rising.
        miss_ratio: float64[sizes], accesses that miss in a memory of that size, as a share of all.
        resolution_pages: pages between two sizes the engine can tell apart.
    """

    accesses: int
    cold_misses: int
    sizes_pages: NDArray[np.int64]
    miss_ratio: NDArray[np.float64]
    resolution_pages: int = 1

    @classmethod
    def of_hits(cls, hits: NDArray[np.uint64], cold_misses: int, resolution_pages: int) -> "MissRatios":
        """The curve of hit counters.

        Parameters:
            hits: hits[i] accesses found their page at the LRU positions of the i-th `resolution_pages` pages,
                0 on top; overwritten, since a footprint can be a large part of the memory.
            cold_misses: accesses that found it nowhere.
        """
        accesses = int(hits.sum()) + int(cold_misses)
        misses = np.cumsum(hits, out=hits)
        np.subtract(np.uint64(accesses), misses, out=misses)
        sizes = np.arange(1, hits.size + 1, dtype=np.int64)
        sizes *= resolution_pages
        # Integers up to the one division: 1 - x/y would round twice.
        return cls(accesses, int(cold_misses), sizes, misses / max(accesses, 1), resolution_pages)

    def at(self, sizes_pages: Sequence[int]) -> "MissRatios":
        """The curve at these sizes only, in their order; beyond the last size it goes on as there.

        Raises:
            UserError: a size below 1 page, or one that the engine cannot tell from its neighbours.
        """
        sizes = np.asarray(sizes_pages, np.int64)
        for size in sizes.tolist():
            if size < 1 or size % self.resolution_pages:
                raise UserError(
                    f"no miss ratio at {size} pages",
                    remedy=f"this engine tells apart multiples of {self.resolution_pages} pages",
                )
        at = np.searchsorted(self.sizes_pages, sizes, side="right") - 1
        ratios = np.where(at < 0, 1.0, self.miss_ratio[at]) if self.miss_ratio.size else np.ones(sizes.size)
        return MissRatios(self.accesses, self.cold_misses, sizes, ratios, self.resolution_pages)

    def from_size(self, pages: int) -> "MissRatios":
        """The curve without the sizes below `pages`."""
        first = int(np.searchsorted(self.sizes_pages, pages))
        return replace(self, sizes_pages=self.sizes_pages[first:], miss_ratio=self.miss_ratio[first:])
