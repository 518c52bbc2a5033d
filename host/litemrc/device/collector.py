"""Collects epochs from a device, knows exactly how many were lost on the way, and keeps what it has."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, DeviceGoneError
from litemrc.device.ledger import EpochLedger
from litemrc.device.protocol import Message
from litemrc.epoch_table import OF_THE_EPOCH, EpochRow, EpochTable, groups_of_memory
from litemrc.errors import UserError

_PARAMETERS = ("frames", "engine", "pages", "groups", "contexts", "recent_pages")


@dataclass(frozen=True)
class Run:
    """A program of the device to run while collecting.

    `context` None: the program's place among the device's programs, counted from 1. `scale`: how much longer
    than its shortest run.
    """

    workload: str
    context: int | None = None
    scale: int = 1

    @classmethod
    def parse(cls, text: str) -> "Run":
        """Read WORKLOAD[:CONTEXT[:SCALE]].

        Raises:
            UserError: it is not written like that.
        """
        workload, *numbers = text.split(":")
        if not workload or len(numbers) > 2 or not all(n.isascii() and n.isdigit() for n in numbers):
            raise UserError("not a program to run", where=text, remedy="write WORKLOAD[:CONTEXT[:SCALE]]")
        return cls(workload, *map(int, numbers))


class Collector:
    """A collection from a device: `rows` grows while `collect` runs, and stays when that is interrupted.

    Attributes:
        rows: the epochs received, one row per epoch and context, in order.
        context_names: the programs seen to run, by context.
        cycles: clock cycles each program ran, as (workload, context, cycles), in order of their ends.
    """

    def __init__(self, device: Device) -> None:
        """Begin with the epochs that the device sends from now on.

        Raises:
            LinkError: the device is gone, or its parameters contradict each other.
        """
        self.rows: list[EpochRow] = []
        self.context_names: dict[int, str] = {}
        self.cycles: list[tuple[str, int, int]] = []
        self._device = device
        self._hello = device.say_hello()
        device.waiting()  # what came before hello is of no interest
        self._ledger = EpochLedger(self._hello.epoch_messages)
        self._begun = 0  # epochs that have a row
        self._running: tuple[int, int] | None = None  # program and context started by us
        frames, pages, groups = self._hello.frames, self._hello.pages, self._hello.groups
        if pages % groups or not groups <= pages <= frames:
            raise self._fault(f"{frames} frames, {pages} pages in {groups} groups")

    @property
    def epochs(self) -> int:
        """How many epochs (not messages) were received and are over."""
        return self._ledger.epochs

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
            link_statistics=self.link_statistics,
            interrupted=interrupted,
        )

    def collect(self, epochs: int | None = None, runs: Sequence[Run] = ()) -> Iterator[Message]:
        """Yield every message of the device, once it is noted, until there are enough epochs.

        Parameters:
            epochs: how many epochs (not messages) to add; None: no limit.
            runs: programs to run one after the other; the collection ends with the last one's last epoch,
                even if there are fewer epochs than asked for.

        Raises:
            UserError: a program or context the device does not have.
            LinkError: the device is gone, was restarted or sent nonsense; what was collected stays.
        """
        enough = None if epochs is None else self.epochs + epochs
        pending = deque([self._place(run) for run in runs])
        while enough is None or self.epochs < enough:
            if runs and self._running is None:
                if not pending:
                    break
                workload, context, scale = pending.popleft()
                self._device.request("run", workload=workload, context=context, scale=scale)
                self._running = workload, context
            message = self._device.receive(self._device.timeout_s)
            # After a long silence: is the device still there, and did we miss the end of a program?
            for each in [message] if message else self._ask_hello():
                self._note(each, enough)
                yield each

    def _ask_hello(self) -> list[Message]:
        """Return an answer to hello, behind everything that came before it."""
        hello = self._device.say_hello()
        return [*self._device.waiting(), hello]

    def _place(self, run: Run) -> tuple[int, int, int]:
        """Return the numbers of a program, its context and its scale, checked."""
        names = self._hello.workloads
        if run.workload not in names:
            what = f"the device has no program {run.workload!r}"
            raise UserError(what, where=self._device.url, remedy=f"it has: {', '.join(names) or 'none'}")
        place = names.index(run.workload)
        context = (place + 1) % self._hello.contexts if run.context is None else run.context
        if context >= self._hello.contexts:
            what = f"the device has no context {context}"
            raise UserError(what, where=self._device.url, remedy=f"0 to {self._hello.contexts - 1}")
        return place, context, run.scale

    def _note(self, message: Message, enough: int | None) -> None:
        if message.name in ("epoch", "event", "hello"):
            try:
                self._ledger.note(message)
            except ValueError as error:
                what = f"the device was restarted: {error}"
                raise DeviceGoneError(what, where=self._device.url, remedy="collect again") from None
        if message.name == "epoch":
            self._note_epoch(message, enough)
        elif message.name == "event":
            self._note_event(message)
        elif message.name == "hello" and not message.running:
            self._running = None

    def _note_epoch(self, message: Message, enough: int | None) -> None:
        last = self.rows[-1] if self.rows else None
        begins = last is None or last.epoch != message.epoch
        if begins and self._begun == enough:
            return
        hello = self._hello
        values = {name: getattr(message, name) for name in EpochRow.__slots__}
        try:
            row = EpochRow(**values | {"hits": tuple(message.hits)})
        except ValueError as error:
            raise self._fault(str(error)) from error
        if len(row.hits) != hello.groups or row.context >= hello.contexts:
            raise self._fault(f"an epoch with {len(row.hits)} groups of context {row.context}")
        if any(row.hits[groups_of_memory(hello.frames, hello.pages, hello.groups, row.scale_log2) :]):
            raise self._fault(f"epoch {row.epoch}, context {row.context}: hits deeper than the memory")
        if last and (last.epoch, last.context) >= (row.epoch, row.context):
            raise self._fault(f"epoch {row.epoch}, context {row.context} after {last.epoch}, {last.context}")
        for name in () if begins else OF_THE_EPOCH:
            if getattr(last, name) != getattr(row, name):
                what = f"{name} is {getattr(last, name)} and {getattr(row, name)}"
                raise self._fault(f"epoch {row.epoch}: {what}")
        self.rows.append(row)
        self._begun += begins

    def _note_event(self, message: Message) -> None:
        names = self._hello.workloads
        if message.workload >= len(names):
            raise self._fault(f"program {message.workload} of {len(names)}")
        self.context_names[message.context] = names[message.workload]
        if message.kind == "workload_done":
            self.cycles.append((names[message.workload], message.context, message.cycles))
            if self._running == (message.workload, message.context):
                self._running = None

    def _fault(self, what: str) -> DeviceFaultError:
        return DeviceFaultError(
            f"the device sent nonsense: {what}", where=self._device.url, remedy="report this as a bug"
        )
