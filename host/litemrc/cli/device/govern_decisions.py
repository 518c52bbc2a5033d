"""The decisions of `litemrc govern`: the messages of an epoch in, budgets and a working-set size out."""

from collections.abc import Iterable, Mapping

from litemrc.cli.shared.memory import MemorySize
from litemrc.curves.hit_counters import HitCounters
from litemrc.device.collecting.tasks import TaskRow
from litemrc.device.link.protocol import Message
from litemrc.epochs.table import EpochRow
from litemrc.policies.allocation.governor import Governor
from litemrc.policies.allocation.governor_parameters import GovernorParameters


class GovernDecisions:
    """Decides epoch by epoch.

    Parameters:
        memory: memory to divide; None: that of the device's pager.
        minimum, epsilon: parameters of the governor.
    """

    def __init__(self, *, memory: MemorySize | None, minimum: MemorySize, epsilon: float) -> None:
        self._memory, self._minimum, self._epsilon = memory, minimum, epsilon
        self._governor: Governor | None = None

    def decide(
        self,
        hello: Message,
        rows: Iterable[EpochRow],
        tasks: Mapping[int, TaskRow],
        governed: set[int],
        cycles: float,
    ) -> tuple[dict[int, int], int]:
        """Return the budgets of the governed contexts in pages, and the working set in groups.

        Parameters:
            hello: the device's description of itself.
            rows: the counters of the epoch.
            tasks: the last row of each task of the pager; empty without a pager.
            governed: contexts that share the memory; empty: the memory is not divided.
            cycles: length of the epoch.
        """
        group_pages = hello.pages // hello.groups
        curves = {
            row.context: _counters(row, group_pages)
            for row in rows
            if row.context in governed or not governed
        }
        page_bytes = 1 << hello.page_shift
        if self._memory:
            memory = self._memory.pages(page_bytes)
        else:
            memory = next((task.memory for task in tasks.values()), hello.frames)
        minimum = self._minimum.pages(page_bytes, "--minimum")
        decision = self._governor_for(memory, minimum, group_pages).decide(curves, cycles)
        budgets = {context: pages for context, pages in decision.budgets.items() if context in governed}
        return budgets, decision.n_mrc

    def _governor_for(self, memory: int, minimum: int, group_pages: int) -> Governor:
        """Return the governor of this memory size; a change of the size discards the former governor."""
        if self._governor is None or self._governor.parameters.memory_pages != memory:
            self._governor = Governor(
                GovernorParameters(
                    memory_pages=memory,
                    delta_pages=group_pages,
                    minimum_pages=minimum,
                    epsilon=self._epsilon,
                )
            )
        return self._governor


def _counters(row: EpochRow, group_pages: int) -> HitCounters:
    return HitCounters.of(
        row.hits,
        row.misses,
        group_pages << row.scale_log2,
        accesses=row.accesses,
        overflow=row.overflow,
    )
