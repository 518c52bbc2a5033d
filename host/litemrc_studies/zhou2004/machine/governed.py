# SPDX-License-Identifier: BSD-2-Clause
"""Programs in one memory, whose budgets a governor sets by what a system counts of evicted pages.

Each program replaces its own least recently used page within its budget, a limit. After each epoch the
governor gets hit counters and sets the budgets. Three kinds of systems count differently:

- `full`: every page keeps its place in the LRU stack, resident or not, as under the pager of the firmware.
- `resident`: an evicted page frees its frame and leaves the stack; its next access is a miss. This is a
  monitor beside an operating system: a budget can shrink, but no counter shows that a program would use more.
- `tail`: the same with a tail of refaults, whose LRU position is: resident pages + pages evicted later and
  still out.

With LRU victims, `full` and `tail` count the same, as far as the tail reaches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError, choose_from
from litemrc.native.exact_stack import ExactStack
from litemrc.policies.allocation.decision import GovernorParameters
from litemrc.policies.allocation.governor import Governor
from numpy.typing import NDArray

SYSTEMS = ("full", "resident", "tail")
Epochs = Sequence[NDArray[np.uint64]]  # pages that a program references in each epoch, in order


@dataclass(frozen=True, eq=False)
class GovernedRun:
    """Results by epoch and program; programs are in the order in which they were given.

    Attributes
    ----------
    faults
        int64[epochs, programs], references to pages that were not resident.
    first_touches
        int64[epochs, programs], part of `faults`: the page was never referenced before.
    resident
        int64[epochs, programs], pages at the end of the epoch, before new budgets.
    budgets
        int64[epochs, programs], pages, as decided at the end of the epoch.
    memory_pages
        of all programs.
    """

    faults: NDArray[np.int64]
    first_touches: NDArray[np.int64]
    resident: NDArray[np.int64]
    budgets: NDArray[np.int64]
    memory_pages: int

    @property
    def idle_pages(self) -> NDArray[np.int64]:
        """Return the memory in no budget after each epoch, int64[epochs]."""
        return self.memory_pages - self.budgets.sum(axis=1)


def loops(phases: Sequence[tuple[int, int]], references: int) -> Epochs:
    """Return a program that loops over pages 0, 1 ..., from page 0 on in each phase.

    Parameters
    ----------
    phases
        (pages of the loop, epochs), in order.
    references
        of an epoch.
    """
    return [
        (np.arange(references, dtype=np.uint64) + np.uint64(epoch * references)) % np.uint64(pages)
        for pages, epochs in phases
        for epoch in range(epochs)
    ]


def run_governed(
    programs: Mapping[int, Epochs],
    parameters: GovernorParameters,
    *,
    system: str,
    group_pages: int,
    groups: int,
    cycles: float = 1.0,
) -> GovernedRun:
    """Run programs side by side for as many epochs as each has references for.

    Until the first decision each program has an equal part of the memory.

    Parameters
    ----------
    programs
        references by context.
    system
        one of `SYSTEMS`.
    group_pages, groups
        of the monitor; a tail has twice as many groups, and the last one counts all that
        is deeper. `full` counts deeper positions than the last group as misses, as the monitor does.
    cycles
        length of an epoch; only ratios matter.

    Raises
    ------
    UserError
        an unknown system, no program, programs of different length, or minimums that exceed the
        memory.
    """
    if system not in SYSTEMS:
        raise UserError(f"unknown system {system!r}", remedy=choose_from(system, SYSTEMS))
    lengths = {len(epochs) for epochs in programs.values()}
    if len(lengths) != 1:
        raise UserError(
            f"the programs have {' and '.join(map(str, sorted(lengths))) or 'no'} epochs",
            where="run_governed",
            remedy="give at least one program, and as many epochs for each",
        )
    governor = Governor(parameters)
    memories = {context: _Memory(parameters.memory_pages // len(programs)) for context in programs}
    shape = (lengths.pop(), len(programs))
    faults, first_touches, resident, set_to = (np.zeros(shape, np.int64) for _ in range(4))
    run = GovernedRun(faults, first_touches, resident, set_to, parameters.memory_pages)
    for epoch in range(shape[0]):
        counted = {}
        for place, (context, memory) in enumerate(memories.items()):
            positions, hit = memory.reference(programs[context][epoch])
            counted[context] = _counters(system, positions, hit, group_pages, groups)
            run.faults[epoch, place] = np.count_nonzero(~hit)
            run.first_touches[epoch, place] = np.count_nonzero(positions < 0)
            run.resident[epoch, place] = memory.resident
        budgets = governor.decide(counted, cycles).budgets
        for place, (context, memory) in enumerate(memories.items()):
            memory.limit_to(budgets[context])
            run.budgets[epoch, place] = budgets[context]
    return run


class _Memory:
    """The pages of a program under LRU: the resident ones are the first of its stack."""

    def __init__(self, limit: int) -> None:
        self.resident = 0
        self._limit = limit
        self._stack = ExactStack()

    def limit_to(self, pages: int) -> None:
        """Set the budget, and evict what exceeds it."""
        self._limit = pages
        self.resident = min(self.resident, pages)

    def reference(self, pages: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return LRU positions, int64[n], -1 for the first reference to a page, and which hit, bool[n]."""
        positions = self._stack.distances(pages).astype(np.int64) - 1
        hit = np.zeros(positions.size, dtype=bool)
        start = 0
        while start < positions.size:
            rest = positions[start:]
            found = (rest >= 0) & (rest < self.resident)
            # The resident pages grow by one with each fault, until the limit is reached.
            full = self.resident >= self._limit
            stop = rest.size if full or found.all() else int(np.argmin(found)) + 1
            hit[start : start + stop] = found[:stop]
            if not full and not found[:stop].all():
                self.resident += 1
            start += stop
        return positions, hit


def _counters(
    system: str, positions: NDArray[np.int64], hit: NDArray[np.bool_], group_pages: int, groups: int
) -> HitCounters:
    seen = (positions >= 0) & (positions < groups * group_pages)
    if system != "full":
        seen &= hit
    refaults = positions[(positions >= 0) & ~hit] if system == "tail" else positions[:0]
    return HitCounters.of(
        np.bincount(positions[seen] // group_pages, minlength=groups),
        int(np.count_nonzero(~seen)),
        group_pages,
        refaults=np.bincount(np.minimum(refaults // group_pages, 2 * groups - 1)),
    )
