"""SHARDS at a fixed rate for a part of a trace: exact states among the sampled pages, joined exactly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.native import _core
from litemrc.native.arrays import page_array
from litemrc.native.exact_part import ExactState, state_of
from litemrc.native.shards import GROUPS, check_rate, fixed_rate_curve


@dataclass(frozen=True, eq=False)
class ShardsState:
    """What a sampled part of a trace leaves to be joined.

    Attributes:
        rate: share of the pages that is sampled.
        accesses: all accesses of the part, sampled or not.
        sample: the sampled pages.
        without: the sampled pages without those of each group; empty: no confidence band.
    """

    rate: float
    accesses: int
    sample: ExactState
    without: tuple[ExactState, ...]

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays, which are those that travel."""
        return self.sample.nbytes + sum(each.nbytes for each in self.without)

    def __sizeof__(self) -> int:
        """Return the bytes in memory, by which Dask decides what to spill and to send."""
        return object.__sizeof__(self) + self.nbytes

    def join(self, later: "ShardsState") -> "ShardsState":
        """Return the state of this part and the one that follows it.

        Raises:
            UserError: more than 2^31 sampled pages.
        """
        pairs = zip(self.without, later.without, strict=True)
        return ShardsState(
            self.rate,
            self.accesses + later.accesses,
            self.sample.join(later.sample),
            tuple(one.join(other) for one, other in pairs),
        )

    def only_counts(self) -> "ShardsState":
        """Return what a curve needs: the histograms alone; it cannot be joined."""
        others = tuple(each.only_counts() for each in self.without)
        return ShardsState(self.rate, self.accesses, self.sample.only_counts(), others)

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio as `ShardsFixedRate.curve` does.

        Raises:
            UserError: no access is to a sampled page.
        """
        sample, *without = (each.histogram.astype(np.uint64) for each in (self.sample, *self.without))
        return fixed_rate_curve(self.accesses, sample, without, self.rate, page_bytes)


class ShardsPart:
    """Samples a part of a trace as `ShardsFixedRate` does.

    Parameters:
        rate, band: as there.

    Raises:
        UserError: an impossible rate.
    """

    def __init__(self, rate: float, *, band: bool) -> None:
        check_rate(rate)
        self._rate = rate
        self._groups = GROUPS if band else 0
        self._core = _core.ShardsFixedRatePart(rate, self._groups)

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises:
            UserError: as in `page_array`.
        """
        self._core.access(page_array(pages))

    def state(self) -> ShardsState:
        """Return the state after the accesses so far."""
        without = tuple(state_of(self._core.part_without(group)) for group in range(self._groups))
        return ShardsState(self._rate, self._core.accesses, state_of(self._core.part()), without)
