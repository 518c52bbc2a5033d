# SPDX-License-Identifier: BSD-2-Clause
"""Page placement on the tray machine: counts visits like the monitor, asks the policy, copies pages."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from litemrc.curves.hit_counters import HitCounters
from litemrc.native.exact_stack import ExactStack

from litemrc_studies.jantz2013.machine.hardware import LINE_BYTES, LINES
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.rank_visits import RankVisits
from litemrc_studies.jantz2013.machine.views import free_to_move
from litemrc_studies.jantz2013.policies.placement import PlacementParameters, plan

GROUPS = 256  # of the curve
# Serves visits: frames, reads, writes, line_ns, gap_ns.
Visit = Callable[[np.ndarray, np.ndarray, np.ndarray, float, float], None]


@dataclass(frozen=True)
class Placer:
    """Settings of periodic page migration.

    Attributes
    ----------
    period_s
        the monitor's epoch; a plan is made at the end of each.
    parameters
        of the policy.
    copy_bytes_s
        throughput of page copies.
    """

    period_s: float = 1.0
    parameters: PlacementParameters = field(default_factory=PlacementParameters)
    copy_bytes_s: float = 4e9


class Placing:
    """A run of periodic page migration.

    Parameters
    ----------
    memory, ranks
        of the machine.
    visit
        the machine's function that serves visits to frames.
    """

    def __init__(self, placer: Placer, memory: Memory, ranks: RankVisits, visit: Visit) -> None:
        self._placer, self._memory, self._ranks, self._visit = placer, memory, ranks, visit
        self._period = memory.hardware.clocks(placer.period_s * 1e9)
        self._due = self._period
        self._stack = ExactStack()
        self._group_pages = -(-memory.hardware.pages // GROUPS)
        self._frames: list[np.ndarray] = []
        self._hits = np.zeros(GROUPS, np.int64)
        self._misses = 0

    def visited(self, frames: np.ndarray) -> None:
        """Count visits to these frames, in their order; at the end of an epoch, migrate pages."""
        memory = self._memory
        # Owner and virtual page identify a page; its frame changes when it is migrated.
        pages = memory.owner[frames] << 40 | memory.page[frames]
        distances = self._stack.distances(pages.astype(np.uint64)).astype(np.int64)  # 0: never used before
        groups = (distances - 1) // self._group_pages
        within = (groups >= 0) & (groups < GROUPS)
        self._misses += int((~within).sum())
        self._hits += np.bincount(groups[within], minlength=GROUPS)
        self._frames.append(frames)
        if self._ranks.now >= self._due:
            self._place()
            self._due = self._ranks.now + self._period

    def _place(self) -> None:
        memory = self._memory
        counts = np.bincount(np.concatenate(self._frames), minlength=memory.hardware.pages)
        frames = np.flatnonzero((counts > 0) & (memory.owner >= 0))
        frames = frames[free_to_move(memory, frames)]
        curve = HitCounters.of(self._hits, self._misses, self._group_pages).curve()
        trays = memory.trays(self._ranks.all_asleep())
        chosen = plan(curve, counts[frames], memory.tray_of(frames), trays, self._placer.parameters)
        self._frames, self._misses = [], 0
        self._hits[:] = 0
        line_ns = LINE_BYTES / self._placer.copy_bytes_s * 1e9
        for move in chosen.moves:
            origin = frames[move.pages]
            target = memory.migrate(origin, move.target)
            # Each page is read at its origin and then written at its target.
            both = np.stack([origin[: target.size], target], axis=1).ravel()
            reads = np.tile([LINES, 0], target.size)
            if target.size:
                self._visit(both, reads, LINES - reads, line_ns, 0.0)
