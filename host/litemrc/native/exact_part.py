"""The exact stack of a part of a trace: parts are measured separately and joined exactly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

Counts = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class ExactState:
    """What a part of a trace leaves to be joined, in the smallest integers that hold it.

    Joining is associative: neighbours may be joined in any grouping (Niu et al., PARDA, IPDPS 2012).

    Attributes:
        histogram: unsigned[n + 1], the accesses by stack distance; [0] those that are the first to their page
            in this part.
        pages: unsigned[n], the pages in the order of their first access.
        ranks: unsigned[n], the rank of each by its last access, from 1 for the least recently used page.
    """

    histogram: Counts
    pages: Counts
    ranks: Counts

    @property
    def accesses(self) -> int:
        """Return the number of accesses."""
        return int(self.histogram.sum(dtype=np.uint64))

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays, which are those that travel."""
        return self.histogram.nbytes + self.pages.nbytes + self.ranks.nbytes

    def __sizeof__(self) -> int:
        """Return the bytes in memory, by which Dask decides what to spill and to send."""
        return object.__sizeof__(self) + self.nbytes

    def join(self, later: "ExactState") -> "ExactState":
        """Return the state of this part and the one that follows it.

        Raises:
            UserError: more than 2^31 distinct pages.
        """
        if not self.pages.size or not later.pages.size:
            return later if later.pages.size else self
        core = _core.ExactPart()
        try:
            core.restore(_wide(self.pages), self.ranks.astype(np.uint32, copy=False), later.pages.size)
            core.join(_wide(later.pages), later.ranks.astype(np.uint32, copy=False))
        except _core.TooManyPagesError as error:
            raise too_many_pages(error) from error
        counts = core.histogram()  # of the later part's first accesses
        counts[0] += self.histogram[0]
        counts[1 : self.histogram.size] += self.histogram[1:]
        counts[1 : later.histogram.size] += later.histogram[1:]
        ranks = narrow(core.ranks())
        return ExactState(narrow(counts), narrow(core.take_pages()), ranks)

    def only_counts(self) -> "ExactState":
        """Return what a curve needs: the histogram alone; it cannot be joined."""
        return ExactState(self.histogram, self.pages[:0], self.ranks[:0])

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss ratio at every size from 1 page to the footprint."""
        cold = int(self.histogram[0])
        sizes, ratios = points_of_hits(self.histogram[1:].astype(np.uint64, copy=False), cold, 1)
        return Curve(sizes, ratios, self.accesses, cold, page_bytes)


class ExactPart:
    """Measures a part of a trace as `ExactStack` does; 8 bytes a page more."""

    def __init__(self) -> None:
        self._core = _core.ExactPart()

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of accesses.

        Raises:
            UserError: as in `page_array`, or more than 2^31 distinct pages.
        """
        try:
            self._core.access(page_array(pages))
        except _core.TooManyPagesError as error:
            raise too_many_pages(error) from error

    def state(self) -> ExactState:
        """Return the state after the accesses so far."""
        return state_of(self._core)


def state_of(core: _core.ExactPart) -> ExactState:
    """Return the state of a part of the native core."""
    return ExactState(narrow(core.histogram()), narrow(core.pages()), narrow(core.ranks()))


def narrow(values: NDArray[np.unsignedinteger]) -> Counts:
    """Return an array in the smallest unsigned type that holds its values."""
    most = int(values.max()) if values.size else 0
    return values.astype(np.min_scalar_type(most), copy=False)


def too_many_pages(error: Exception) -> UserError:
    """Return the error for more pages than the exact engine has slots."""
    return UserError(f"the trace has {error}", remedy="choose engine shards")


def _wide(pages: Counts) -> NDArray[np.uint64]:
    return pages.astype(np.uint64, copy=False)
