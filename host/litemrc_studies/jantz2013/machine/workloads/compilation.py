# SPDX-License-Identifier: BSD-2-Clause
"""A compilation as a tree of processes: compilers end, files stay cached (Jantz et al. 2013, 7.2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from litemrc_studies.jantz2013.machine.events import Event, Exit, Fork, Nice, Phase, Visits
from litemrc_studies.jantz2013.machine.hardware import LINE_NS, LINES

MEMNICE = -1  # the process that starts the others; it has no pages
_ROOT = 0
_LINES = 8  # lines of a page used at a visit
_ZIPF = 0.9  # Zipf parameter of headers
_GROWS = 512  # pages by which a heap grows in a turn


class Workload(Protocol):
    """A workload; one seed gives the same events on every machine."""

    @property
    def resident_pages(self) -> int:
        """Return the number of distinct pages that it touches."""
        ...

    @property
    def processes(self) -> int:
        """Return the number of processes that it begins with, numbered from 0; others are forked."""
        ...

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield its events, in order."""
        ...


@dataclass(frozen=True)
class Limited:
    """A workload whose processes, and their children, inherit a limit (memnice) that they can only narrow.

    Attributes
    ----------
    workload
        the limited workload.
    trays
        on which its processes get pages.
    """

    workload: Workload
    trays: tuple[int, ...]

    @property
    def resident_pages(self) -> int:
        return self.workload.resident_pages

    @property
    def processes(self) -> int:
        return self.workload.processes

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield the limit, then the workload's events."""
        yield Nice(MEMNICE, self.trays)
        for process in range(self.processes):
            yield Fork(MEMNICE, process)
        yield from self.workload.program(rng)


@dataclass(frozen=True)
class Compilation:
    """A root process that forks one compiler per unit, at most `jobs` at a time.

    A compiler reads its source and headers, visits its growing heap and the headers, writes an object, and
    ends. Files are in the page cache as pages of the root until they are reclaimed; then they are read from
    disk again when needed. At the end all objects are linked.

    Attributes
    ----------
    units
        number of compiled units.
    jobs
        concurrent compilers.
    header_pages
        of all headers together.
    source_pages, object_pages
        of a unit, including other input and output.
    heap_pages
        mean final heap of a compiler; heaps are half to twice this size.
    visits_per_page
        visits to headers and heap for each page of heap growth.
    gap_ns
        compute time before each visit.
    line_ns
        transfer time of a line.
    trays
        memnice limit of the root; None: all.
    """

    units: int
    jobs: int = 16
    header_pages: int = 60_000
    source_pages: int = 400
    object_pages: int = 1_200
    heap_pages: int = 4_000
    visits_per_page: int = 3
    gap_ns: float = 20_000.0
    line_ns: float = LINE_NS
    trays: tuple[int, ...] | None = None

    @property
    def resident_pages(self) -> int:
        return self.header_pages + self.units * (self.source_pages + self.object_pages)

    @property
    def processes(self) -> int:
        return 1

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield the compilation of all units, then the link."""
        if self.trays is not None:
            yield Nice(_ROOT, self.trays)
        yield Phase("compile")
        sums = np.cumsum(np.arange(1, self.header_pages + 1) ** -_ZIPF)
        headers = sums / sums[-1]
        waiting = iter(range(self.units))
        running: list[Iterator[Event]] = []
        while True:
            while len(running) < self.jobs and (unit := next(waiting, None)) is not None:
                running.append(self._compiler(unit, headers, rng))
            if not running:
                break
            for compiler in list(running):
                event = next(compiler, None)
                if event is None:
                    running.remove(compiler)
                else:
                    yield event
        yield Phase("link")
        first = self.header_pages + self.units * self.source_pages
        objects = first + np.arange(self.units * self.object_pages)
        for begin in range(0, objects.size, 4096):
            yield self._visits(_ROOT, objects[begin : begin + 4096], _LINES, 0)

    def _compiler(self, unit: int, headers: np.ndarray, rng: np.random.Generator) -> Iterator[Event]:
        child = 1 + unit
        yield Fork(_ROOT, child)
        source = self.header_pages + unit * self.source_pages
        yield self._visits(_ROOT, source + np.arange(self.source_pages), 0, LINES)
        heap = int(self.heap_pages * rng.choice([0.5, 0.75, 1.0, 2.0], p=[0.3, 0.3, 0.25, 0.15]))
        for begin in range(0, heap, _GROWS):
            grown = np.arange(begin, min(begin + _GROWS, heap))
            yield self._visits(child, grown, 0, LINES)
            looks = grown.size * self.visits_per_page
            yield self._visits(_ROOT, np.searchsorted(headers, rng.random(looks // 2)), _LINES, 0)
            yield self._visits(child, rng.integers(0, grown[-1] + 1, looks - looks // 2), _LINES, _LINES)
        objects = self.header_pages + self.units * self.source_pages + unit * self.object_pages
        yield self._visits(_ROOT, objects + np.arange(self.object_pages), 0, LINES)
        yield Exit(child)

    def _visits(self, process: int, pages: np.ndarray, reads: int, writes: int) -> Visits:
        return Visits(process, pages, reads, writes, self.line_ns, self.gap_ns, process == _ROOT)
