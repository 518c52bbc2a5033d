# SPDX-License-Identifier: BSD-2-Clause
"""What `litemrc rightsize` observes of a cgroup: its counters over a window, and the cost of a fault."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from litemrc.device.collecting.collector import Collector
from litemrc.device.contexts import follow, follow_cgroup, get_budget, get_followed
from litemrc.device.device import Device
from litemrc.device.errors import LinkError
from litemrc.device.fault_cost import FaultTimes, measure_fault_cost
from litemrc.epochs.columns import open_group
from litemrc.errors import UserError
from litemrc.policies.rightsizing.rightsize import FaultCost, Window


@dataclass(frozen=True)
class Span:
    """The time of an observation.

    Attributes
    ----------
    window_s, warm_up_s
        to observe, and to wait before that, in seconds.
    epoch_s
        length of an epoch.
    epochs
        most epochs of the window; None: no limit.
    by_host
        seconds are those of the host's clock, and the length of epochs stays as it is.
    """

    window_s: float
    warm_up_s: float
    epoch_s: float
    epochs: int | None = None
    by_host: bool = False


@dataclass(frozen=True)
class Observation:
    """What was observed.

    Attributes
    ----------
    context
        that followed the cgroup.
    window
        its counters.
    cost
        of a refault; `measured` None: as the user gave it.
    used_pages
        that the cgroup holds at the end.
    first_accesses
        misses that were no refaults.
    epochs_lost
        epochs lost on the link.
    """

    context: int
    window: Window
    cost: FaultCost
    measured: FaultTimes | None
    page_bytes: int
    used_pages: int
    first_accesses: int
    epochs_lost: int


def observe(device: Device, cgroup: str, span: Span, cost_us: float | None, timeout_s: float) -> Observation:
    """Observe a cgroup.

    Parameters
    ----------
    cost_us
        of a refault, in microseconds; None: the device measures it, for `timeout_s` and 60 s.

    Raises
    ------
    UserError
        no operating system; a window that is shorter than an epoch; the cgroup is gone.
    LinkError
        the device is gone, refuses, or cannot evict pages.
    """
    if not device.hello.system:
        raise UserError(
            "the device has no operating system, hence no cgroups",
            where=device.url,
            remedy="boot Linux on it",
        )
    device.request("monitor", on=True)
    measured = None
    if cost_us is None:
        measured = measure_fault_cost(device, timeout_s + 60)
        cost = FaultCost(measured.median * 1e-9, measured.low * 1e-9, measured.high * 1e-9)
    else:
        cost = FaultCost(cost_us * 1e-6, cost_us * 1e-6, cost_us * 1e-6)
    with _followed(device, cgroup) as context, _epochs_of(device, span):
        epochs, seconds, collector = _collect(device, span)
        budget = get_budget(device, context)
    if budget is None:
        raise UserError(f"{cgroup} is gone", where=device.url, remedy="create it, and start litemrcd again")
    table = collector.table().together()
    rows = [(table.context == context) & (table.epoch == epoch) for epoch in epochs]
    counters = [table.counters_of(of_epoch) for of_epoch in rows]
    unknown = [int(table.unidentified[of_epoch].sum()) for of_epoch in rows]
    return Observation(
        context=context,
        window=Window.of(counters, unknown, seconds, open_group=open_group(device.hello.groups)),
        cost=cost,
        measured=measured,
        page_bytes=1 << device.hello.page_shift,
        used_pages=budget.used,
        first_accesses=max(round(sum(each.combined_misses for each in counters)), 0),
        epochs_lost=collector.link_statistics["epoch_messages_lost"],
    )


@contextmanager
def _followed(device: Device, cgroup: str) -> Iterator[int]:
    """Have a context follow the cgroup; it is freed at the end, unless it followed it before."""
    before = {c for c in range(1, device.hello.contexts) if get_followed(device, c).state == "following"}
    context = follow_cgroup(device, cgroup).context
    try:
        yield context
    finally:
        if context not in before:
            with suppress(LinkError):
                follow(device, context, 0)


@contextmanager
def _epochs_of(device: Device, span: Span) -> Iterator[None]:
    """Set the length of epochs; it is restored at the end."""
    if span.by_host:
        yield
        return
    unit, length = device.numbers(device.request("get_epoch"), 2)
    cycles = round(span.epoch_s * device.hello.clock_hz)
    device.request("set_epoch", unit="cycles", length=cycles)
    try:
        yield
    finally:
        if length:
            with suppress(LinkError):
                device.request("set_epoch", unit=device.choice("set_epoch", "unit", unit), length=length)


def _collect(device: Device, span: Span) -> tuple[list[int], list[float], Collector]:
    """Return the window's epochs and their lengths in seconds.

    The first epoch that ends is left out, since it began before, and so are those of the warm-up.
    """
    collector = Collector(device)
    epochs: list[int] = []
    seconds: list[float] = []
    passed, last = 0.0, None
    for message in collector.collect():
        if message.name != "epoch":
            continue
        now = time.monotonic()
        if last is not None:
            length = now - last if span.by_host else span.epoch_s
            passed += length
            if passed > span.warm_up_s:
                epochs.append(message.epoch)
                seconds.append(length)
        last = now
        if passed >= span.warm_up_s + span.window_s or len(epochs) == span.epochs:
            break
    return epochs, seconds, collector
