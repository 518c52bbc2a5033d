"""Exact LRU stack distances: the miss ratio of every memory size from one pass over a trace."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.native._core import ExactStack as _ExactStack
from litemrc.native.arrays import page_array
from litemrc.native.miss_ratios import MissRatios


class ExactStack:
    """Mattson's LRU stack (Mattson et al., IBM Systems Journal 1970), equal to `litemrc.golden.lru_stack`.

    Memory depends on the number of distinct pages, not on the number of accesses.
    """

    def __init__(self) -> None:
        self._core = _ExactStack()

    @property
    def accesses(self) -> int:
        """Accesses so far."""
        return self._core.accesses

    @property
    def footprint_pages(self) -> int:
        """Distinct pages so far."""
        return self._core.footprint

    def access(self, pages: ArrayLike) -> None:
        """Take a chunk of accesses; how a trace is cut into chunks changes nothing.

        Raises:
            UserError: as `page_array`.
        """
        self._core.access(page_array(pages))

    def histogram(self) -> NDArray[np.uint64]:
        """Accesses by stack distance, uint64[footprint + 1].

        [0] counts first accesses to a page (distance infinite), [d] those whose page was at LRU position d,
        the most recently used page being at 1.
        """
        return self._core.histogram()

    def curve(self) -> MissRatios:
        """The miss ratio at every size from 1 page to the footprint."""
        histogram = self.histogram()
        return MissRatios.of_hits(histogram[1:], int(histogram[0]), resolution_pages=1)
