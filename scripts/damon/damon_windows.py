# SPDX-License-Identifier: BSD-2-Clause
"""What each observer says of each page of the workload in each window of time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from litemrc.native.hot_pages import HotOptions, HotPages
from litemrc.traces.formats.recorders.damon_records import Snapshot
from numpy.typing import NDArray

from scripts.damon.damon_recorded import Recorded

PAGE_BYTES = 4096
UNIT_FRAMES = 65536  # of the compiled hot_pages
BITMAPS = 10  # of a window: the page bitmap is read so many times
MOST_DRIFT = 0.01  # between the instructions that the plugin counts and the guest's clock


class ClockError(Exception):
    """The times of guest and recorder do not fit."""


def mark_times(recorded: Recorded) -> NDArray[np.int64]:
    """Return the number of the instruction at which the recorder saw each mark: int64[marks].

    A mark is a read of a line that is in no cache, so it is a DRAM access. The frames are read before, when
    they are zeroed, and after, by other processes; but not in the order of the marks.

    Raises
    ------
    ClockError
        the reads are of other pages than the marks, or the clocks run at other rates.
    """
    log = recorded.log
    marked = np.zeros(1 + int(max(recorded.frames.max(), log.mark_frames.max())), np.bool_)
    marked[log.mark_frames] = True
    reads = np.flatnonzero(marked[recorded.frames] & ~recorded.writes)
    number = log.mark_frames.size
    runs = (reads[first : first + number] for first in range(reads.size - number, -1, -1))
    seen = next((run for run in runs if np.array_equal(recorded.frames[run], log.mark_frames)), None)
    if seen is None:
        raise ClockError("the recorder saw no reads of the pages that the guest marked, in their order")
    times = recorded.times[seen]
    passed_ns = (times[-1] - times[0]) << recorded.setting.ns_log2
    drift = abs(passed_ns / (log.mark_ns[-1] - log.mark_ns[0]) - 1)
    if drift > MOST_DRIFT:
        raise ClockError(f"{passed_ns} ns by instructions differ by {drift:.2%} from the guest's clock")
    return times


@dataclass(frozen=True, eq=False)
class Windows:
    """A run, cut into windows: those of DAMON's aggregation, without the first ones.

    Attributes
    ----------
    borders_ns
        int64[windows + 1] of the guest's clock.
    snapshots
        of each window.
    """

    recorded: Recorded
    borders_ns: NDArray[np.int64]
    snapshots: Sequence[Snapshot]
    _mark_times: NDArray[np.int64]

    @classmethod
    def of(cls, recorded: Recorded, warm_up_ns: int) -> "Windows":
        """Return the windows from `warm_up_ns` after the first mark to the last one."""
        begin, end = recorded.log.mark_ns[0] + warm_up_ns, recorded.log.mark_ns[-1]
        kept = [each for each in recorded.snapshots if begin <= each.end_ns <= end]
        borders = np.array([each.end_ns for each in kept], np.int64)
        return cls(recorded, borders, kept[1:], mark_times(recorded))

    @property
    def ends_ns(self) -> NDArray[np.int64]:
        return self.borders_ns[1:]

    def references(self) -> NDArray[np.int64]:
        """Return the loads and stores of the processor to each page: int64[windows, pages]."""
        each = self.recorded
        return self._table(each.counted_times, each.counted_frames, self.borders_ns, each.counted)

    def dram_accesses(self) -> NDArray[np.int64]:
        """Return the accesses to each page behind the caches, write-backs too: int64[windows, pages]."""
        return self._table(self.recorded.times, self.recorded.frames, self.borders_ns)

    def damon(self) -> NDArray[np.int64]:
        """Return nr_accesses of the region that each page is in, 0 without one: int64[windows, pages]."""
        log = self.recorded.log
        virtual = log.first + np.arange(log.frames.size, dtype=np.int64) * PAGE_BYTES
        addresses = log.frames * PAGE_BYTES if self.recorded.setting.physical else virtual
        return np.array([region_ranks(each, addresses) for each in self.snapshots])

    def bitmaps(self) -> NDArray[np.int64]:
        """Return in how many of `BITMAPS` parts of a window each page is accessed: int64[windows, pages]."""
        parts = np.linspace(0, 1, BITMAPS, endpoint=False)
        begins = self.borders_ns[:-1, None] + parts * np.diff(self.borders_ns)[:, None]
        borders = np.append(begins.ravel(), self.borders_ns[-1]).astype(np.int64)
        accessed = self._table(self.recorded.times, self.recorded.frames, borders) > 0
        return accessed.reshape(len(self.snapshots), BITMAPS, -1).sum(axis=1)

    def hot_pages(self, wanted: int) -> NDArray[np.int64]:
        """Return the counts that hls/hot_pages lists: int64[windows, pages].

        It sees the accesses of the whole machine; pages of others take places in its list.
        """
        unit = HotPages(UNIT_FRAMES, HotOptions(wanted))
        rows = []
        for part in self._parts():
            unit.access(self.recorded.frames[part].astype(np.uint64), self.recorded.writes[part])
            epoch = unit.end_epoch()
            numbers = self._numbers(epoch.pages.astype(np.int64))
            row = np.zeros(self.recorded.log.frames.size, np.int64)
            row[numbers[numbers >= 0]] = epoch.counts[numbers >= 0]
            rows.append(row)
        return np.array(rows)

    def _parts(self) -> Iterator[slice]:
        ends = np.searchsorted(self.recorded.times, self._instructions(self.borders_ns), side="right")
        return (slice(begin, end) for begin, end in pairwise(ends))

    def _instructions(self, ns: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.interp(ns, self.recorded.log.mark_ns, self._mark_times)

    def _numbers(self, frames: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the numbers of pages in the workload; -1: other pages."""
        log = self.recorded.log
        numbers = np.full(1 + int(max(log.frames.max(), frames.max(initial=0))), -1, np.int64)
        numbers[log.frames] = np.arange(log.frames.size)
        return numbers[frames]

    def _table(
        self,
        times: NDArray[np.int64],
        frames: NDArray[np.uint32],
        borders_ns: NDArray[np.int64],
        weights: NDArray[np.integer] | None = None,
    ) -> NDArray[np.int64]:
        """Return sums by window and page; a window includes its last border, not its first one."""
        numbers = self._numbers(frames)
        windows = np.searchsorted(self._instructions(borders_ns), times, side="left") - 1
        rows, pages = borders_ns.size - 1, self.recorded.log.frames.size
        kept = (numbers >= 0) & (windows >= 0) & (windows < rows)
        cells = windows[kept] * pages + numbers[kept]
        sums = np.bincount(cells, None if weights is None else weights[kept], rows * pages)
        return sums.astype(np.int64).reshape(rows, pages)


def region_ranks(snapshot: Snapshot, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return nr_accesses of the region that each page is in, 0 without one: int64[pages].

    Parameters
    ----------
    addresses
        int64[pages], first byte of each page.
    """
    starts, ends = snapshot.starts.astype(np.int64), snapshot.ends.astype(np.int64)
    region = np.searchsorted(starts, addresses, side="right") - 1
    inside = (region >= 0) & (addresses < ends[region])
    return np.where(inside, snapshot.accesses[region], 0)
