# SPDX-License-Identifier: BSD-2-Clause
"""Events of programs on the tray machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc_studies.jantz2013.policies.intents import ColorIntent


@dataclass(frozen=True, eq=False)
class Visits:
    """Visits of a process to pages, in order.

    Attributes
    ----------
    pages
        int64[visits], virtual page numbers.
    reads, writes
        lines of each visit, or of all.
    line_ns
        transfer time of a line.
    gap_ns
        compute time before each visit.
    file
        whether the pages are file pages, per visit or for all.
    """

    process: int
    pages: NDArray[np.int64]
    reads: NDArray[np.uint8] | int
    writes: NDArray[np.uint8] | int
    line_ns: float
    gap_ns: float = 0.0
    file: NDArray[np.bool_] | bool = False

    def pieces(self, length: int) -> "Iterator[Visits]":
        """Yield the visits in pieces of at most `length`."""
        for begin in range(0, self.pages.size, length):
            piece = slice(begin, begin + length)
            columns: dict[str, Any] = {
                name: column[piece] for name, column in vars(self).items() if isinstance(column, np.ndarray)
            }
            yield replace(self, **columns)


@dataclass(frozen=True)
class Phase:
    """The following samples belong to this phase."""

    name: str


@dataclass(frozen=True)
class Pause:
    """No program runs."""

    ns: float


@dataclass(frozen=True)
class Intend:
    """A process sets the intents of its colors; `resident_pages` is its expected resident set."""

    process: int
    intents: Mapping[str, ColorIntent]
    resident_pages: int


@dataclass(frozen=True)
class Paint:
    """A process colors virtual pages `begin` to `end`, exclusive; None removes the color."""

    process: int
    begin: int
    end: int
    color: str | None


@dataclass(frozen=True)
class Release:
    """A process frees these pages."""

    process: int
    begin: int
    end: int


@dataclass(frozen=True)
class Nice:
    """memnice: the process gets pages of these trays only from now on."""

    process: int
    trays: tuple[int, ...]


@dataclass(frozen=True)
class Fork:
    """A child starts with its parent's colors and limits and without pages."""

    parent: int
    child: int


@dataclass(frozen=True)
class Exit:
    """A process ends and frees its pages."""

    process: int


LOAD = "load"  # the loading phase; means over all phases leave it out

Event = Visits | Phase | Pause | Intend | Paint | Release | Nice | Fork | Exit
