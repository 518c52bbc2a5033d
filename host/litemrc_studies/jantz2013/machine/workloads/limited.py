"""A workload under memnice: the limit of the program that starts its processes (Jantz et al. 2013, 7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from litemrc_studies.jantz2013.machine.events import Event, Fork, Nice

MEMNICE = -1  # the process that starts the others; it has no pages


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
    """A workload whose processes, and their children, inherit a limit that they can only narrow.

    Attributes:
        workload: the limited workload.
        trays: on which its processes get pages.
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
