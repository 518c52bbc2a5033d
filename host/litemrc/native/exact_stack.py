"""Exact LRU stack distances: the miss ratio of every memory size from one pass over a trace."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array


class ExactStack:
    """Mattson's LRU stack (Mattson et al., IBM Systems Journal 1970), equal to `golden.monitor.lru_stack`.

    Memory depends on the number of distinct pages, not on the number of accesses.

    Parameters:
        threads: cores to use. With more than one, accesses are gathered in windows, 4 Mi accesses if the
            chunks are smaller, whose parts are worked on at once; the result is the same. It pays where a
            window is several times longer than the number of distinct pages in it.

    Raises:
        UserError: less than one thread.
    """

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise UserError(f"{threads} threads cannot do any work", remedy="at least 1")
        self._core = _core.ExactStack() if threads == 1 else _core.ParallelStack(threads)

    @property
    def _stack(self) -> _core.ExactStack:
        core = self._core
        return core.finished() if isinstance(core, _core.ParallelStack) else core

    @property
    def accesses(self) -> int:
        """Accesses so far."""
        return self._stack.accesses

    @property
    def footprint_pages(self) -> int:
        """Distinct pages so far."""
        return self._stack.footprint

    def access(self, pages: ArrayLike) -> None:
        """Take a chunk of accesses; how a trace is cut into chunks changes nothing.

        Raises:
            UserError: as `page_array`; or more than 2^31 distinct pages.
        """
        try:
            self._core.access(page_array(pages))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="choose engine shards") from error

    def distances(self, pages: ArrayLike) -> NDArray[np.uint32]:
        """Take a chunk of accesses; their stack distances, as `histogram` counts them.

        Raises:
            UserError: as `access`; or more than one thread.
        """
        if not isinstance(self._core, _core.ExactStack):
            raise UserError("several threads do not tell distances in order", remedy="choose one thread")
        try:
            return self._core.distances(page_array(pages))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="choose engine shards") from error

    def histogram(self) -> NDArray[np.uint64]:
        """Accesses by stack distance, uint64[footprint + 1].

        [0] counts first accesses to a page (distance infinite), [d] those whose page was at LRU position d,
        the most recently used page being at 1.
        """
        return self._stack.histogram()

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """The miss ratio at every size from 1 page to the footprint."""
        histogram = self.histogram()
        cold = int(histogram[0])
        accesses = int(histogram.sum())
        sizes, ratios = points_of_hits(histogram[1:], cold, 1)
        return Curve(sizes, ratios, accesses, cold, page_bytes)
