"""From the messages of an epoch to the governor and back: whom it governs, and what memory there is."""

from collections.abc import Iterable, Mapping

from litemrc.curves.curve import Curve
from litemrc.device.collecting.tasks import TaskRow
from litemrc.device.link.protocol import Message
from litemrc.epochs.table import EpochRow
from litemrc.policies.allocation.governor import Governor
from litemrc.policies.allocation.governor_parameters import GovernorParameters


class GovernDecisions:
    """Decides epoch by epoch.

    Parameters:
        memory: pages to divide; None: what the device's pager says.
        minimum, epsilon: of the governor.
    """

    def __init__(self, *, memory: int | None, minimum: int, epsilon: float) -> None:
        self._memory, self._minimum, self._epsilon = memory, minimum, epsilon
        self._governor: Governor | None = None

    def decide(
        self,
        hello: Message,
        rows: Iterable[EpochRow],
        tasks: Mapping[int, TaskRow],
        governed: set[int],
        clocks: float,
    ) -> tuple[dict[int, int], int]:
        """Budgets in pages of the contexts governed, and groups of the working set, after an epoch.

        Parameters:
            hello: the device's.
            rows: of the epoch.
            tasks: of the pager, the last row of each; empty: it has none.
            governed: contexts that memory is divided between; empty: it is not divided.
            clocks: of the epoch.
        """
        group_pages = hello.pages // hello.groups
        curves = {
            row.context: _curve(row, group_pages) for row in rows if row.context in governed or not governed
        }
        memory = self._memory or next((task.memory for task in tasks.values()), hello.frames)
        decision = self._governor_for(memory, group_pages).decide(curves, clocks)
        budgets = {context: pages for context, pages in decision.budgets.items() if context in governed}
        return budgets, decision.n_mrc

    def _governor_for(self, memory: int, group_pages: int) -> Governor:
        """One that divides so much memory; what it knows of another is forgotten."""
        if self._governor is None or self._governor.parameters.memory_pages != memory:
            self._governor = Governor(
                GovernorParameters(
                    memory_pages=memory,
                    delta_pages=group_pages,
                    minimum_pages=self._minimum,
                    epsilon=self._epsilon,
                )
            )
        return self._governor


def _curve(row: EpochRow, group_pages: int) -> Curve:
    return Curve.of_counters(
        row.hits,
        row.misses,
        group_pages << row.scale_log2,
        accesses=row.accesses,
        overflow=row.overflow,
    )
