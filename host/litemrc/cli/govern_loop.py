"""The closed loop: curves of an epoch come in, decisions go out over the same link."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from litemrc.curve import Curve
from litemrc.device.collector import Collector
from litemrc.device.contexts import get_budget, set_budget
from litemrc.device.device import Device, printable
from litemrc.device.errors import (
    DeviceGoneError,
    LinkError,
    PortError,
    RequestRefusedError,
    SilentDeviceError,
)
from litemrc.device.lease import end_lease, take_lease
from litemrc.device.protocol import Message
from litemrc.device.ranks import RankPolicy, WorkingSetSize, get_dram, get_policy, set_policy, set_working_set
from litemrc.device.running import Run
from litemrc.device.tasks import TaskRow
from litemrc.epoch_table import EpochRow
from litemrc.policies.governor import Decision, Governor

_RETRY_S = 0.5
_POWER_DOWN_CLOCKS = (
    100  # idle clocks before a rank of the working set dozes, where nobody has set a threshold
)


@dataclass(frozen=True)
class Orders:
    """What the user asked for.

    Attributes:
        energy: govern the ranks, too.
        dry_run: decide, but tell the device nothing.
        memory: frames to divide; None: what the device's pager says.
        epochs: end after so many; None: when the programs end, or never.
        runs: programs to start.
        lease_cycles: how long the device obeys without hearing from here.
        reconnect_s: how long to look for a device that was lost.
    """

    energy: bool
    dry_run: bool
    memory: int | None
    epochs: int | None
    runs: tuple[Run, ...]
    lease_cycles: int
    reconnect_s: float


@dataclass
class Account:
    """What was governed so far; stays when the loop is interrupted."""

    epochs: int = 0
    decisions: int = 0
    links_lost: int = 0
    tasks: list[TaskRow] = field(default_factory=list)


class GovernLoop:
    """Governs a device, across losses of the link.

    Parameters:
        opened: opens the port and says hello.
        note: takes a record of each epoch, as it goes into the log.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Device]],
        governor: Governor,
        orders: Orders,
        note: Callable[[dict[str, Any]], None],
    ) -> None:
        self.account = Account()
        self._opened = opened
        self._governor = governor
        self._orders = orders
        self._note = note
        self._programs_ended = False
        self._groups: int | None = None  # in force on the device, as far as we know
        self._budgets: dict[int, int] = {}

    def run(self) -> None:
        """Govern until the programs have ended, or the epochs asked for are over.

        Raises:
            LinkError: the device cannot be found again.
            UserError: it cannot do what was asked for.
        """
        runs, lost, since = self._orders.runs, None, 0.0
        while not self._done():
            try:
                with self._opened() as device:
                    lost = None
                    self._govern(device, runs)
            except (SilentDeviceError, DeviceGoneError, PortError) as error:
                if lost is None:
                    lost, since = error, time.monotonic()
                    self._tell_loss(lost)
                if not self.account.epochs or time.monotonic() - since > self._orders.reconnect_s:
                    raise lost from None
                time.sleep(_RETRY_S)
            runs = ()

    def _done(self) -> bool:
        epochs = self._orders.epochs
        return self._programs_ended or (epochs is not None and self.account.epochs >= epochs)

    def _govern(self, device: Device, runs: tuple[Run, ...]) -> None:
        self._groups, self._budgets = None, {}
        found_again = bool(self._orders.runs) and not runs
        if found_again and not device.hello.running:
            self._programs_ended = True  # while nobody listened
            return
        device.request("monitor", on=True)
        self._lease(device)
        if self._orders.energy:
            self._begin_energy(device)
        collector = Collector(device)
        try:
            for message in self._messages(collector, runs):
                self._take(device, collector, message, found_again)
                if self._done():
                    break
        finally:
            self.account.tasks += collector.tasks.rows
        self._programs_ended |= bool(runs)
        if not self._orders.dry_run:
            end_lease(device)

    def _messages(self, collector: Collector, runs: tuple[Run, ...]) -> Iterator[Message]:
        left = None if self._orders.epochs is None else self._orders.epochs - self.account.epochs
        return collector.collect(left, runs)

    def _take(self, device: Device, collector: Collector, message: Message, found_again: bool) -> None:
        if message.name == "log":
            print(f"device: {message.level}: {printable(message.line)}", file=sys.stderr, flush=True)
        if found_again and message.name == "event" and message.kind == "workload_done":
            self._programs_ended = not device.say_hello().running
        if message.name == "epoch" and not message.remaining:
            self.account.epochs += 1
            self._decide(device, collector, message.epoch)

    def _decide(self, device: Device, collector: Collector, epoch: int) -> None:
        rows = [row for row in collector.rows if row.epoch == epoch]
        self._governor.note({row.context: _curve(device, row) for row in rows})
        tasks = collector.tasks.latest()
        memory = self._orders.memory or next((task.memory for task in tasks.values()), None)
        governed = set(tasks) if tasks else self._contexts_with_budget(device, [row.context for row in rows])
        decision = self._governor.decide(governed, memory)
        changed = self._changes(decision)
        if not self._orders.dry_run:
            self._obey(device, decision)
        self.account.decisions += changed
        self._note(
            {
                "epoch": epoch,
                "changed": changed,
                "budgets_pages": decision.budgets,
                "working_set_groups": decision.working_set_groups,
                "accesses": {row.context: row.accesses for row in rows},
                "tasks": [asdict(task) for task in tasks.values()],
            }
        )

    def _contexts_with_budget(self, device: Device, contexts: list[int]) -> set[int]:
        return {context for context in contexts if context and get_budget(device, context) is not None}

    def _changes(self, decision: Decision) -> bool:
        budgets = any(self._budgets.get(context) != pages for context, pages in decision.budgets.items())
        return budgets or (self._orders.energy and decision.working_set_groups != self._groups)

    def _obey(self, device: Device, decision: Decision) -> None:
        self._lease(device)
        for context, pages in decision.budgets.items():
            if self._budgets.get(context) == pages:
                continue
            try:
                set_budget(device, context, pages)
                self._budgets[context] = pages
            except RequestRefusedError as refused:
                if refused.code != "busy":  # its program ended meanwhile
                    raise
        if self._orders.energy and decision.working_set_groups != self._groups:
            set_working_set(device, WorkingSetSize(False, decision.working_set_groups, 0.0))
            self._groups = decision.working_set_groups

    def _lease(self, device: Device) -> None:
        if not self._orders.dry_run:
            take_lease(device, self._orders.lease_cycles)

    def _begin_energy(self, device: Device) -> None:
        """Ranks without a page of the working set sleep as deeply as they can without losing data."""
        dram = get_dram(device)
        if not self._orders.dry_run:
            set_policy(device, energy_policy(get_policy(device), dram.states))

    def _tell_loss(self, lost: LinkError) -> None:
        self.account.links_lost += 1
        what = f"{lost.what}; looking for the device for {self._orders.reconnect_s:g} s"
        print(f"litemrc: warning: {what}", file=sys.stderr, flush=True)


def _curve(device: Device, row: EpochRow) -> Curve:
    group_pages = device.hello.pages // device.hello.groups << row.scale_log2
    return Curve.of_counters(row.hits, row.misses, group_pages, accesses=row.accesses, overflow=row.overflow)


def energy_policy(before: RankPolicy, states: tuple[str, ...]) -> RankPolicy:
    """The rank policy under which a governor sets the size of the working set."""
    return replace(
        before,
        policy="mrc",
        mrc_state="self_refresh" if "self_refresh" in states else "power_down",
        mrc_base="dynamic",
        threshold_power_down=before.threshold_power_down or _POWER_DOWN_CLOCKS,
    )
