# SPDX-License-Identifier: BSD-2-Clause
"""Programs described by their virtual ranges, access patterns and colors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from litemrc_studies.jantz2013.machine.events import LOAD, Event, Intend, Nice, Paint, Phase, Visits
from litemrc_studies.jantz2013.machine.hardware import LINE_NS, LINES
from litemrc_studies.jantz2013.policies.intents import ColorIntent

PATTERNS = ("uniform", "zipf", "stream")
_CHUNK = 8_192  # visits of a process per turn


@dataclass(frozen=True)
class Range:
    """A virtual range of a program.

    Attributes
    ----------
    name
        of the range.
    pages
        its length.
    pattern
        uniform; zipf, with hot pages spread over the range; stream, sequential.
    alpha
        parameter of zipf.
    weight
        its share of all visits is proportional to this.
    reads, writes
        lines of a visit.
    file
        a file in the page cache.
    load
        touched completely in the loading phase, in step with the other loaded ranges.
    """

    name: str
    pages: int
    pattern: str = "uniform"
    alpha: float = 0.8
    weight: float = 1.0
    reads: int = 1
    writes: int = 0
    load: bool = True
    file: bool = False


@dataclass(frozen=True)
class Program:
    """A process.

    Attributes
    ----------
    name
        of the process.
    ranges
        consecutive ranges of its address space.
    gap_ns
        compute time before each visit.
    line_ns
        transfer time of a line.
    intents
        of its colors.
    colors
        (first page, end page, color).
    trays
        memnice limit; None: all.
    """

    name: str
    ranges: tuple[Range, ...]
    gap_ns: float = 500.0
    line_ns: float = LINE_NS
    intents: Mapping[str, ColorIntent] = field(default_factory=dict)
    colors: tuple[tuple[int, int, str], ...] = ()
    trays: tuple[int, ...] | None = None

    @property
    def pages(self) -> int:
        return sum(each.pages for each in self.ranges)


@dataclass(frozen=True)
class Programs:
    """Processes that alternate: first all load their data, then all work on them.

    Attributes
    ----------
    programs
        of each process, numbered from 0.
    visits
        of each process after loading.
    """

    programs: tuple[Program, ...]
    visits: int

    @property
    def resident_pages(self) -> int:
        return sum(program.pages for program in self.programs)

    @property
    def processes(self) -> int:
        return len(self.programs)

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield guidance, loading and work."""
        for process, program in enumerate(self.programs):
            if program.trays is not None:
                yield Nice(process, program.trays)
            if program.intents:
                yield Intend(process, program.intents, program.pages)
            for begin, end, color in program.colors:
                yield Paint(process, begin, end, color)
        yield Phase(LOAD)
        yield from _in_turns([_load(process, program) for process, program in enumerate(self.programs)])
        yield Phase("work")
        yield from _in_turns(
            [_work(process, program, self.visits, rng) for process, program in enumerate(self.programs)]
        )


def _in_turns(streams: list[Iterator[Event]]) -> Iterator[Event]:
    while streams:
        for stream in list(streams):
            event = next(stream, None)
            if event is None:
                streams.remove(stream)
            else:
                yield event


def _placed(program: Program) -> Iterator[tuple[int, Range]]:
    begin = 0
    for each in program.ranges:
        yield begin, each
        begin += each.pages


def _load(process: int, program: Program) -> Iterator[Event]:
    """Yield visits to all loaded ranges, interleaved in proportion so that all end together."""
    loaded = [(begin, each) for begin, each in _placed(program) if each.load]
    if not loaded:
        return
    pages = np.concatenate([np.arange(begin, begin + each.pages) for begin, each in loaded])
    when = np.concatenate([(np.arange(each.pages) + 0.5) / each.pages for _, each in loaded])
    file = np.concatenate([np.full(each.pages, each.file) for _, each in loaded])
    order = np.argsort(when, kind="stable")
    visits = Visits(process, pages[order], 0, LINES, program.line_ns, program.gap_ns, file[order])
    yield from visits.pieces(_CHUNK)


def _work(process: int, program: Program, visits: int, rng: np.random.Generator) -> Iterator[Event]:
    """Yield visits to ranges by weight."""
    placed = list(_placed(program))
    weights = np.array([each.weight for _, each in placed])
    draws = [_Draw(begin, each, rng) for begin, each in placed]
    reads, writes = (
        np.array([getattr(each, name) for _, each in placed], np.uint8) for name in ("reads", "writes")
    )
    file = np.array([each.file for _, each in placed])
    for begin in range(0, visits, _CHUNK):
        of_range = rng.choice(len(draws), min(_CHUNK, visits - begin), p=weights / weights.sum())
        pages = np.empty(of_range.size, np.int64)
        for number, draw in enumerate(draws):
            mine = of_range == number
            pages[mine] = draw.pages(int(mine.sum()))
        lines = reads[of_range], writes[of_range]
        yield Visits(process, pages, *lines, program.line_ns, program.gap_ns, file[of_range])


class _Draw:
    """Draws pages of a range by its pattern."""

    def __init__(self, begin: int, each: Range, rng: np.random.Generator) -> None:
        self._begin, self._range, self._rng = begin, each, rng
        self._next = 0
        if each.pattern == "zipf":
            weights = np.arange(1, each.pages + 1) ** -each.alpha
            self._sums = np.cumsum(weights / weights.sum())
            self._order = rng.permutation(each.pages)

    def pages(self, count: int) -> np.ndarray:
        each = self._range
        if each.pattern == "stream":
            pages = (self._next + np.arange(count)) % each.pages
            self._next = (self._next + count) % each.pages
        elif each.pattern == "zipf":
            drawn = self._rng.random(count)
            order = np.argsort(drawn)  # sorted numbers are found faster
            ranks = np.empty(count, np.int64)
            ranks[order] = np.searchsorted(self._sums, drawn[order])
            pages = self._order[np.minimum(ranks, each.pages - 1)]
        else:
            pages = self._rng.integers(0, each.pages, count)
        return self._begin + pages
