"""Panwar and Gopinath 2015, "If A exits first": pages migrated after the first of two processes ends."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from litemrc.traces.allocations.events import FREE, Events
from page_tables import markdown
from panwar2015_machines import COMPARED, LARGE, Runs, run

A_BANKS, B_BANKS = 8.5, 8.0
MACHINE = replace(LARGE, migrate_every=1, scramble=False)


@dataclass
class ExitsFirst:
    """A allocates, B allocates, A ends: one tick each, and one more."""

    title: str = "A exits first"
    tick_s: float = 1.0
    ticks: int = 4
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks; pages are allocated one by one."""
        a, b = (int(banks * MACHINE.unit_frames) for banks in (A_BANKS, B_BANKS))
        numbers = np.arange(a + b, dtype=np.uint32)
        yield Events(np.zeros(a, np.uint8), numbers[:a])
        yield Events(np.zeros(b, np.uint8), numbers[a:])
        yield Events(np.full(a, FREE, np.uint8), numbers[:a])
        yield Events(np.empty(0, np.uint8), numbers[:0])


def exits() -> Runs:
    """Return the run of each allocator."""
    return run(ExitsFirst(), {name: (MACHINE, name) for name in COMPARED if name != "buddy"})


def table(runs: Runs) -> str:
    rows = [
        (name, f"{each.copied_pages:,}", f"{(each.used_of_unit[-1] > 0).sum()}")
        for name, each in runs.items()
    ]
    return markdown(["A exits first", "migrated pages", "banks in use at the end"], rows)
