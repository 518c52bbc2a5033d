"""Tasks of a device's pager: counts of each task, epoch by epoch."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.device.collecting.message_gaps import NumberedRows
from litemrc.device.link.protocol import Message
from litemrc.device.link.schema import schema

_MOST_RECENT = 2 * 256  # rows of two epochs: of each context one


@dataclass(frozen=True)
class TaskRow:
    """Counts of a task since the previous row.

    Attributes:
        memory: frames that all tasks share.
        budget: frames guaranteed to the task; None: not set.
        resident: frames it has.
        faults: pages read from the slow region; zero_fills: first touches; writes: pages written back.
        iterations: requests answered; response: clock cycles they took, from the time each was due.
        damaged: pages read back with other data than written.
    """

    epoch: int
    context: int
    memory: int
    budget: int | None
    resident: int
    references: int
    faults: int
    zero_fills: int
    writes: int
    iterations: int
    response: int
    damaged: int

    @classmethod
    def of_message(cls, message: Message) -> "TaskRow":
        """Return the row of a task message."""
        values = {name: getattr(message, name) for name in cls.__dataclass_fields__}
        if message.budget == schema().constants["no_budget"]:
            values["budget"] = None
        return cls(**values)


class TaskRows(NumberedRows[TaskRow]):
    """Rows of a device's tasks."""

    def __init__(self) -> None:
        super().__init__(TaskRow.of_message)

    def since(self, epoch: int) -> dict[int, TaskRow]:
        """Return the last row of each task that ran in that epoch or later, by context."""
        return {row.context: row for row in self.rows[-_MOST_RECENT:] if row.epoch >= epoch}


@dataclass(frozen=True)
class TaskTotal:
    """A task over all its rows; `response_cycles` is the mean of an iteration, None before the first."""

    context: int
    references: int
    faults: int
    zero_fills: int
    writes: int
    iterations: int
    response_cycles: float | None
    damaged: int


def task_totals(rows: Iterable[TaskRow]) -> list[TaskTotal]:
    """Return the sums over the rows of each task, in the order of contexts."""
    of_task: dict[int, list[TaskRow]] = defaultdict(list)
    for row in rows:
        of_task[row.context].append(row)
    return [_total(context, of_task[context]) for context in sorted(of_task)]


def _total(context: int, rows: list[TaskRow]) -> TaskTotal:
    def total(name: str) -> int:
        return sum(getattr(row, name) for row in rows)

    iterations = total("iterations")
    return TaskTotal(
        context=context,
        references=total("references"),
        faults=total("faults"),
        zero_fills=total("zero_fills"),
        writes=total("writes"),
        iterations=iterations,
        response_cycles=total("response") / iterations if iterations else None,
        damaged=total("damaged"),
    )
