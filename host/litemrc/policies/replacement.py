"""Page replacement: which page leaves memory when another one must come in (Glass and Cao 1997).

A policy makes memories, which run in the native core; `litemrc.golden` holds the models they are equal to:
`golden/replacement.py` and, with all that section 4.1 leaves open, `golden/seq.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

from litemrc.errors import UserError
from litemrc.native.replacement import AddressBook, ClockMemory, LruMemory, Memory, SeqMemory, SeqParameters


@dataclass(frozen=True)
class Lru:
    """Replaces the page whose last reference is the earliest."""

    name: ClassVar[str] = "lru"

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """A memory of `pages` pages of a book."""
        return LruMemory(book, pages)


@dataclass(frozen=True)
class Clock:
    """Approximates LRU: a hand goes round, spares pages used since it last came by, and takes the next one.

    A page comes in with its use bit set, and the hand stops behind it.
    """

    name: ClassVar[str] = "clock"

    def memory(self, book: AddressBook, pages: int) -> Memory:
        """A memory of `pages` pages of a book."""
        return ClockMemory(book, pages)


@dataclass(frozen=True)
class Opt:
    """Replaces the page whose next reference is furthest in the future (Belady 1966); no policy faults less.

    It must know the future, so it needs the whole trace: 4 bytes a reference, after repeated references to
    one page are taken together, and a bit more for each memory size while that is computed.
    """

    name: ClassVar[str] = "opt"


@dataclass(frozen=True)
class Seq:
    """LRU, but on long sequences of page faults to consecutive addresses it replaces behind their head.

    Attributes:
        length: L, pages of the shortest sequence that is replaced from.
        distance: M, pages next to the head of a sequence that are left alone.
        recent: N; of the sequences, the one whose N-th most recent fault is the latest is taken.
        limit: sequences kept for a program.

    Raises:
        UserError: a parameter below 1.
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
        """A memory of `pages` pages of a book."""
        return SeqMemory(book, pages, SeqParameters(self.length, self.distance, self.recent, self.limit))


MOST = 1 << 20  # of any of SEQ's parameters
OnlinePolicy = Lru | Clock | Seq
Policy = OnlinePolicy | Opt
POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in (Lru, Clock, Opt, Seq)}


def check_memory_size(pages: int) -> None:
    """Refuse a memory that holds nothing.

    Raises:
        UserError: `pages` is below 1.
    """
    if pages < 1:
        raise UserError(f"a memory of {pages} pages holds nothing", remedy="give at least 1 page")
