"""Runs `policies.trays.placement` on the tray machine: counts as the monitor does, copies what moves."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litemrc.curves.curve import Curve
from litemrc.machines.trays.hardware import LINE_BYTES, LINES
from litemrc.machines.trays.views import free_to_move
from litemrc.native.exact_stack import ExactStack
from litemrc.policies.trays.placement import PlacementParameters, plan

if TYPE_CHECKING:
    from litemrc.machines.trays.machine import TrayMachine

GROUPS = 256  # of the curve


@dataclass(frozen=True)
class Placer:
    """Pages are migrated now and then.

    Attributes:
        period_s: an epoch of the monitor, and then a plan.
        parameters: of the policy.
        copy_bytes_s: how fast pages are copied.
    """

    period_s: float = 1.0
    parameters: PlacementParameters = field(default_factory=PlacementParameters)
    copy_bytes_s: float = 4e9

    def begin(self, machine: "TrayMachine") -> "Placing":
        """On a machine that begins."""
        return Placing(self, machine)


class Placing:
    """A `Placer` at work."""

    def __init__(self, placer: Placer, machine: "TrayMachine") -> None:
        self._placer, self._machine = placer, machine
        self._period = machine.hardware.clocks(placer.period_s * 1e9)
        self._due = self._period
        self._stack = ExactStack()
        self._group_pages = -(-machine.hardware.pages // GROUPS)
        self._frames: list[np.ndarray] = []
        self._hits = np.zeros(GROUPS, np.int64)
        self._misses = 0

    def visited(self, frames: np.ndarray) -> None:
        """These frames were visited, one after the other."""
        memory = self._machine.memory
        # A page is the same wherever it lies.
        pages = memory.owner[frames] << 40 | memory.page[frames]
        distances = self._stack.distances(pages.astype(np.uint64))
        known = distances > 0
        self._misses += int((~known).sum())
        groups = (distances[known].astype(np.int64) - 1) // self._group_pages
        self._hits += np.bincount(groups, minlength=GROUPS)[:GROUPS]
        self._frames.append(frames)
        if self._machine.ranks.now >= self._due:
            self._place()
            self._due = self._machine.ranks.now + self._period

    def _place(self) -> None:
        machine, memory = self._machine, self._machine.memory
        counts = np.bincount(np.concatenate(self._frames), minlength=machine.hardware.pages)
        frames = np.flatnonzero((counts > 0) & (memory.owner >= 0))
        frames = frames[free_to_move(memory, frames)]
        curve = Curve.of_counters(self._hits, self._misses, self._group_pages)
        trays = memory.trays(machine.asleep())
        chosen = plan(curve, counts[frames], memory.tray_of(frames), trays, self._placer.parameters)
        self._frames, self._misses = [], 0
        self._hits[:] = 0
        line_ns = LINE_BYTES / self._placer.copy_bytes_s * 1e9
        for move in chosen.moves:
            origin = frames[move.pages]
            target = memory.migrate(origin, move.target)
            # Page by page: read there, written here.
            both = np.stack([origin[: target.size], target], axis=1).ravel()
            reads = np.tile([LINES, 0], target.size)
            if target.size:
                machine.visit(both, reads, LINES - reads, line_ns, 0.0)
