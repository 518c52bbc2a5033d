# SPDX-License-Identifier: BSD-2-Clause
"""IN/OUT traces (Glass and Cao 1997, section 2.1): compact, and exact for LRU from a minimum memory on.

Conversion of records to references: every record is a reference at its time. A page in use through a whole
interval is referenced once at the beginning of that interval, because the trace guarantees a reference in it
but has no time. So LRU stack positions at an IN record are those of the paper's simulation: pages in use
(ACTIVE) on top, the others (IDLE) below in the order of their OUT.

The *misses* of LRU are exact in any memory of at least `minimum_pages`. The number of references is not: hits
inside intervals are not recorded, so a miss *ratio* has fewer references in its denominator than the program.
In smaller memories the oldest page may be unknown. The paper's condition is that the victim is IDLE and went
OUT two intervals before the current one or before the IN of every ACTIVE page. `Trace.check_memory` refuses
smaller sizes.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.interval_records import RecordReader
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import TraceWriter, WriteOptions


class IntervalTrace(SourceTrace):
    """Reads IN/OUT records as references; `minimum_pages` is valid after the last chunk."""

    format = "intervals"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source)
        self._records = RecordReader(source)
        self.stored_page_bytes = self._records.page_bytes
        self._active: dict[int, int] = {}  # ACTIVE pages and the times of their IN, oldest first
        self._recent: list[int] = []  # times of OUTs in this and the previous interval
        self._last_out: dict[int, int] = {}
        self._current = 0

    def __iter__(self) -> Iterator[Chunk]:
        pages: list[int] = []
        times: list[int] = []
        for records in self._records:
            interval = self.interval = self._records.interval
            for time, is_in, page, line in zip(*(column.tolist() for column in records), strict=True):
                if ahead := time // interval - self._current:
                    self._state(ahead * len(self._active), f"{self.name}, line {line}")
                while self._current < time // interval:
                    self._current += 1
                    if not self._active:
                        self._current = time // interval
                    del self._recent[: bisect_left(self._recent, (self._current - 1) * interval)]
                    pages.extend(self._active)
                    times.extend([self._current * interval] * len(self._active))
                    if len(pages) >= CHUNK_REFERENCES:
                        yield _chunk(pages, times)
                        pages, times = [], []
                (self._come_in if is_in else self._go_out)(time, page, line)
                pages.append(page)
                times.append(time)
            yield _chunk(pages, times)
            pages, times = [], []
        if self._active:
            raise UserError(
                f"{len(self._active)} pages never went OUT",
                where=f"{self.name}, at its end",
                remedy="the file is truncated: download or record it again",
            )
        self.notes.append(
            f"misses are exact from {self.minimum_pages} pages on; hits inside intervals of"
            f" {self._records.interval} are not recorded"
        )

    def _come_in(self, time: int, page: int, line: int) -> None:
        interval = self._records.interval
        if page in self._active:
            self._refuse(f"page {page} comes IN while it is IN", line)
        out = self._last_out.pop(page, None)
        if out is not None and time // interval - out // interval < 2:
            self._refuse(f"page {page} was OUT for less than a whole interval", line)
        # IDLE pages that LRU may not evict now: neither OUT for two intervals, nor older than all ACTIVE
        # pages.
        oldest_in = next(iter(self._active.values()), time)
        unsafe = len(self._recent) - bisect_left(self._recent, oldest_in)
        self.minimum_pages = max(self.minimum_pages, len(self._active) + unsafe + 1)
        self._active[page] = time

    def _go_out(self, time: int, page: int, line: int) -> None:
        if self._active.pop(page, None) is None:
            self._refuse(f"page {page} goes OUT but is not IN", line)
        self._last_out[page] = time
        self._recent.append(time)

    def _refuse(self, what: str, line: int) -> None:
        raise UserError(
            what,
            where=f"{self.name}, line {line}",
            remedy="IN and OUT of a page must alternate, a whole interval apart; record again",
        )


class IntervalWriter(TraceWriter):
    """Writes the IN and OUT records of a trace with times; the options give the interval."""

    def __init__(self, sink: BinaryIO, options: WriteOptions) -> None:
        if options.interval < 1:
            raise UserError(
                f"the interval must be at least 1 (got {options.interval})", remedy="give at least 1"
            )
        self._sink = sink
        self._length = options.interval
        self._count = 0  # references so far
        self._current = 0  # number of the current interval
        self._parts: list[_References] = []  # references of the current interval
        self._last = self._fresh = _NOTHING  # of the previous interval: last references of its pages, and INs
        sink.write(f"interval {self._length} page_bytes {options.page_bytes}\n".encode())

    def write(self, chunk: Chunk) -> None:
        if chunk.times is None:
            raise UserError(
                "IN/OUT records need the times of references", remedy="convert a trace with times"
            )
        order = np.arange(self._count, self._count + len(chunk))
        self._count += len(chunk)
        intervals = chunk.times // np.uint64(self._length)
        cuts = np.flatnonzero(intervals[1:] != intervals[:-1]) + 1
        for begin, end in zip([0, *cuts], [*cuts, len(chunk)], strict=True):
            if begin == end:
                continue
            if (interval := int(intervals[begin])) != self._current:
                self._close_interval(interval)
            self._parts.append(_References(chunk.pages[begin:end], chunk.times[begin:end], order[begin:end]))

    def finish(self) -> None:
        self._close_interval(self._current + 2)

    def _close_interval(self, following: int) -> None:
        """Write the records of the previous interval when interval `following` begins."""
        first, last = _ends(self._parts)
        self._emit(self._fresh, self._last.without(last.pages))
        self._fresh = first.without(self._last.pages)
        self._last = last
        self._parts = []
        if following > self._current + 1:  # an empty interval lies between: all pages go OUT
            self._emit(self._fresh, self._last)
            self._last = self._fresh = _NOTHING
        self._current = following

    def _emit(self, ins: "_References", outs: "_References") -> None:
        """Write the records of one interval."""
        rows = [(order, "IN", time, page) for page, time, order in ins.rows()]
        rows += [(order, "OUT", time, page) for page, time, order in outs.rows()]
        rows.sort()
        self._sink.write("".join(f"{time} {kind} {page}\n" for _, kind, time, page in rows).encode())


class _References(NamedTuple):
    """References of an interval: pages, times, and positions in the trace."""

    pages: NDArray[np.uint64]
    times: NDArray[np.uint64]
    order: NDArray[np.int64]

    def without(self, pages: NDArray[np.uint64]) -> "_References":
        kept = ~np.isin(self.pages, pages)
        return _References._make(column[kept] for column in self)

    def rows(self) -> Iterator[tuple[int, int, int]]:
        return zip(*(column.tolist() for column in self), strict=True)


_NOTHING = _References(
    np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
)


def _ends(parts: list[_References]) -> tuple[_References, _References]:
    """Return the first and the last reference to each page."""
    if not parts:
        return _NOTHING, _NOTHING
    joined = _References._make(np.concatenate(columns) for columns in zip(*parts, strict=True))
    by_page = np.argsort(joined.pages, kind="stable")
    pages = joined.pages[by_page]
    first = by_page[np.insert(pages[1:] != pages[:-1], 0, True)]
    last = by_page[np.append(pages[1:] != pages[:-1], True)]
    return _References._make(c[first] for c in joined), _References._make(c[last] for c in joined)


def _chunk(pages: list[int], times: list[int]) -> Chunk:
    return Chunk(np.array(pages, dtype=np.uint64), times=np.array(times, dtype=np.uint64))
