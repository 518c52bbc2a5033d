# SPDX-License-Identifier: BSD-2-Clause
"""Engines that measure a trace in parts: parts are measured separately and joined exactly."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array
from litemrc.native.engines import DEFAULT_RATE, make_engine
from litemrc.native.shards import GROUPS, check_rate, fixed_rate_curve
from litemrc.native.shards_size_part import ShardsSizePart, SmallestPages, SmallestPagesPart

Counts = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class ExactState:
    """What a part of a trace leaves to be joined, in the smallest integers that hold it.

    Joining is associative: neighbours may be joined in any grouping (Niu et al., PARDA, IPDPS 2012).

    Attributes
    ----------
    histogram
        unsigned[n + 1], the accesses by stack distance; [0] those that are the first to their page
        in this part.
    pages
        unsigned[n], the pages in the order of their first access.
    ranks
        unsigned[n], the rank of each by its last access, from 1 for the least recently used page.
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

        Raises
        ------
        UserError
            more than 2^31 distinct pages.
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

        Raises
        ------
        UserError
            as in `page_array`, or more than 2^31 distinct pages.
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


@dataclass(frozen=True, eq=False)
class ShardsState:
    """What a sampled part of a trace leaves to be joined.

    Attributes
    ----------
    rate
        share of the pages that is sampled.
    accesses
        all accesses of the part, sampled or not.
    sample
        the sampled pages.
    without
        the sampled pages without those of each group; empty: no confidence band.
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

        Raises
        ------
        UserError
            more than 2^31 sampled pages.
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

        Raises
        ------
        UserError
            no access is to a sampled page.
        """
        sample, *without = (each.histogram.astype(np.uint64) for each in (self.sample, *self.without))
        return fixed_rate_curve(self.accesses, sample, without, self.rate, page_bytes)


class ShardsPart:
    """Samples a part of a trace as `ShardsFixedRate` does.

    Parameters
    ----------
    rate, band
        as there.

    Raises
    ------
    UserError
        an impossible rate.
    """

    def __init__(self, rate: float, *, band: bool) -> None:
        check_rate(rate)
        self._rate = rate
        self._groups = GROUPS if band else 0
        self._core = _core.ShardsFixedRatePart(rate, band)

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        self._core.access(page_array(pages))

    def state(self) -> ShardsState:
        """Return the state after the accesses so far."""
        without = tuple(state_of(self._core.part_without(group)) for group in range(self._groups))
        return ShardsState(self._rate, self._core.accesses, state_of(self._core.part()), without)


class PartState(Protocol):
    """The state of a part of a trace; neighbours are joined in any grouping, with one result."""

    @property
    def accesses(self) -> int:
        """Return the number of accesses."""
        ...

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays, which are those that travel."""
        ...

    def join(self, later: Self) -> Self:
        """Return the state of this part and the one that follows it."""
        ...

    def only_counts(self) -> Self:
        """Return what a curve needs; it cannot be joined."""
        ...

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the curve of the accesses, equal to that of one engine that took all of them."""
        ...


class PartEngine(Protocol):
    """An engine that measures a part of a trace."""

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of accesses."""

    def state(self) -> PartState:
        """Return the state after the accesses so far."""
        ...


def make_first_reading(name: str, **parameters: Any) -> SmallestPagesPart | None:
    """Return what reads a part before its engine does; None: nothing needs to.

    The states of the first readings of all earlier parts, joined, are what the engine takes as `before`.

    Parameters
    ----------
    name, parameters
        as `make_engine` takes them.

    Raises
    ------
    UserError
        as `make_part_engine`.
    """
    make_part_engine(name, **parameters)  # checks them
    sample_pages = parameters.get("sample_pages")
    return None if sample_pages is None else SmallestPagesPart(sample_pages)


def make_part_engine(name: str, before: SmallestPages | None = None, **parameters: Any) -> PartEngine:
    """Return an engine for a part of a trace.

    Parameters
    ----------
    name, parameters
        as `make_engine` takes them.
    before
        as `make_first_reading` describes; None for the first part.

    Raises
    ------
    UserError
        as `make_engine`, or an engine or parameter whose parts cannot be joined.
    """
    make_engine(name, **parameters)  # checks them
    if parameters.get("by", "pages") != "pages":
        raise UserError("parts of a trace are joined by pages only", where="--by", remedy="omit it")
    if parameters.get("threads") is not None:
        raise UserError(
            "a worker measures its parts with one thread",
            where="--threads",
            remedy="omit it, and start a worker for each core",
        )
    if name == "exact":
        return ExactPart()
    if name != "shards":
        raise UserError(
            f"the parts of engine {name} cannot be joined", where="--engine", remedy="choose exact or shards"
        )
    band = parameters.get("band") is not False
    if (sample_pages := parameters.get("sample_pages")) is not None:
        return ShardsSizePart(sample_pages, band=band, before=before)
    rate = parameters.get("sample_rate")
    return ShardsPart(DEFAULT_RATE if rate is None else rate, band=band)
