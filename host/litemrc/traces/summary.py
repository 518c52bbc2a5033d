"""Summary of a whole trace, accumulated by chunks."""

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

    Attributes:
        references: number of references.
        pages: the distinct pages.
        writes: number of writes; None if unknown.
        first_time, last_time: None if the trace has no times.
        contexts: references by context; empty if the trace has only one.
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
