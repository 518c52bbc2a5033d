# SPDX-License-Identifier: BSD-2-Clause
"""Page-replacement policies: LRU, CLOCK, OPT, SEQ (Glass and Cao 1997), and an adaptive SEQ.

A policy creates memories that run in the native core. They are equal to the models in
`glass1997.golden.replacement`, `.seq`, which lists what section 4.1 leaves open, and `.seq_adaptive`.
"""

from dataclasses import dataclass
from typing import ClassVar

from litemrc.errors import UserError

from litemrc_studies._core import (
    AddressBook,
    ClockMemory,
    LruMemory,
    Memory,
    SeqAdaptiveMemory,
    SeqMemory,
    SeqParameters,
)


@dataclass(frozen=True)
class Lru:
    """Evicts the least recently used page."""

    name: ClassVar[str] = "lru"

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """Return a memory of `pages` pages of the book's addresses."""
        return LruMemory(book, pages)


@dataclass(frozen=True)
class Clock:
    """Approximates LRU: a circular hand clears use bits and evicts the first page whose bit is clear.

    A new page has its use bit set, and the hand points behind it.
    """

    name: ClassVar[str] = "clock"

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """Return a memory of `pages` pages of the book's addresses."""
        return ClockMemory(book, pages)


@dataclass(frozen=True)
class Opt:
    """Evicts the page whose next reference is furthest in the future (Belady 1966); the minimum of faults.

    It needs the whole trace in memory: 4 bytes per reference after repeated references to one page are
    merged, and a little more for each memory size while it is computed.
    """

    name: ClassVar[str] = "opt"


@dataclass(frozen=True)
class Seq:
    """LRU, but evicts near the head of long sequences of faults to consecutive addresses.

    Attributes
    ----------
    length
        L, minimum length of a sequence whose pages are evicted.
    distance
        M, number of pages at the head of a sequence that are not evicted.
    recent
        N; the sequence whose N-th last fault is the latest is used.
    limit
        number of sequences per program.

    Raises
    ------
    UserError
        a parameter below 1.
    """

    name: ClassVar[str] = "seq"

    length: int = 20
    distance: int = 20
    recent: int = 5
    limit: int = 200

    def __post_init__(self) -> None:
        for parameter in ("length", "distance", "recent", "limit"):
            value = getattr(self, parameter)
            if not 1 <= value <= MOST:
                raise UserError(f"SEQ's {parameter} cannot be {value}", remedy=f"give 1 to {MOST}")

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """Return a memory of `pages` pages of the book's addresses."""
        return SeqMemory(book, pages, self._parameters())

    def _parameters(self) -> SeqParameters:
        return SeqParameters(self.length, self.distance, self.recent, self.limit)


@dataclass(frozen=True)
class SeqAdaptive(Seq):
    """Imitates LRU, careful SEQ or SEQ, whichever faults least; see the golden model for the rules."""

    name: ClassVar[str] = "seq-adaptive"

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """Return a memory of `pages` pages of the book's addresses."""
        return SeqAdaptiveMemory(book, pages, self._parameters())


MOST = 1 << 20  # largest value of SEQ's parameters
OnlinePolicy = Lru | Clock | Seq
Policy = OnlinePolicy | Opt
POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in (Lru, Clock, Opt, Seq, SeqAdaptive)}


def check_memory_size(pages: int) -> None:
    """Check that a memory has at least one page.

    Raises
    ------
    UserError
        `pages` is below 1.
    """
    if pages < 1:
        raise UserError(f"the memory must have at least 1 page (got {pages})", remedy="give at least 1 page")
