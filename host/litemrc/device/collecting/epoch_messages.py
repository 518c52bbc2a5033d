# SPDX-License-Identifier: BSD-2-Clause
"""What becomes of messages of epochs: rows of ranks and tasks, and counts of those that were lost."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from litemrc.device.device import Device
from litemrc.device.errors import SilentDeviceError
from litemrc.device.link.protocol import Message
from litemrc.device.link.schema import schema
from litemrc.device.rank_commands import Dram, power_state_number
from litemrc.ranks.table import RankRow, RankTable

Row = TypeVar("Row")
_HALF = 1 << 31  # indices are 32 bits and wrap: a step of more than half the range is a step back
_MOST_RECENT = 2 * 256  # rows of two epochs: of each context one


class MessageGaps:
    """Counts messages lost since the first one.

    Attributes
    ----------
    lost
        so far.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._next_index: int | None = None

    def note(self, index: int) -> None:
        """Note a received message; its index is modulo 2^32."""
        if self._next_index is not None:
            self.lost += (index - self._next_index) % 2**32
        self._next_index = index + 1


class NumberedRows(Generic[Row]):
    """Rows of one kind of message.

    Attributes
    ----------
    rows
        in the order of arrival.
    """

    def __init__(self, of_message: Callable[[Message], Row]) -> None:
        self.rows: list[Row] = []
        self._of_message = of_message
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Messages lost since the first one."""
        return self._gaps.lost

    def note(self, message: Message) -> None:
        """Append the row of a message."""
        self._gaps.note(message.index)
        self.rows.append(self._of_message(message))


class EpochLedger:
    """Counts epochs and their messages from the indices of received messages, over a lossy link.

    Attributes
    ----------
    received, lost
        epoch messages since the device had sent `first_index` of them.
    epochs
        epochs of which a message was received and none is still to come.
    """

    def __init__(self, first_index: int) -> None:
        self.received = 0
        self.lost = 0
        self.epochs = 0
        self._expected = first_index
        self._epoch_end: int | None = None  # index behind the last message of the epoch that has begun

    def note(self, message: Message) -> None:
        """Note an epoch message, or a message with the number of epoch messages sent so far.

        Raises
        ------
        ValueError
            the device restarted its count: it was reset, and the losses are unknown.
        """
        sent = message.index if message.name == "epoch" else message.epoch_messages
        missing = _steps(self._expected, sent)
        if missing >= _HALF:
            raise ValueError(f"{sent} epoch messages sent, of which {self._expected} were already seen")
        self.lost += missing
        self._pass(sent)
        if message.name == "epoch":
            self.received += 1
            self._epoch_end = sent + 1 + message.remaining
            self._pass(sent + 1)

    def _pass(self, sent: int) -> None:
        """All messages before index `sent` have arrived or are lost."""
        self._expected = sent
        if self._epoch_end is not None and _steps(self._epoch_end, sent) < _HALF:
            self.epochs += 1
            self._epoch_end = None


def _steps(start: int, end: int) -> int:
    return (end - start) % 2**32


class RankRows:
    """Rows of the epochs of which a message of every rank has arrived.

    Attributes
    ----------
    rows
        of those epochs, in order.
    received
        rank messages since the first one.
    """

    def __init__(self, ranks: int) -> None:
        self.rows: list[RankRow] = []
        self.received = 0
        self._ranks = ranks
        self._begun: list[RankRow] = []
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Rank messages lost since the first one."""
        return self._gaps.lost

    @property
    def last_epoch(self) -> int | None:
        """The last epoch that is whole."""
        return self.rows[-1].epoch if self.rows else None

    def note(self, message: Message) -> None:
        """Note a rank message.

        Raises
        ------
        ValueError
            it contradicts itself or another one of its epoch, or the device has no such rank.
        """
        if message.domain >= self._ranks:
            raise ValueError(f"rank {message.domain} of {self._ranks}")
        if self.rows and message.epoch == self.rows[-1].epoch:
            raise ValueError(f"rank messages of epoch {message.epoch} again")
        self._gaps.note(message.index)
        self.received += 1
        row = RankRow(
            epoch=message.epoch,
            domain=message.domain,
            clocks=message.clocks,
            counters=tuple(message.counters),
            state=power_state_number(message.state),
            working=message.working,
            live_pages=message.live_pages,
            overflow=message.overflow,
        )
        if self._begun and self._begun[-1].epoch != row.epoch:
            self._begun = []
        if self._begun and self._begun[-1].clocks != row.clocks:
            raise ValueError(
                f"epoch {row.epoch}: {self._begun[-1].clocks} clocks of one rank and {row.clocks} of another"
            )
        if message.domain == len(self._begun):
            self._begun.append(row)
        if len(self._begun) == self._ranks:
            self.rows += self._begun
            self._begun = []


def rank_table(device: Device, dram: Dram, rows: list[RankRow], *, interrupted: bool = False) -> RankTable:
    """The rows of a device as a table."""
    return dram.table(rows, device.hello.clock_hz, interrupted=interrupted)


def watch_ranks(device: Device, dram: Dram) -> Iterator[list[RankRow]]:
    """Yield the rows of each epoch that ends from now on, one of each rank.

    Raises
    ------
    LinkError
        the device is gone or silent, or sends nonsense.
    """
    ranks = RankRows(dram.ranks)
    while True:
        message = device.receive(device.timeout_s)
        if message is None:
            raise SilentDeviceError(
                f"no epoch ended within {device.timeout_s:g} s",
                where=device.url,
                remedy="give epochs a length: litemrc collect --epoch-length",
            )
        if message.name != "rank":
            continue
        try:
            ranks.note(message)
        except ValueError as error:
            raise device.fault(str(error)) from error
        if ranks.rows:
            yield ranks.rows
            ranks.rows = []


@dataclass(frozen=True)
class TaskRow:
    """Counts of a task since the previous row.

    Attributes
    ----------
    memory
        frames that all tasks share.
    budget
        frames guaranteed to the task; None: not set.
    resident
        frames it has.
    faults
        pages read from the slow region; zero_fills: first touches; writes: pages written back.
    iterations
        requests answered; response: clock cycles they took, from the time each was due.
    damaged
        pages read back with other data than written.
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
