# SPDX-License-Identifier: BSD-2-Clause
"""SHARDS of a fixed size for a part of a trace: the part is read twice, and joined exactly.

The sampling rate at an access depends on the set of pages seen before, of all parts (see
`stacks/shards_size_part.hpp`). The first reading keeps the pages with the smallest hashes; those of all
earlier parts are what the second reading begins with. The counts are then those of one engine; sums of
weights, which are floating-point numbers, differ from its in their rounding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.native import _core
from litemrc.native.arrays import page_array
from litemrc.native.shards import Counts, check_sample_pages, sampled_curve

_ALL = (1 << 64) - 1  # threshold of rate 1


@dataclass(frozen=True, eq=False)
class SmallestPages:
    """The pages with the smallest hashes of those seen, at most `most_pages`, and the sampling threshold."""

    most_pages: int
    pages: NDArray[np.uint64]
    threshold: int = _ALL

    @classmethod
    def none(cls, most_pages: int) -> "SmallestPages":
        """Return those before the first access."""
        return cls(most_pages, np.empty(0, np.uint64))

    def join(self, other: "SmallestPages") -> "SmallestPages":
        """Return those of both; the order does not matter."""
        core = _core.SmallestHashes(self.most_pages)
        for each in (self, other):
            core.join(each.pages, each.threshold)
        return SmallestPages(self.most_pages, core.pages(), core.threshold)


class SmallestPagesPart:
    """Finds the pages with the smallest hashes of a part."""

    def __init__(self, most_pages: int) -> None:
        check_sample_pages(most_pages)
        self._most_pages = most_pages
        self._core = _core.SmallestHashes(most_pages)

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        self._core.access(page_array(pages))

    def state(self) -> SmallestPages:
        """Return those of the accesses so far."""
        return SmallestPages(self._most_pages, self._core.pages(), self._core.threshold)


@dataclass(frozen=True, eq=False)
class ShardsSizeState:
    """What a sampled part of a trace leaves to be joined.

    Attributes
    ----------
    most_pages
        the sample's size.
    accesses
        all accesses of the part, sampled or not.
    threshold
        of the hashes, at the end of the part.
    firsts, thresholds
        uint64[n], pages by first sampled access in the part, and the threshold at it.
    order
        uint64[m], the pages still followed, by last access, the least recently used first.
    weights
        estimated accesses by class of their distance: of the sample, and of it without each group.
    cold
        float64[len(weights)], estimated first accesses of the whole trace.
    """

    most_pages: int
    accesses: int
    threshold: int
    firsts: NDArray[np.uint64]
    thresholds: NDArray[np.uint64]
    order: NDArray[np.uint64]
    weights: tuple[NDArray[np.float64], ...]
    cold: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays, which are those that travel."""
        arrays = (self.firsts, self.thresholds, self.order, self.cold, *self.weights)
        return sum(array.nbytes for array in arrays)

    def __sizeof__(self) -> int:
        """Return the bytes in memory, by which Dask decides what to spill and to send."""
        return object.__sizeof__(self) + self.nbytes

    def join(self, later: "ShardsSizeState") -> "ShardsSizeState":
        """Return the state of this part and the one that follows it."""
        core = _core.ShardsSizePart(self.most_pages, len(self.weights) > 1)
        core.restore(self.order)
        core.join(later.firsts, later.thresholds, min(self.threshold, later.threshold))
        crossing = _weights(core)
        order = core.order()  # of the pages that are followed at the later part's end, accessed there or not
        kept = order[~np.isin(order, later.order)]
        return ShardsSizeState(
            self.most_pages,
            self.accesses + later.accesses,
            min(self.threshold, later.threshold),
            np.concatenate([self.firsts, core.firsts()]),
            np.concatenate([self.thresholds, core.thresholds()]),
            np.concatenate([kept, later.order]),
            tuple(_sum(each) for each in zip(self.weights, later.weights, crossing, strict=True)),
            self.cold + later.cold,
        )

    def only_counts(self) -> "ShardsSizeState":
        """Return what a curve needs; it cannot be joined."""
        none = np.empty(0, np.uint64)
        return ShardsSizeState(
            self.most_pages, self.accesses, self.threshold, none, none, none, self.weights, self.cold
        )

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio as `ShardsFixedSize.curve` does."""
        sample, *without = (_counts(each, cold) for each, cold in zip(self.weights, self.cold, strict=True))
        return sampled_curve(self.accesses, sample, without, 1 - self.threshold / 2**64, page_bytes)


class ShardsSizePart:
    """Samples a part of a trace as `ShardsFixedSize` does.

    Parameters
    ----------
    most_pages, band
        as there.
    before
        of all earlier parts; None: this is the first.

    Raises
    ------
    UserError
        an impossible number of pages.
    """

    def __init__(self, most_pages: int, *, band: bool, before: SmallestPages | None = None) -> None:
        check_sample_pages(most_pages)
        self._most_pages = most_pages
        self._core = _core.ShardsSizePart(most_pages, band)
        if before is not None:
            self._core.begin(before.pages, before.threshold)

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        self._core.access(page_array(pages))

    def state(self) -> ShardsSizeState:
        """Return the state after the accesses so far."""
        core = self._core
        cold = np.array([core.cold_weight(sample) for sample in range(core.samples())])
        return ShardsSizeState(
            self._most_pages,
            core.accesses,
            core.threshold,
            core.firsts(),
            core.thresholds(),
            core.order(),
            _weights(core),
            cold,
        )


def _weights(core: _core.ShardsSizePart) -> tuple[NDArray[np.float64], ...]:
    return tuple(core.weights(sample) for sample in range(core.samples()))


def _sum(arrays: tuple[NDArray[np.float64], ...]) -> NDArray[np.float64]:
    total = np.zeros(max(array.size for array in arrays))
    for array in arrays:
        total[: array.size] += array
    return total


def _counts(weights: NDArray[np.float64], cold: float) -> Counts:
    return _core.class_distances(weights.size)[1:].astype(np.int64), weights[1:], float(cold)
