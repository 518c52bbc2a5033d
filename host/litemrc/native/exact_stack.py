# SPDX-License-Identifier: BSD-2-Clause
"""Exact LRU stack distances: the miss ratio of every memory size in one pass over a trace."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

MOST_THREADS = 1024


class ExactStack:
    """Mattson's LRU stack (Mattson et al., IBM Systems Journal 1970), equal to `golden.monitor.lru_stack`.

    Memory depends on the number of distinct pages, not on the number of accesses.

    Parameters
    ----------
    threads
        number of threads. With more than one, accesses are collected in windows of at least 4 Mi
        accesses, whose parts are processed in parallel; the result is the same. Threads pay off if a
        window is several times longer than its number of distinct pages.

    Raises
    ------
    UserError
        less than one thread, more than `MOST_THREADS`, or more than the system starts.
    """

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise UserError(f"threads must be at least 1 (got {threads})", remedy="give at least 1")
        self._threads = threads
        if threads > MOST_THREADS:
            raise UserError(
                f"threads must be at most {MOST_THREADS:,} (got {threads:,})",
                remedy="give about as many as the machine has processors",
            )
        try:
            self._core = _core.ExactStack() if threads == 1 else _core.ParallelStack(threads)
        except RuntimeError as error:  # std::system_error: the limit of processes
            raise _no_threads(threads, error) from error

    @property
    def _stack(self) -> _core.ExactStack:
        core = self._core
        try:
            return core.finished() if isinstance(core, _core.ParallelStack) else core
        except RuntimeError as error:
            raise _no_threads(self._threads, error) from error

    @property
    def accesses(self) -> int:
        """Return the number of accesses so far."""
        return self._stack.accesses

    @property
    def footprint_pages(self) -> int:
        """Return the number of distinct pages so far."""
        return self._stack.footprint

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses; chunk borders do not affect the result.

        Raises
        ------
        UserError
            as in `page_array`, or more than 2^31 distinct pages.
        """
        try:
            self._core.access(page_array(pages))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="choose engine shards") from error
        except RuntimeError as error:
            raise _no_threads(self._threads, error) from error

    def distances(self, pages: ArrayLike) -> NDArray[np.uint32]:
        """Process a chunk of accesses and return their stack distances as in `histogram`.

        Raises
        ------
        UserError
            as in `access`, or more than one thread.
        """
        if not isinstance(self._core, _core.ExactStack):
            raise UserError("distances need a single thread", remedy="use threads=1")
        try:
            return self._core.distances(page_array(pages))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="choose engine shards") from error

    def histogram(self) -> NDArray[np.uint64]:
        """Return the accesses by stack distance, uint64[footprint + 1].

        [0] counts first accesses to a page (infinite distance), [d] accesses whose page was at LRU position
        d, where the most recently used page has position 1.
        """
        return self._stack.histogram()

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss ratio at every size from 1 page to the footprint."""
        histogram = self.histogram()
        cold = int(histogram[0])
        accesses = int(histogram.sum())
        sizes, ratios = points_of_hits(histogram[1:], cold, 1)
        return Curve(sizes, ratios, accesses, cold, page_bytes)


def _no_threads(threads: int, error: RuntimeError) -> UserError:
    return UserError(f"{threads:,} threads cannot be started: {error}", remedy="give fewer threads")
