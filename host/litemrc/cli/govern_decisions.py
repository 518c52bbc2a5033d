"""From the messages of an epoch to the governor and back: whom it governs, and what memory there is."""

from collections.abc import Iterable, Mapping

from litemrc.curve import Curve
from litemrc.device.tasks import TaskRow
from litemrc.epoch_table import EpochRow
from litemrc.policies.governor import Decision, Governor, GovernorParameters


class GovernDecisions:
    """Decides epoch by epoch.

    Parameters:
        memory: pages to divide; None: what the device's pager says.
        group_pages, frames: of the device's stacks and memory.
        minimum, epsilon: of the governor.
    """

    def __init__(
        self, *, memory: int | None, frames: int, group_pages: int, minimum: int, epsilon: float
    ) -> None:
        self._memory, self._frames, self._group_pages = memory, frames, group_pages
        self._minimum, self._epsilon = minimum, epsilon
        self._governor: Governor | None = None

    def decide(
        self, rows: Iterable[EpochRow], tasks: Mapping[int, TaskRow], governed: set[int], clocks: float
    ) -> tuple[dict[int, int], int]:
        """Budgets in pages of the contexts governed, and groups of the working set, after an epoch.

        Parameters:
            rows: of the epoch.
            tasks: of the pager, the last row of each; empty: it has none.
            governed: contexts that memory is divided between; empty: it is not divided.
            clocks: of the epoch.
        """
        curves = {row.context: self._curve(row) for row in rows}
        if governed:
            curves = {context: curve for context, curve in curves.items() if context in governed}
        decision = self._governor_for(tasks).decide(curves, clocks)
        return self._budgets(decision, governed), decision.n_mrc

    def _budgets(self, decision: Decision, governed: set[int]) -> dict[int, int]:
        return {context: pages for context, pages in decision.budgets.items() if context in governed}

    def _governor_for(self, tasks: Mapping[int, TaskRow]) -> Governor:
        told = next((task.memory for task in tasks.values()), self._frames)
        memory = self._memory or told
        if self._governor is None or self._governor.parameters.memory_pages != memory:
            self._governor = Governor(
                GovernorParameters(
                    memory_pages=memory,
                    delta_pages=self._group_pages,
                    minimum_pages=self._minimum,
                    epsilon=self._epsilon,
                )
            )
        return self._governor

    def _curve(self, row: EpochRow) -> Curve:
        group_pages = self._group_pages << row.scale_log2
        return Curve.of_counters(
            row.hits, row.misses, group_pages, accesses=row.accesses, overflow=row.overflow
        )
