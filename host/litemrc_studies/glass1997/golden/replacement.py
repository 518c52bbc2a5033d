# SPDX-License-Identifier: BSD-2-Clause
"""Page replacement under demand paging: LRU, CLOCK and Belady's OPT, as plain lists.

Every model is a memory of a fixed number of pages; `reference(page)` makes the page resident and returns
whether that was a page fault; after a fault, `victim` is the page that it evicted. Sources: Glass and Cao
1997 compare LRU and OPT; CLOCK is Corbato's usual approximation of LRU.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol


class Memory(Protocol):
    """A memory under some replacement policy.

    Attributes
    ----------
    victim
        the page that the last fault evicted; None if a frame was free.
    """

    victim: Hashable | None

    def reference(self, page: Hashable) -> bool:
        """Refer to a page; return whether that was a page fault."""
        ...


def faults(memory: Memory, pages: Iterable[Hashable]) -> int:
    """Return the page faults of a trace, including cold faults (the first to each page)."""
    return sum(memory.reference(page) for page in pages)


class Lru:
    """Evicts the least recently used page."""

    def __init__(self, memory_pages: int) -> None:
        self._size = memory_pages
        self._pages: list[Hashable] = []  # least recently used first
        self.victim: Hashable | None = None

    def reference(self, page: Hashable) -> bool:
        fault = page not in self._pages
        if fault:
            self.victim = self._pages.pop(0) if len(self._pages) == self._size else None
        else:
            self._pages.remove(page)
        self._pages.append(page)
        return fault

    def holds(self, page: Hashable) -> bool:
        """Return whether a page is in memory."""
        return page in self._pages

    def release(self, pages: Iterable[Hashable]) -> None:
        """Free pages, as at the end of their program."""
        gone = set(pages)
        self._pages = [page for page in self._pages if page not in gone]


class Clock:
    """Evicts the first page from the hand on whose use bit is clear; the hand clears the bits that it passes.

    A new page has its use bit set and takes the frame of its victim; the hand then points to the next frame.
    Frames are filled in the order of the hand; freed frames are reused last in, first out.
    """

    def __init__(self, memory_pages: int) -> None:
        self._frames: list[Hashable | None] = [None] * memory_pages
        self._used: set[Hashable] = set()
        self._free = list(range(memory_pages))[::-1]
        self._hand = 0
        self.victim: Hashable | None = None

    def reference(self, page: Hashable) -> bool:
        fault = page not in self._frames
        if fault:
            frame = self._free.pop() if self._free else self._replaced()
            self.victim = self._frames[frame]
            self._frames[frame] = page
        self._used.add(page)
        return fault

    def release(self, pages: Iterable[Hashable]) -> None:
        """Free pages in the order given, as at the end of their program."""
        for page in pages:
            if page in self._frames:
                frame = self._frames.index(page)
                self._frames[frame] = None
                self._free.append(frame)
                self._used.discard(page)

    def _replaced(self) -> int:
        while self._frames[self._hand] in self._used:
            self._used.remove(self._frames[self._hand])
            self._advance()
        victim = self._hand
        self._advance()
        return victim

    def _advance(self) -> None:
        self._hand = (self._hand + 1) % len(self._frames)


class Opt:
    """Evicts the page whose next reference in `trace` is furthest in the future (Belady 1966)."""

    def __init__(self, memory_pages: int, trace: Sequence[Hashable]) -> None:
        self._size = memory_pages
        self._trace = trace
        self._now = 0
        self._pages: set[Hashable] = set()
        self.victim: Hashable | None = None

    def reference(self, page: Hashable) -> bool:
        fault = page not in self._pages
        if fault:
            self.victim = None
        if fault and len(self._pages) == self._size:
            future = self._trace[self._now :]
            self.victim = max(
                self._pages, key=lambda page: future.index(page) if page in future else len(future)
            )
            self._pages.remove(self.victim)
        self._pages.add(page)
        self._now += 1
        return fault
