# SPDX-License-Identifier: BSD-2-Clause
"""Collects epochs from a device, counts those lost on the link, and keeps what arrived."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict

from litemrc.device.collecting.epoch_messages import EpochLedger, NumberedRows, RankRows, TaskRows
from litemrc.device.collecting.page_epochs import PagesOfEpochs, PagesRow, accessed_epochs, hot_lists
from litemrc.device.contexts import get_followed
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError
from litemrc.device.hot import PageMessages
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message
from litemrc.device.rank_commands import Dram
from litemrc.device.running import Run, RunningPrograms
from litemrc.epochs.epoch_row import open_group
from litemrc.epochs.processes import KERNEL, ProcessLog
from litemrc.epochs.table import OF_THE_EPOCH, EpochRow, EpochTable, groups_of_memory
from litemrc.texts import printable

_FOLLOWERS = ("rank", "task", "pages", "accessed", "hot")  # of an epoch's messages
_PARAMETERS = ("frames", "engine", "pages", "groups", "contexts", "recent_pages")


class Collector:
    """A collection from a device: `rows` grows while `collect` runs, and stays when that is interrupted.

    Attributes
    ----------
    rows
        the epochs received, one row per epoch and context, in order.
    context_names
        the programs seen to run, by context; the kernel's context where there is one.
    processes
        those that contexts followed.
    cycles
        clock cycles each program ran, as (workload, context, cycles), in order of their ends.
    ranks
        counters of the rank meter; None if not requested.
    tasks
        counters of the device's pager by task.
    pages
        counters of a program that keeps copies of remote pages.
    accessed, hot
        the frames accessed, and the hot pages, of epochs that are not taken yet; None if not
        requested.
    """

    def __init__(
        self, device: Device, dram: Dram | None = None, messages: PageMessages | None = None
    ) -> None:
        """Begin with the epochs that the device sends from now on.

        Parameters
        ----------
        dram
            of the device, if its rank counters are collected as well.
        messages
            that the device sends with each epoch, if they are collected as well.

        Raises
        ------
        LinkError
            the device is gone, or its parameters contradict each other.
        """
        self.rows: list[EpochRow] = []
        self.context_names: dict[int, str] = {}
        self.processes = ProcessLog()
        self.cycles: list[tuple[str, int, int]] = []
        self.ranks = RankRows(dram.ranks) if dram else None
        self.tasks = TaskRows()
        self.pages = NumberedRows(PagesRow.of_message)
        self._device = device
        self._hello = device.hello
        if device.hello.system:
            self.context_names[0] = KERNEL
            self._find_processes()
        self._hello = device.say_hello()
        self._note_processes(device.waiting())  # other messages before hello are ignored
        self._ledger = EpochLedger(self._hello.epoch_messages)
        self._begun = 0  # epochs that have a row
        self._running = RunningPrograms(device)
        frames = self._hello.frames
        self.accessed = accessed_epochs(frames) if messages and messages.accessed else None
        self.hot = hot_lists(frames) if messages and messages.hot else None
        self._followers: list[RankRows | PagesOfEpochs] = [
            each for each in (self.ranks, self.accessed, self.hot) if each
        ]

    @property
    def epochs(self) -> int:
        """Number of completely received epochs (not messages)."""
        return self._ledger.epochs

    @property
    def link_counts(self) -> LinkCounts:
        """Counts of the link since it was opened."""
        return self._device.link_counts

    @property
    def link_statistics(self) -> dict[str, int]:
        """Counts of the link since it was opened, and of the epoch messages of this collection."""
        epochs = {"epoch_messages": self._ledger.received, "epoch_messages_lost": self._ledger.lost}
        return asdict(self._device.link_counts) | epochs

    def table(self, *, interrupted: bool = False) -> EpochTable:
        """Return what was collected so far."""
        hello = self._hello
        return EpochTable.from_rows(
            self.rows,
            page_bytes=1 << hello.page_shift,
            **{name: getattr(hello, name) for name in _PARAMETERS},
            context_names=self.context_names,
            processes=self.processes.processes,
            system=printable(hello.system),
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
            how many epochs (not messages) to add; None: no limit.
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
        yield from self._collect_epochs(enough, bool(runs))
        yield from self._collect_last_followers()

    def _collect_epochs(self, enough: int | None, runs: bool) -> Iterator[Message]:
        while enough is None or self.epochs < enough:
            if runs and not self._running.go_on():
                break
            message = self._device.receive(self._device.timeout_s)
            # After a long silence: check that the device is present, and for a missed end of a program.
            for each in [message] if message else self._ask_hello():
                self._note(each, enough)
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
            self._note(message, None)
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
            self._note(message, None)
        return messages

    def names_now(self, contexts: Collection[int]) -> dict[int, str]:
        """Return the process or program of each of these contexts, where it is known."""
        followed = self.processes.followed
        names = {context: self.context_names.get(context, "") for context in contexts}
        names |= {context: followed[context].label for context in contexts if context in followed}
        return {context: name for context, name in names.items() if name}

    def forget(self) -> None:
        """Drop what was collected, as far as later messages do not depend on it: memory stays bounded."""
        del self.rows[:-1]
        self.forget_programs()
        self.processes.forget()
        if self.ranks:
            del self.ranks.rows[:-1]
        for each in (self.accessed, self.hot):
            if each:
                each.whole.clear()

    def forget_programs(self) -> None:
        """Drop what the device's programs counted."""
        self.cycles.clear()
        self.tasks.rows.clear()
        self.pages.rows.clear()

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
        while self.epochs == before or not self._last_epoch_is_empty():
            message = self._device.receive(self._device.timeout_s)
            if message is None:
                return
            self._note(message, None)
            yield message
        yield from self._collect_last_followers()

    def _collect_last_followers(self) -> Iterator[Message]:
        """Messages of ranks and of single pages follow those of their epoch directly."""
        while self.rows and any(each.last_epoch != self.rows[-1].epoch for each in self._followers):
            message = self._device.receive(self._device.timeout_s)
            if message is None:
                return
            self._note(message, self._begun)
            yield message
            if message.name not in _FOLLOWERS:
                return

    def _last_epoch_is_empty(self) -> bool:
        last = self.rows[-1] if self.rows else None
        return last is not None and not (last.accesses + last.dropped + last.outside + last.unsampled)

    def _ask_hello(self) -> list[Message]:
        """Return an answer to hello, behind everything that came before it."""
        hello = self._device.say_hello()
        return [*self._device.waiting(), hello]

    def _find_processes(self) -> None:
        """Find the processes followed now; messages between two answers are newer than the first only."""
        self._device.waiting()
        for context in range(1, self._hello.contexts):
            followed = get_followed(self._device, context)
            self._note_processes(self._device.waiting(), below=context)
            if followed.state != "free":
                self.processes.find(context, followed.pid, followed.comm)
            if followed.state == "ended":
                self.processes.end(context, followed.pid, followed.comm)

    def _note_processes(self, messages: Iterable[Message], below: int = 256) -> None:
        for message in messages:
            if message.name == "process" and message.context < below:
                self._note_process(message)

    def _note(self, message: Message, enough: int | None) -> None:
        if message.name in ("epoch", "event", "hello", "process"):
            try:
                self._ledger.note(message)
            except ValueError as error:
                what = f"the device was restarted: {error}"
                raise DeviceGoneError(what, where=self._device.url, remedy="collect again") from None
        if message.name == "epoch":
            self._note_epoch(message, enough)
        elif message.name == "event":
            self._note_event(message)
        elif message.name == "process":
            self._note_process(message)
        elif message.name == "hello":
            self._running.note_hello(message)
        elif message.name == "rank" and self.ranks:
            self._note_follower(self.ranks, message)
        elif message.name == "accessed" and self.accessed:
            self._note_follower(self.accessed, message)
        elif message.name == "hot" and self.hot:
            self._note_follower(self.hot, message)
        elif message.name == "task":
            self.tasks.note(message)
        elif message.name == "pages":
            self.pages.note(message)

    def _note_process(self, message: Message) -> None:
        if message.state == "free":
            self.processes.free(message.context)
            return
        note = self.processes.follow if message.state == "following" else self.processes.end
        note(message.context, message.pid, printable(message.comm))

    def _note_epoch(self, message: Message, enough: int | None) -> None:
        last = self.rows[-1] if self.rows else None
        begins = last is None or last.epoch != message.epoch
        if begins and self._begun == enough:
            return
        hello = self._hello
        values = {name: getattr(message, name) for name in EpochRow.__slots__}
        try:
            row = EpochRow(**values | {name: tuple(values[name]) for name in ("hits", "tail")})
        except ValueError as error:
            raise self._device.fault(str(error)) from error
        if len(row.hits) != hello.groups:
            raise self._device.fault(
                f"an epoch with {len(row.hits)} groups of context {row.context}, and its hello has"
                f" {hello.groups}"
            )
        if len(row.tail) > open_group(hello.groups) + 1:
            raise self._device.fault(f"a tail with {len(row.tail)} groups of context {row.context}")
        if any(row.hits[groups_of_memory(hello.frames, hello.pages, hello.groups, row.scale_log2) :]):
            raise self._device.fault(f"epoch {row.epoch}, context {row.context}: hits deeper than the memory")
        if last and (last.epoch, last.context) >= (row.epoch, row.context):
            raise self._device.fault(
                f"epoch {row.epoch}, context {row.context} after {last.epoch}, {last.context}"
            )
        for name in () if begins else OF_THE_EPOCH:
            if getattr(last, name) != getattr(row, name):
                what = f"{name} is {getattr(last, name)} and {getattr(row, name)}"
                raise self._device.fault(f"epoch {row.epoch}: {what}")
        self.rows.append(row)
        self._begun += begins
        self.processes.note_epoch(row.epoch)

    def _note_follower(self, follower: RankRows | PagesOfEpochs, message: Message) -> None:
        try:
            follower.note(message)
        except ValueError as error:
            raise self._device.fault(str(error)) from error

    def _note_event(self, message: Message) -> None:
        names = self._hello.workloads
        self.context_names[message.context] = names[message.workload]
        if message.kind == "workload_done":
            self.cycles.append((names[message.workload], message.context, message.cycles))
            self._running.note_done(message)
