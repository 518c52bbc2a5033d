# SPDX-License-Identifier: BSD-2-Clause
"""The closed loop of `litemrc govern`: read the curves of an epoch, decide, set budgets and rank policies."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from litemrc.cli.device.govern_cgroups import (
    Cgroup,
    CgroupChoice,
    begin_following,
    end_following,
    warn_of_guarantee,
)
from litemrc.cli.device.govern_decisions import GovernDecisions
from litemrc.cli.shared.messages import is_quiet, note, warning
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.record_rows import contexts_following, task_rows
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError, LinkError, PortError, SilentDeviceError
from litemrc.device.governed import GovernedDevice, lease_cycles
from litemrc.device.link.protocol import Message
from litemrc.device.link.record import Record
from litemrc.device.running import Run
from litemrc.epochs.columns import Rows
from litemrc.epochs.split import rows_together
from litemrc.texts import printable

_RETRY_S = 0.5


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Attributes
    ----------
    energy
        also govern the ranks.
    divide
        divide memory among the programs that an operating system has started; among the tasks of a
        pager it is always divided.
    cgroups
        to govern, on an operating system.
    dry_run
        decide, but set no budget and no policy; the contexts follow the cgroups.
    epochs
        number of epochs to govern; None: until the programs end, or forever.
    runs
        programs to start.
    lease_s
        time for which settings hold without contact, in seconds of the device's clock.
    reconnect_s
        seconds to try to reconnect to a lost device.
    """

    energy: bool
    divide: bool
    cgroups: tuple[CgroupChoice, ...]
    dry_run: bool
    epochs: int | None
    runs: tuple[Run, ...]
    lease_s: float
    reconnect_s: float


@dataclass
class Totals:
    """Totals of the epochs governed so far; they remain after an interruption."""

    clock_hz: int = 0
    epochs: int = 0
    decisions: int = 0
    links_lost: int = 0
    tasks: list[dict[str, Any]] = field(default_factory=list)


