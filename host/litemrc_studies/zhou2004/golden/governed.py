# SPDX-License-Identifier: BSD-2-Clause
"""Programs under budgets, page by page, with the counters of three kinds of systems; slow and simple.

A program has a list of resident pages, the last used first, and one of evicted pages, the last evicted first.
`litemrc_studies.zhou2004.machine.governed` is equal to it and says what the systems are.
"""

from collections.abc import Mapping, Sequence

from litemrc.curves.hit_counters import HitCounters
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.policies.allocation.decision import GovernorParameters
from litemrc.policies.allocation.governor import Governor


class ProgramMemory:
    """The pages of a program, and what the system counts of its accesses.

    Attributes
    ----------
    limit
        most resident pages.
    resident, evicted
        pages, the last used and the last evicted first.
    stack
        all pages ever used.
    hits, refaults
        by group; misses: of the hardware's counters.
    faults, first_touches
        accesses to pages not resident; those to new pages.
    """

    def __init__(self, system: str, group_pages: int, groups: int, limit: int) -> None:
        self.system, self.group_pages, self.groups, self.limit = system, group_pages, groups, limit
        self.resident: list[int] = []
        self.evicted: list[int] = []
        self.stack = LruStack[int]()
        self.begin_epoch()

    def begin_epoch(self) -> None:
        """Clear the counters."""
        self.hits, self.refaults = [0] * self.groups, [0] * (2 * self.groups)
        self.misses = self.faults = self.first_touches = 0

    def access(self, page: int) -> None:
        """Use a page, and count as the system does."""
        depth = self.stack.access(page)
        place = None
        if page in self.resident:
            place = self.resident.index(page)
            self.resident.remove(page)
        else:
            self.faults += 1
            self.first_touches += depth is None
            if page in self.evicted:
                later = self.evicted.index(page)
                group = min((len(self.resident) + later) // self.group_pages, 2 * self.groups - 1)
                self.refaults[group] += self.system == "tail"
                self.evicted.remove(page)
        self.resident.insert(0, page)
        self.shrink()
        counted = depth if self.system == "full" else place
        if counted is None or counted >= self.groups * self.group_pages:
            self.misses += 1
        else:
            self.hits[counted // self.group_pages] += 1

    def shrink(self) -> None:
        """Evict the least recently used pages above the limit."""
        while len(self.resident) > self.limit:
            self.evicted.insert(0, self.resident.pop())


def run_governed(
    programs: Mapping[int, Sequence[Sequence[int]]],
    parameters: GovernorParameters,
    *,
    system: str,
    group_pages: int,
    groups: int,
) -> list[list[tuple[int, int, int, int]]]:
    """Return (faults, first touches, resident pages, new budget) of each program in each epoch."""
    governor = Governor(parameters)
    limit = parameters.memory_pages // len(programs)
    memories = {context: ProgramMemory(system, group_pages, groups, limit) for context in programs}
    epochs = []
    for number in range(len(next(iter(programs.values())))):
        for context, memory in memories.items():
            memory.begin_epoch()
            for page in programs[context][number]:
                memory.access(int(page))
        counted = {
            context: HitCounters.of(memory.hits, memory.misses, group_pages, refaults=memory.refaults)
            for context, memory in memories.items()
        }
        budgets = governor.decide(counted, 1.0).budgets
        rows = []
        for context, memory in memories.items():
            rows.append((memory.faults, memory.first_touches, len(memory.resident), budgets[context]))
            memory.limit = budgets[context]
            memory.shrink()
        epochs.append(rows)
    return epochs
