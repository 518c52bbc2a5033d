"""The closed loop: curves of an epoch come in, decisions go out over the same link."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any

from litemrc.cli.device.govern_decisions import GovernDecisions
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.tasks import TaskRow
from litemrc.device.device import Device, printable
from litemrc.device.errors import DeviceGoneError, LinkError, PortError, SilentDeviceError
from litemrc.device.governed import GovernedDevice
from litemrc.device.lease import lease_cycles
from litemrc.device.link.protocol import Message
from litemrc.device.running import Run

_RETRY_S = 0.5


@dataclass(frozen=True)
class Orders:
    """What the user asked for.

    Attributes:
        energy: govern the ranks, too.
        divide: divide memory between the programs that an operating system has started; between tasks of a
            pager it always is.
        dry_run: decide, but tell the device nothing.
        epochs: end after so many; None: when the programs end, or never.
        runs: programs to start.
        lease_s: how long the device obeys without hearing from here, in seconds of its clock.
        reconnect_s: how long to look for a device that was lost.
    """

    energy: bool
    divide: bool
    dry_run: bool
    epochs: int | None
    runs: tuple[Run, ...]
    lease_s: float
    reconnect_s: float


@dataclass
class Account:
    """What was governed so far; stays when the loop is interrupted."""

    clock_hz: int = 0
    epochs: int = 0
    decisions: int = 0
    links_lost: int = 0
    tasks: list[TaskRow] = field(default_factory=list)


class GovernLoop:
    """Governs a device, across losses of the link.

    Parameters:
        opened: opens the port, says hello, and makes the device ready.
        note: takes a record of each epoch, as it goes into the log.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Device]],
        decisions: GovernDecisions,
        orders: Orders,
        note: Callable[[dict[str, Any]], None],
    ) -> None:
        self.account = Account()
        self._opened, self._decisions, self._orders, self._note = opened, decisions, orders, note
        self._programs_ended = False

    def run(self) -> None:
        """Govern until the programs have ended, or the epochs asked for are over.

        A program of several that was to be started after the link was lost is not.

        Raises:
            LinkError: the device cannot be found again, or refuses.
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
        """Until all is done, over one connection."""
        orders = self._orders
        found_again = bool(orders.runs) and not runs
        device.request("monitor", on=True)
        self.account.clock_hz = device.hello.clock_hz
        cycles = lease_cycles(device, orders.lease_s)
        governed = GovernedDevice(device, cycles, energy=orders.energy, dry_run=orders.dry_run)
        collector = Collector(device)
        left = None if orders.epochs is None else orders.epochs - self.account.epochs
        try:
            for message in collector.collect(left, runs):
                self._take(device, governed, collector, message)
                if found_again and _may_tell_an_end(message) and not device.say_hello().running:
                    break
        except BaseException as stop:
            if not isinstance(stop, LinkError):
                governed.release()
            raise
        finally:
            self.account.tasks += collector.tasks.rows
        self._programs_ended = bool(orders.runs)
        governed.release()

    def _take(self, device: Device, governed: GovernedDevice, collector: Collector, message: Message) -> None:
        if message.name == "log":
            print(f"device: {message.level}: {printable(message.line)}", file=sys.stderr, flush=True)
        if message.name == "event" and message.kind == "workload_started":
            governed.forget_budget(message.context)
        if message.name == "epoch" and not message.remaining:
            self.account.epochs += 1
            governed.prolong()
            self._decide(device, governed, collector, message.epoch)

    def _decide(self, device: Device, governed: GovernedDevice, collector: Collector, epoch: int) -> None:
        rows = [row for row in collector.rows if row.epoch == epoch]
        del collector.rows[: -len(rows)]  # it may go on for weeks
        tasks = collector.tasks.since(epoch - 1)  # those of this epoch come behind its counters
        contexts = set(tasks)
        if self._orders.divide:
            contexts = {row.context for row in rows if row.context and governed.has_budget(row.context)}
        if not contexts and not self._orders.energy:
            return
        clocks = _epoch_clocks(device, sum(row.accesses for row in rows))
        budgets, groups = self._decisions.decide(device.hello, rows, tasks, contexts, clocks)
        changed = governed.obey(budgets, groups)
        self.account.decisions += changed
        self._note(
            {
                "epoch": epoch,
                "changed": changed,
                "budgets_pages": budgets,
                "working_set_groups": groups,
                "accesses": {row.context: row.accesses for row in rows},
                "tasks": [asdict(task) for task in tasks.values()],
            }
        )

    def _tell_loss(self, lost: LinkError) -> None:
        self.account.links_lost += 1
        what = f"{lost.what}; looking for the device for {self._orders.reconnect_s:g} s"
        print(f"litemrc: warning: {what}", file=sys.stderr, flush=True)


def _may_tell_an_end(message: Message) -> bool:
    return message.name == "epoch" or (message.name == "event" and message.kind == "workload_done")


def _epoch_clocks(device: Device, accesses: int) -> float:
    """Clocks of an epoch, or its accesses where these measure it: rates are only compared with each other."""
    unit, length = device.request("get_epoch").values
    return float(length if device.choice("set_epoch", "unit", unit) == "cycles" and length else accesses)
