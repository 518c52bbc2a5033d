# SPDX-License-Identifier: BSD-2-Clause
"""Summary and space-time graph of a whole trace, accumulated by chunks.

The graphs are those of Glass and Cao 1997, section 2.2: used pages are numbered by address; a cell is marked
if one of its pages is referred to in its interval.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import Chunk

_MAPPED_PAGES = 1 << 26  # lower page numbers take a byte each; higher ones are sorted
_MERGE_EVERY = 1 << 22  # references


class PageSet:
    """The distinct pages of a trace."""

    def __init__(self) -> None:
        self._map = np.zeros(0, dtype=bool)
        self._sorted = np.empty(0, dtype=np.uint64)
        self._pending: list[NDArray[np.uint64]] = []
        self._pending_size = 0

    def add(self, pages: NDArray[np.uint64]) -> None:
        if pages.size == 0:
            return
        highest = int(pages.max())
        if highest < _MAPPED_PAGES:
            if highest >= self._map.size:
                grown = np.zeros(min(2 * (highest + 1), _MAPPED_PAGES), dtype=bool)
                grown[: self._map.size] = self._map
                self._map = grown
            self._map[pages] = True
            return
        self._pending.append(np.unique(pages))
        self._pending_size += self._pending[-1].size
        if self._pending_size > _MERGE_EVERY:
            self._merge()

    def numbers(self) -> NDArray[np.uint64]:
        """Return all pages, lowest first."""
        self._merge()
        mapped = np.flatnonzero(self._map).astype(np.uint64)
        return np.union1d(mapped, self._sorted) if self._sorted.size else mapped

    def _merge(self) -> None:
        if self._pending:
            self._sorted = np.unique(np.concatenate([self._sorted, *self._pending]))
            self._pending, self._pending_size = [], 0


class Summary:
    """Counts over the chunks added so far.

    Attributes
    ----------
    references
        number of references.
    pages
        the distinct pages.
    writes
        number of writes; None if unknown.
    first_time, last_time
        None if the trace has no times.
    contexts
        references by context; empty if the trace has only one.
    """

    def __init__(self) -> None:
        self.references = 0
        self.pages = PageSet()
        self.writes: int | None = None
        self.first_time: int | None = None
        self.last_time: int | None = None
        self.contexts: dict[int, int] = {}

    def add(self, chunk: Chunk) -> None:
        if not len(chunk):
            return
        self.references += len(chunk)
        self.pages.add(chunk.pages)
        if chunk.writes is not None:
            self.writes = (self.writes or 0) + int(np.count_nonzero(chunk.writes))
        if chunk.times is not None:
            if self.first_time is None:
                self.first_time = int(chunk.times[0])
            self.last_time = int(chunk.times[-1])
        if chunk.contexts is not None:
            for context, count in zip(*np.unique(chunk.contexts, return_counts=True), strict=True):
                self.contexts[int(context)] = self.contexts.get(int(context), 0) + int(count)


@dataclass(frozen=True, eq=False)
class SpaceTime:
    """A space-time graph.

    Attributes
    ----------
    referenced
        bool[rows, columns]; row 0 has the lowest pages, column 0 the earliest time.
    pages
        distinct pages, the upper end of the rows.
    begin, end
        times (or reference numbers) at the left and right edge.
    timed
        false: the trace has no times, and references are counted.
    """

    referenced: NDArray[np.bool_]
    pages: int
    begin: int
    end: int
    timed: bool


def space_time(
    chunks: Iterable[Chunk], summary: Summary, *, rows: int = 600, columns: int = 1200
) -> SpaceTime:
    """Return the graph of a trace; `summary` comes from a first pass over the same trace.

    Raises
    ------
    ValueError
        the trace has no references.
    """
    numbers = summary.pages.numbers()
    if not numbers.size:
        raise ValueError("a trace without references has no space-time graph")
    begin, end = 0, summary.references
    timed = summary.first_time is not None and summary.last_time is not None
    if summary.first_time is not None and summary.last_time is not None:
        begin, end = summary.first_time, summary.last_time + 1
    rows, columns = min(rows, numbers.size), min(columns, end - begin)
    referenced = np.zeros((rows, columns), dtype=bool)
    done = 0
    for chunk in chunks:
        ranks = np.searchsorted(numbers, chunk.pages)
        times = chunk.times if timed else None
        if times is None:
            times = np.arange(done, done + len(chunk), dtype=np.uint64)
        # Floats avoid overflow; an error of one cell at the edge of an interval is invisible.
        column = ((times - np.uint64(begin)).astype(np.float64) * (columns / (end - begin))).astype(np.int64)
        referenced[ranks * rows // numbers.size, np.minimum(column, columns - 1)] = True
        done += len(chunk)
    return SpaceTime(referenced, int(numbers.size), begin, end, timed)
