# SPDX-License-Identifier: BSD-2-Clause
"""Hit counts of a process by epochs of its own references, from any engine of `litemrc.native`.

A process's curve depends only on its own references, not on their times. So the counts of many epochs are
computed in advance, and the machine uses each at the end of its epoch.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from litemrc.errors import UserError
from litemrc.native.engines import Engine, make_engine
from litemrc.native.exact_stack import ExactStack
from litemrc.native.os_tracker import OsTracker
from numpy.typing import NDArray

from litemrc_studies.zhou2004.machine.scenario import Mrc

Counts = NDArray[np.float64]
Ticks = NDArray[np.uint64]


class EpochCounts(Protocol):
    """Counts the epochs of a process.

    Attributes
    ----------
    ticks
        uint64[n], CPU time that tracking took at each reference of the last `take`; empty: none.
    """

    ticks: Ticks

    def take(self, pages: NDArray[np.uint64]) -> Counts:
        """Process these references.

        Returns
        -------
        float64[epochs, groups + 1]: for each epoch that ends in them, the hits in each group of pages,
        then the misses.
        """
        ...

    def release(self) -> None:
        """Free all pages of the process; the next reference to any is a miss."""


def make_counts(mrc: Mrc, groups: int, tracker: OsTracker | None = None) -> EpochCounts:
    """Return the counts by the engine of `mrc`, or by a tracker.

    Raises
    ------
    UserError
        an unknown engine, or parameters that it refuses.
    """
    if tracker is not None:
        return _TrackerCounts(tracker, mrc.epoch, groups)
    if mrc.engine == "exact":
        return _ExactCounts(mrc.epoch, mrc.group_pages, groups)

    def make() -> Engine:
        return make_engine(
            mrc.engine,
            frames=mrc.engine_frames,
            groups=mrc.engine_groups,
            sample_rate=mrc.engine_rate,
            band=False if mrc.engine == "shards" else None,
        )

    return _EngineCounts(make, mrc.epoch, mrc.group_pages, groups)


_NO_TICKS = np.empty(0, np.uint64)


class _ExactCounts:
    """Counts by the stack distance of each reference."""

    ticks = _NO_TICKS

    def __init__(self, epoch: int, group_pages: int, groups: int) -> None:
        self._epoch, self._group_pages, self._groups = epoch, group_pages, groups
        self._stack = ExactStack()
        self._begun = np.zeros(groups + 1)  # counts of the running epoch
        self._done = 0  # references of the running epoch

    def take(self, pages: NDArray[np.uint64]) -> Counts:
        columns = self._groups + 1
        # A first reference, distance 0, wraps to the largest position.
        positions = self._stack.distances(pages) - np.uint32(1)
        group = np.minimum(positions // np.uint32(self._group_pages), np.uint32(self._groups))
        epochs = (self._done + pages.size) // self._epoch
        row = (np.arange(self._done, self._done + pages.size) // self._epoch) * columns
        counts = np.bincount(row + group, minlength=(epochs + 1) * columns).astype(np.float64)
        counts = counts.reshape(epochs + 1, columns)
        counts[0] += self._begun
        self._begun = counts[epochs].copy()
        self._done = (self._done + pages.size) % self._epoch
        return np.ascontiguousarray(counts[:epochs])

    def release(self) -> None:
        self._stack = ExactStack()


class _EngineCounts:
    """Counts by the change of an engine's cumulative curve from epoch to epoch."""

    ticks = _NO_TICKS

    def __init__(self, make: Callable[[], Engine], epoch: int, group_pages: int, groups: int) -> None:
        self._make, self._epoch, self._groups = make, epoch, groups
        self._sizes = np.arange(1, groups + 1) * group_pages
        self._done = 0
        self._begun = np.zeros(groups)
        self.release(first=True)

    def take(self, pages: NDArray[np.uint64]) -> Counts:
        rows = []
        start = 0
        while start < pages.size:
            stop = min(pages.size, start + self._epoch - self._done)
            self._engine.access(pages[start:stop])
            self._accesses += stop - start
            self._done += stop - start
            start = stop
            if self._done == self._epoch:
                hits = self._hits() + self._begun
                rows.append(np.append(hits, max(self._epoch - hits.sum(), 0.0)))
                self._done = 0
                self._begun[:] = 0
        return np.array(rows).reshape(len(rows), self._groups + 1)

    def release(self, *, first: bool = False) -> None:
        if not first and self._done:
            self._begun += self._hits()
        self._engine = self._make()
        self._accesses = 0
        self._below = np.zeros(self._groups)  # hits at each size at the last call

    def _hits(self) -> Counts:
        """Return the hits of each group since the last call."""
        below = self._cumulative()
        hits = np.diff(below - self._below, prepend=0.0)
        self._below = below
        return np.maximum(hits, 0.0)

    def _cumulative(self) -> Counts:
        if not self._accesses:  # no curve yet
            return np.zeros(self._groups)
        try:
            curve = self._engine.curve()
        except UserError:  # the sample is empty so far
            return np.zeros(self._groups)
        at = np.searchsorted(curve.sizes_pages, self._sizes, side="right") - 1
        ratio = np.where(at < 0, 1.0, curve.miss_ratio[at])
        return (1.0 - ratio) * self._accesses


class _TrackerCounts:
    """Counts by the tracker without hardware, whose time is charged.

    Hits are of the epoch in which a fault or a scan counts them; an epoch without either has none.
    """

    def __init__(self, tracker: OsTracker, epoch: int, groups: int) -> None:
        self._tracker, self._epoch, self._groups = tracker, epoch, groups
        self.ticks = _NO_TICKS
        self._done = 0  # references of the running epoch
        self._counted = np.zeros(groups + 1)

    def take(self, pages: NDArray[np.uint64]) -> Counts:
        rows, ticks = [], []
        for part in np.split(pages, np.arange(self._epoch - self._done, pages.size, self._epoch)):
            ticks.append(self._tracker.access_ticks(part))
            self._done += part.size
            if self._done == self._epoch:
                rows.append(self._count())
                self._done = 0
        self.ticks = np.concatenate(ticks)
        return np.array(rows).reshape(len(rows), self._groups + 1)

    def release(self) -> None:
        self._tracker.release()

    def _count(self) -> Counts:
        """Return the counts since the last call."""
        hits = self._tracker.hits
        counted = np.zeros(self._groups + 1)
        counted[: hits.size] = hits
        counted[-1] = self._tracker.misses
        counts = counted - self._counted
        self._counted = counted
        return counts
