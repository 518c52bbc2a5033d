"""IN/OUT traces (Glass and Cao 1997, section 2.1): compact, and exact for LRU above a smallest memory.

How a reader turns records into references: every record is a reference at its time, and a page in use through
a whole interval is referenced once at that interval's beginning, for the trace promises a reference there but
not when. So LRU stack positions at an IN record are those of the paper's simulation: pages in use (ACTIVE)
above, the others (IDLE) below by the time they went OUT.

What is exact: the *misses* of LRU in any memory of at least `minimum_pages`. Not the number of references:
hits inside intervals are not recorded, so a miss *ratio* has these references as its denominator, fewer than
the program's. In smaller memories LRU would evict a page of which nobody knows whether it is the oldest: the
paper's condition is that the victim is IDLE, and went OUT two intervals before the current one or before the
IN of every ACTIVE page. `Trace.check_memory` refuses such sizes.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.interval_records import RecordReader
from litemrc.traces.streams import ByteSource
from litemrc.traces.trace import Trace, TraceWriter, WriteOptions


class IntervalTrace(Trace):
    """Reads IN/OUT records as references; `minimum_pages` is right behind the last chunk."""

    format = "intervals"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source.name)
        self._source = source
        self._records = RecordReader(source)
        self._active: dict[int, int] = {}  # pages in use and when they came IN, the oldest first
        self._recent: list[int] = []  # when pages went OUT, in this interval and the one before
        self._last_out: dict[int, int] = {}
        self._current = 0

    def __iter__(self) -> Iterator[Chunk]:
        pages: list[int] = []
        times: list[int] = []
        for records in self._records:
            interval = self._records.interval
            for time, is_in, page, line in zip(*(column.tolist() for column in records), strict=True):
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
                remedy="the file is cut short: fetch or record it again",
            )
        self.notes.append(
            f"misses are exact from {self.minimum_pages} pages on; hits inside intervals of"
            f" {self._records.interval} are not recorded"
        )

    @property
    def fraction(self) -> float | None:
        return self._source.fraction

    def close(self) -> None:
        self._source.close()

    def _come_in(self, time: int, page: int, line: int) -> None:
        interval = self._records.interval
        if page in self._active:
            self._refuse(f"page {page} comes IN while it is IN", line)
        out = self._last_out.pop(page, None)
        if out is not None and time // interval - out // interval < 2:
            self._refuse(f"page {page} was OUT for less than a whole interval", line)
        # Idle pages that LRU may not evict now: neither two intervals OUT, nor older than all pages in use.
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
            remedy="IN and OUT of a page take turns, one whole interval apart; record again",
        )


class IntervalWriter(TraceWriter):
    """Records IN and OUT of the pages of a trace with times; the interval is that of the options."""

    def __init__(self, sink: BinaryIO, options: WriteOptions) -> None:
        if options.interval < 1:
            raise UserError(f"an interval of {options.interval} is empty", remedy="give at least 1")
        self._sink = sink
        self._length = options.interval
        self._current = -2  # number of the interval being collected
        self._parts: list[tuple[NDArray, NDArray]] = []  # its pages and times so far
        self._before: tuple[NDArray, NDArray] = _NONE, _NONE  # of the interval before: pages, last reference
        self._waiting: list[tuple[NDArray, NDArray]] = []  # IN records of the interval before
        sink.write(f"interval {self._length}\n".encode())

    def write(self, chunk: Chunk) -> None:
        if chunk.times is None:
            raise UserError(
                "IN/OUT records need the times of the references", remedy="convert a trace that has times"
            )
        numbers = chunk.times // np.uint64(self._length)
        cuts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
        for begin, end in zip([0, *cuts], [*cuts, len(chunk)], strict=True):
            if begin == end:
                continue
            number = int(numbers[begin])
            if number != self._current:
                self._close_interval(number)
            self._parts.append((chunk.pages[begin:end], chunk.times[begin:end]))

    def finish(self) -> None:
        self._close_interval(self._current + 2)

    def _close_interval(self, following: int) -> None:
        """The interval `following` begins: what came IN in the current one and OUT before it is known."""
        pages, first, last = _spans(self._parts)
        pages_before, last_before = self._before
        self._emit(self._waiting[0] if self._waiting else (_NONE, _NONE), pages_before, last_before, pages)
        fresh = ~np.isin(pages, pages_before, assume_unique=True)
        self._waiting = [(pages[fresh], first[fresh])]
        self._before = pages, last
        self._parts = []
        if following > self._current + 1:  # an interval without a reference lies between: all go OUT
            self._emit(self._waiting[0], pages, last, _NONE)
            self._waiting, self._before = [], (_NONE, _NONE)
        self._current = following

    def _emit(self, ins: tuple[NDArray, NDArray], pages: NDArray, last: NDArray, still: NDArray) -> None:
        """Write the records of one interval: its INs, and OUT of its pages that are not in use after it."""
        gone = ~np.isin(pages, still, assume_unique=True)
        rows = [(time, 0, page) for page, time in zip(ins[0].tolist(), ins[1].tolist(), strict=True)]
        rows += [
            (time, 1, page) for page, time in zip(pages[gone].tolist(), last[gone].tolist(), strict=True)
        ]
        rows.sort()
        text = "".join(f"{time} {'OUT' if out else 'IN'} {page}\n" for time, out, page in rows)
        self._sink.write(text.encode())


_NONE = np.empty(0, dtype=np.uint64)


def _spans(parts: list[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray, NDArray]:
    """Pages of one interval, each with the times of its first and last reference."""
    if not parts:
        return _NONE, _NONE, _NONE
    pages = np.concatenate([part[0] for part in parts])
    times = np.concatenate([part[1] for part in parts])
    order = np.argsort(pages, kind="stable")  # times rise within a page
    pages, times = pages[order], times[order]
    first = np.insert(pages[1:] != pages[:-1], 0, True)
    last = np.append(pages[1:] != pages[:-1], True)
    return pages[first], times[first], times[last]


def _chunk(pages: list[int], times: list[int]) -> Chunk:
    return Chunk(np.array(pages, dtype=np.uint64), times=np.array(times, dtype=np.uint64))
