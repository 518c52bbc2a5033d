# SPDX-License-Identifier: BSD-2-Clause
"""Collects epochs from a device, counts those lost on the link, and keeps what arrived."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litemrc.device.collecting.page_epochs import (
    AccessedEpoch,
    accessed_epoch,
    hot_list,
    pages_rows,
)
from litemrc.device.collecting.record_rows import (
    EpochLedger,
    epoch_rows,
    epoch_table,
    is_empty,
    rank_rows,
    task_rows,
)
from litemrc.device.collecting.traffic import traffic_of
from litemrc.device.contexts import get_followed
from litemrc.device.errors import DeviceGoneError
from litemrc.device.hot import PageMessages
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message
from litemrc.device.link.record import Record
from litemrc.device.link.schema import schema
from litemrc.device.rank_commands import Dram
from litemrc.device.running import Run, RunningPrograms
from litemrc.epochs.columns import Rows
from litemrc.epochs.processes import KERNEL, ProcessLog
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic import Traffic
from litemrc.pages.hot_lists import HotList
from litemrc.ranks.table import RankRows
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.device.device import Device

_CONTEXTS = 256  # at most
_STATE = ("context", "state", "pid", "comm")


class Collector:
    """A collection from a device: `counts` grows while `collect` runs, and stays when that is interrupted.

    Attributes
    ----------
    counts
        the rows of each epoch received, in order.
    context_names
        the programs seen to run, by context; the kernel's context where there is one.
    processes
        those that contexts followed.
    cycles
        clock cycles each program ran, as (workload, context, cycles), in order of their ends.
    ranks
        counters of the rank meter, a row for each rank of each epoch that has them; None if not requested.
    tasks
        each struct litemrc_task of the epochs, as `task_rows` returns them.
    pages
        each struct litemrc_copies of the epochs, as `pages_rows` returns them.
    accessed, hot
        the frames accessed, and the hot pages, of epochs that are not taken yet; None if not
        requested.
    traffic
        number and DRAM commands of each epoch received that has them; None if not requested.
    """

    def __init__(
        self,
        device: "Device",
        dram: Dram | None = None,
        messages: PageMessages | None = None,
        *,
        traffic: bool = False,
    ) -> None:
        """Begin with the epochs that the device sends from now on.

        Parameters
        ----------
        dram
            of the device, if its rank counters are collected as well.
        messages
            that the device sends with each epoch, if they are collected as well.
        traffic
            the DRAM commands of epochs are collected as well.

        Raises
        ------
        LinkError
            the device is gone, or its parameters contradict each other.
        """
        self.counts: list[Rows] = []
        self.context_names: dict[int, str] = {}
        self.processes = ProcessLog()
        self.cycles: list[tuple[str, int, int]] = []
        self.ranks: list[RankRows] | None = [] if dram else None
        self.tasks: list[dict[str, Any]] = []
        self.pages: list[dict[str, int]] = []
        self.accessed: deque[AccessedEpoch] | None = deque() if messages and messages.accessed else None
        self.hot: deque[HotList] | None = deque() if messages and messages.hot else None
        self.traffic: list[tuple[int, Traffic]] | None = [] if traffic else None
        self._device = device
        self._hello = device.hello
        if device.hello.system:
            self.context_names[0] = KERNEL
            self._find_processes()
        self._hello = device.say_hello()
        self._note_waiting()
        self._ledger = EpochLedger(self._hello.epoch)
        self._running = RunningPrograms(device)
        self._states: NDArray[np.void] | None = None  # of contexts, at the end of the last epoch

    @property
    def epochs(self) -> int:
        """Number of received epochs."""
        return self._ledger.received

    @property
    def link_counts(self) -> LinkCounts:
        """Counts of the link since it was opened."""
        return self._device.link_counts

    @property
    def link_statistics(self) -> dict[str, int]:
        """Counts of the link since it was opened, and of the epochs of this collection."""
        epochs = {"epoch_messages": self._ledger.received, "epoch_messages_lost": self._ledger.lost}
        return asdict(self._device.link_counts) | epochs

    def table(self, *, interrupted: bool = False) -> EpochTable:
        """Return what was collected so far."""
        self._apply_states()
        return epoch_table(
            self._hello,
            self.counts,
            context_names=self.context_names,
            processes=self.processes.processes,
            link_statistics=self.link_statistics,
            interrupted=interrupted,
        )

    def collect(
        self, epochs: int | None = None, runs: Sequence[Run] = (), *, together: bool = False
    ) -> Iterator[Message]:
        """Yield every message of the device, once it is noted, until there are enough epochs.

        Parameters
        ----------
        epochs
            how many epochs to add; None: no limit.
        runs
            programs to run one after the other; the collection ends with the last one's last epoch,
            even if there are fewer epochs than asked for.
        together
            start them all at once.

        Raises
        ------
        UserError
            a program or context the device does not have, or programs that cannot run together.
        LinkError
            the device is gone, was restarted or sent nonsense; what was collected stays.
        """
        enough = None if epochs is None else self.epochs + epochs
        self._running.queue(runs, together=together)
        while enough is None or self.epochs < enough:
            if runs and not self._running.go_on():
                break
            message = self._device.receive(self._device.timeout_s)
            # After a long silence: check that the device is present, and for a missed end of a program.
            for each in [message] if message else self._ask_hello():
                if each.name == "epoch" and self.epochs == enough:
                    return
                self._note(each)
                yield each

    def take(self, timeout_s: float) -> Message | None:
        """Note the next message and return it; None after the timeout.

        Raises
        ------
        LinkError
            as `collect`.
        """
        message = self._device.receive(timeout_s)
        if message:
            self._note(message)
        return message

    def ask_hello(self) -> list[Message]:
        """Note, and return, what comes up to an answer to hello: the device is there.

        Raises
        ------
        LinkError
            as `collect`.
        """
        messages = self._ask_hello()
        for message in messages:
            self._note(message)
        return messages

    def names_now(self, contexts: Collection[int]) -> dict[int, str]:
        """Return the process or program of each of these contexts, where it is known."""
        followed = self.processes.followed
        names = {context: self.context_names.get(context, "") for context in contexts}
        names |= {context: followed[context].label for context in contexts if context in followed}
        return {context: name for context, name in names.items() if name}

    def forget(self) -> None:
        """Drop what was collected, as far as later messages do not depend on it: memory stays bounded."""
        del self.counts[:-1]
        self.processes.forget()
        for each in (
            self.cycles,
            self.tasks,
            self.pages,
            self.ranks,
            self.accessed,
            self.hot,
            self.traffic,
        ):
            if each:
                each.clear()

    def finish(self) -> Iterator[Message]:
        """Switch the monitor off, and yield what comes until the last epoch that counted anything is there.

        Raises
        ------
        LinkError
            as `collect`.
        """
        self._device.request("monitor", on=False)
        # The first request ends the running epoch, whose counters may be zero; those of the second are zero.
        self._device.request("end_epoch")
        self._device.request("end_epoch")
        before = self.epochs
        while self.epochs == before or not is_empty(self.counts[-1]):
            message = self._device.receive(self._device.timeout_s)
            if message is None:
                return
            self._note(message)
            yield message

    def _ask_hello(self) -> list[Message]:
        """Return an answer to hello, behind everything that came before it."""
        hello = self._device.say_hello()
        return [*self._device.waiting(), hello]

    def _find_processes(self) -> None:
        """Find the processes followed now.

        An epoch that ends between two answers is newer than the first only.
        """
        self._device.waiting()
        for context in range(1, self._hello.contexts):
            followed = get_followed(self._device, context)
            self._note_waiting(below=context)
            self.processes.note(context, followed.state, followed.pid, followed.comm)

    def _note_waiting(self, below: int = _CONTEXTS) -> None:
        for message in self._device.waiting():
            if message.name == "epoch":
                self._note_states(message.record.rows, below)

    def _apply_states(self) -> None:
        """Note what was followed at the end of the last epoch: it holds for the next one."""
        if self._states is not None:
            self._note_states(self._states)
            self._states = None

    def _note_states(self, rows: NDArray[np.void], below: int = _CONTEXTS) -> None:
        """Note what contexts followed at the end of an epoch: nothing, if they have no row."""
        if not self._hello.system:
            return
        found = {}
        for context, state, pid, comm in zip(*(rows[name].tolist() for name in _STATE), strict=True):
            found[context] = (_state_name(state), pid, printable(comm.decode(errors="replace")))
        for context in {*found, *self.processes.contexts}:
            if context < below:
                self.processes.note(context, *found.get(context, ("free", 0, "")))

    def _note(self, message: Message) -> None:
        if message.name in ("epoch", "event", "hello"):
            try:
                self._ledger.note(message.epoch, received=message.name == "epoch")
            except ValueError as error:
                what = f"the device was restarted: {error}"
                raise DeviceGoneError(what, where=self._device.url, remedy="collect again") from None
        if message.name == "epoch":
            self._note_record(message.record)
        elif message.name == "event":
            self._note_event(message)
        elif message.name == "hello":
            self._running.note_hello(message)

    def _note_record(self, record: Record) -> None:
        try:
            if self.accessed is not None and (accessed := accessed_epoch(record)):
                self.accessed.append(accessed)
            # Rows of the DRAM, which another host has listed, are no pages.
            if self.hot is not None and not record.head["row_bytes"] and (hot := hot_list(record)):
                self.hot.append(hot)
        except ValueError as error:
            raise self._device.fault(str(error)) from error
        if self.ranks is not None and record.ranks.size:
            self.ranks.append(rank_rows(record))
        if self.traffic is not None and (traffic := traffic_of(record, self._hello.clock_hz)):
            self.traffic.append((record.epoch, traffic))
        self.counts.append(epoch_rows(record))
        self.tasks += task_rows(record)
        self.pages += pages_rows(record)
        self._apply_states()
        self.processes.note_epoch(record.epoch)
        self._states = record.rows[list(_STATE)].copy()

    def _note_event(self, message: Message) -> None:
        names = self._hello.workloads
        self.context_names[message.context] = names[message.workload]
        if message.kind == "workload_done":
            self.cycles.append((names[message.workload], message.context, message.cycles))
            self._running.note_done(message)


def _state_name(number: int) -> str:
    return next((name for name, each in schema().enums["context_state"].items() if each == number), "unknown")