class GovernLoop:
    """Governs a device and reconnects when the link is lost.

    Parameters
    ----------
    opened
        opens the port, greets the device and prepares it.
    note
        is called with the record of each epoch for the log.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Device]],
        decisions: GovernDecisions,
        request: Request,
        note: Callable[[dict[str, Any]], None],
    ) -> None:
        self.totals = Totals()
        self._opened, self._decisions, self._request, self._note = opened, decisions, request, note
        self._programs_ended = False
        self._cgroups: dict[int, Cgroup] = {}
        self._followed: set[int] = set()  # contexts, by a record; one from before the order has none
        self._warned: set[int] = set()  # contexts whose guarantee is bounded from above

    def run(self) -> None:
        """Govern until the programs or the requested epochs have ended.

        Programs that have not been started when the link is lost are not started later.

        Raises
        ------
        LinkError
            the device is not found again, or refuses a request.
        UserError
            the device does not support the request.
        """
        runs, since = self._request.runs, 0.0
        lost: LinkError | None = None
        while not self._done():
            try:
                with self._opened() as device:
                    lost = None
                    self._govern(device, runs)
            except (SilentDeviceError, DeviceGoneError, PortError) as error:
                if lost is None:
                    lost, since = error, time.monotonic()
                    self._report_loss(lost)
                if not self.totals.epochs or time.monotonic() - since > self._request.reconnect_s:
                    raise lost from None
                time.sleep(_RETRY_S)
            runs = ()

    def _done(self) -> bool:
        epochs = self._request.epochs
        return self._programs_ended or (epochs is not None and self.totals.epochs >= epochs)

    def _govern(self, device: Device, runs: tuple[Run, ...]) -> None:
        """Govern over one connection."""
        request = self._request
        reconnected = bool(request.runs) and not runs
        device.request("monitor", on=True)
        self.totals.clock_hz = device.hello.clock_hz
        cycles = lease_cycles(device, request.lease_s)
        governed = GovernedDevice(device, cycles, energy=request.energy, dry_run=request.dry_run)
        self._cgroups = {cgroup.context: cgroup for cgroup in begin_following(device, request.cgroups)}
        self._followed = set()
        self._decisions.govern(tuple(self._cgroups.values()))
        collector = Collector(device)
        left = None if request.epochs is None else request.epochs - self.totals.epochs
        try:
            for message in collector.collect(left, runs):
                self._take(device, governed, collector, message)
                if reconnected and _may_be_last(message) and not device.say_hello().running:
                    break
        except BaseException as stop:
            if not isinstance(stop, LinkError):
                self._release(device, governed)
            raise
        finally:
            self.totals.tasks += collector.tasks
        self._programs_ended = bool(request.runs)
        self._release(device, governed)

    def _release(self, device: Device, governed: GovernedDevice) -> None:
        governed.release()
        end_following(device, tuple(self._cgroups.values()))
        if not self._request.dry_run:
            note("the lease is ended: the device has the budgets and policies from before it")

    def _take(self, device: Device, governed: GovernedDevice, collector: Collector, message: Message) -> None:
        if message.name == "log" and not is_quiet():
            print(f"device: {message.level}: {printable(message.line)}", file=sys.stderr, flush=True)
        if message.name == "event" and message.kind == "workload_started":
            governed.forget_budget(message.context)
        if message.name == "epoch":
            self.totals.epochs += 1
            governed.prolong()
            self._decide(device, governed, collector.counts[-1], message.record)
            del collector.counts[:-1]  # or memory would grow for weeks
            following = contexts_following(message.record)
            for context in self._followed - following:
                self._note_end(context)
            self._followed = following

    def _decide(self, device: Device, governed: GovernedDevice, counted: Rows, record: Record) -> None:
        rows = rows_together(counted, device.hello.contexts)
        tasks = {task["context"]: task for task in task_rows(record)}
        contexts = set(tasks) | self._cgroups.keys()
        if self._request.divide and not self._request.cgroups:
            contexts |= {each for each in rows["context"].tolist() if each and governed.has_budget(each)}
        if not contexts and not self._request.energy:
            return
        cycles = _epoch_cycles(device, int(rows["accesses"].sum()))
        decision = self._decisions.decide(device.hello, rows, tasks, contexts, cycles)
        lent = self._decisions.in_force(device.hello, decision)
        budgets = {context: pages for context, pages in lent.items() if context in contexts}
        changed = governed.obey(budgets, decision.n_mrc)
        self.totals.decisions += changed
        self._warn_of_guarantees(governed)
        self._note(
            {
                "epoch": record.epoch,
                "changed": changed,
                "budgets_pages": budgets,
                "working_set_groups": decision.n_mrc,
                "gain": decision.gain,
                "contexts": self._decisions.described(decision, rows, budgets, contexts),
                "accesses": dict(zip(rows["context"].tolist(), rows["accesses"].tolist(), strict=True)),
                "tasks": list(tasks.values()),
            }
        )

    def _note_end(self, context: int) -> None:
        if cgroup := self._cgroups.pop(context, None):
            warning(f"{cgroup.path} is gone, or its context follows something else: it is no longer governed")
            self._decisions.forget(context)

    def _warn_of_guarantees(self, governed: GovernedDevice) -> None:
        for context in self._cgroups.keys() & governed.answers.keys() - self._warned:
            if warn_of_guarantee(self._cgroups[context], governed.answers[context]):
                self._warned.add(context)

    def _report_loss(self, lost: LinkError) -> None:
        self.totals.links_lost += 1
        what = f"{lost.what}; trying to reconnect for {self._request.reconnect_s:g} s"
        warning(what)


def _may_be_last(message: Message) -> bool:
    return message.name == "epoch" or (message.name == "event" and message.kind == "workload_done")


def _epoch_cycles(device: Device, accesses: int) -> float:
    """Return the cycles of an epoch, or its accesses if its unit is accesses: only ratios of rates matter."""
    unit, length = device.request("get_epoch").values
    return float(length if device.choice("set_epoch", "unit", unit) == "cycles" and length else accesses)
