"""What programs do, one after the other, in the tray machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.policies.trays.intents import ColorIntent


@dataclass(frozen=True, eq=False)
class Visits:
    """A process works on pages, one after the other.

    Attributes:
        pages: int64[visits], virtual page numbers.
        reads, writes: lines of each visit, or of all.
        line_ns: in which a line is moved.
        gap_ns: of computing before each visit.
        file: the pages are those of files; bool, of each visit or of all.
    """

    process: int
    pages: NDArray[np.int64]
    reads: NDArray[np.uint8] | int
    writes: NDArray[np.uint8] | int
    line_ns: float
    gap_ns: float = 0.0
    file: NDArray[np.bool_] | bool = False

    def pieces(self, length: int) -> "Iterator[Visits]":
        """The same, so many visits at a time."""
        for begin in range(0, self.pages.size, length):
            piece = slice(begin, begin + length)
            reads, writes, file = (
                each[piece] if isinstance(each, np.ndarray) else each
                for each in (self.reads, self.writes, self.file)
            )
            yield Visits(self.process, self.pages[piece], reads, writes, self.line_ns, self.gap_ns, file)


@dataclass(frozen=True)
class Phase:
    """From here on samples belong to this phase."""

    name: str


@dataclass(frozen=True)
class Pause:
    """Nobody does anything."""

    ns: float


@dataclass(frozen=True)
class Intend:
    """A process binds its colors to intents; `resident_pages` it is going to have."""

    process: int
    intents: Mapping[str, ColorIntent]
    resident_pages: int


@dataclass(frozen=True)
class Paint:
    """A process colors virtual pages, from `begin` to before `end`; None: takes the color away."""

    process: int
    begin: int
    end: int
    color: str | None


@dataclass(frozen=True)
class Release:
    """A process gives back what backs these pages."""

    process: int
    begin: int
    end: int


@dataclass(frozen=True)
class Nice:
    """memnice: from here on a process gets pages of these trays only."""

    process: int
    trays: tuple[int, ...]


@dataclass(frozen=True)
class Fork:
    """A child begins, with its parent's colors and limits and nothing in memory."""

    parent: int
    child: int


@dataclass(frozen=True)
class Exit:
    """A process ends and gives everything back."""

    process: int


LOAD = "load"  # the phase in which programs get ready: not counted in means over all phases

Event = Visits | Phase | Pause | Intend | Paint | Release | Nice | Fork | Exit
