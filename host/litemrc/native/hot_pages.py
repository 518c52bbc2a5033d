# SPDX-License-Identifier: BSD-2-Clause
"""The hottest pages of each epoch of a trace: by hls/hot_pages, compiled for the host, or exactly."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import PageNumbers, page_array

MOST_PAGES = int(_core.HOT_PAGES_MOST)
SETS, WAYS = int(_core.HOT_SETS), int(_core.HOT_WAYS)
SHARE_LOG2 = int(_core.HOT_SHARE_LOG2)  # a hot page has at least 1 / 2^12 of the accesses
_MOST_THRESHOLD = (1 << int(_core.HOT_COUNT_BITS)) - 1


@dataclass(frozen=True)
class HotEpoch:
    """An epoch's hot pages, largest count first.

    Attributes
    ----------
    pages, counts
        uint64[n]. Counts of the unit are lower bounds: accesses since it admitted the page.
    accesses
        counted in the epoch.
    more
        more pages were hot than are listed.
    saturated
        a count reached its limit, 2^20 - 1.
    """

    pages: NDArray[np.uint64]
    counts: NDArray[np.uint64]
    accesses: int
    more: bool
    saturated: bool


@dataclass(frozen=True)
class HotOptions:
    """What is counted, and which pages are hot.

    Attributes
    ----------
    wanted
        pages of an epoch at most, K.
    threshold
        accesses that make a page hot.
    reads, writes
        whether they are counted.
    sampling_log2
        1 access of 2^n is counted, at random.

    Raises
    ------
    UserError
        a value out of range.
    """

    wanted: int = 64
    threshold: int = 2
    reads: bool = True
    writes: bool = True
    sampling_log2: int = 0

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("the number of pages", self.wanted, 1, MOST_PAGES),
            ("the threshold", self.threshold, 1, _MOST_THRESHOLD),
            ("the binary logarithm of the sampling", self.sampling_log2, 0, 15),
        ):
            if not least <= value <= most:
                raise UserError(f"{name} must be {least} to {most} (got {value})", remedy="change it")


class HotCounter(Protocol):
    """What lists the hot pages of an epoch."""

    def access(self, pages: NDArray[np.uint64], writes: NDArray[np.bool_] | None = None) -> None:
        """Count a chunk of accesses; without `writes` all are reads."""

    def end_epoch(self) -> HotEpoch:
        """Return the epoch's hot pages, and begin the next epoch."""
        ...


class HotPages:
    """The unit of hls/hot_pages. A page gets the next free frame at its first access and keeps it.

    Parameters
    ----------
    frames
        page frames of the memory, the largest number of distinct pages; one of `compiled_frames()`.

    Raises
    ------
    UserError
        it was not compiled for n frames.
    """

    def __init__(self, frames: int, options: HotOptions) -> None:
        if frames not in compiled_frames():
            raise UserError(
                f"hot_pages was not compiled for {frames} frames",
                remedy=f"choose frames {', '.join(map(str, compiled_frames()))}",
            )
        self.frames = frames
        self._core = _core.HotEngine(
            frames, options.wanted, options.threshold, options.reads, options.writes, options.sampling_log2
        )

    def access(self, pages: NDArray[np.uint64], writes: NDArray[np.bool_] | None = None) -> None:
        """Count a chunk of accesses.

        Raises
        ------
        UserError
            as in `page_array`, or more distinct pages than frames; the engine is unusable then.
        """
        try:
            self._core.access(page_array(pages), writes)
        except _core.TooManyPagesError as error:
            larger = [frames for frames in compiled_frames() if frames > self.frames]
            raise UserError(
                f"the trace has more than {self.frames} distinct pages, the number of frames",
                remedy=f"choose {', '.join(map(str, larger))} frames" if larger else "use larger pages",
            ) from error

    def end_epoch(self) -> HotEpoch:
        """Return the epoch's hot pages, and begin the next epoch."""
        epoch = self._core.end_epoch()
        return HotEpoch(epoch.pages(), epoch.counts(), epoch.accesses, epoch.more, epoch.saturated)


class ExactHotPages:
    """The same list from a counter for each page; sampling is not applied."""

    def __init__(self, options: HotOptions) -> None:
        self._options = options
        self._numbers = PageNumbers()
        self._pages = np.empty(0, np.uint64)
        self._counts = self._finished = np.zeros(0, np.uint64)
        self._accesses = 0

    def access(self, pages: NDArray[np.uint64], writes: NDArray[np.bool_] | None = None) -> None:
        """Count a chunk of accesses."""
        options = self._options
        if writes is not None and not (options.reads and options.writes):
            pages = pages[writes] if options.writes else pages[~writes]
        elif writes is None and not options.reads:
            pages = pages[:0]
        numbers = self._numbers.number(pages)
        if len(self._numbers) > self._pages.size:
            size = max(2 * self._pages.size, len(self._numbers))
            self._pages, self._counts = np.resize(self._pages, size), _grown(self._counts, size)
        self._pages[numbers] = pages
        counts = np.bincount(numbers, minlength=self._counts.size)
        self._counts += counts.astype(np.uint64)
        self._accesses += int(pages.size)

    def end_epoch(self) -> HotEpoch:
        """Return the epoch's hot pages, and begin the next epoch."""
        floor = max(self._options.threshold, self._accesses >> SHARE_LOG2)
        hot = np.flatnonzero(self._counts >= floor)
        order = hot[np.argsort(self._counts[hot], kind="stable")[::-1]]
        listed = order[: self._options.wanted]
        epoch = HotEpoch(
            self._pages[listed], self._counts[listed], self._accesses, hot.size > listed.size, saturated=False
        )
        self._finished, self._counts = self._counts, np.zeros(self._counts.size, np.uint64)
        self._accesses = 0
        return epoch

    def counts_of(self, pages: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the accesses to pages, which were counted before, in the epoch that ended last."""
        return self._finished[self._numbers.number(pages)]


def compiled_frames() -> list[int]:
    """Return the numbers of frames for which the unit was compiled."""
    return list(_core.hot_sizes())


def recall(epoch: HotEpoch, exact: HotEpoch, counts: NDArray[np.uint64]) -> float | None:
    """Return the share of the exactly hottest pages that an epoch lists; None if no page is hot.

    A page with as many accesses as the last one of `exact` is as good as that one.

    Parameters
    ----------
    counts
        exact counts of the pages of `epoch`.
    """
    wanted = len(exact.pages)
    return float(np.count_nonzero(counts >= exact.counts[-1])) / wanted if wanted else None


def _grown(array: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    grown = np.zeros(size, np.uint64)
    grown[: array.size] = array
    return grown
