# SPDX-License-Identifier: BSD-2-Clause
"""Epochs of the paced device's formulas, and a feed that gives them at fixed times."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, replace

from litemrc.device.collecting.page_epochs import accessed_epoch, hot_list
from litemrc.device.collecting.record_rows import epoch_rows, rank_rows
from litemrc.device.collecting.traffic import traffic_of
from litemrc.device.contexts import Budget
from litemrc.device.hot import HotSettings
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.record import Record
from litemrc.device.rank_commands import Dram
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.live.view import Settings

from tests.host.paced_device import ACCESS_BYTES, FRAMES, GROUPS, PAGES, PacedDevice

STATES = ("awake", "power_down", "self_refresh")
PARAMETERS = DeviceParameters(
    session=1,
    clock_hz=50_000_000,
    page_bytes=4096,
    frames=FRAMES,
    engine="bucket_stack",
    pages=PAGES,
    groups=GROUPS,
    contexts=8,
    recent_pages=4,
    system="Linux 6.1",
    dram=Dram(4, False, STATES, "MT41K128M16", 2, 4, 0),
    accessed=True,
    hot=True,
    hot_settings=asdict(HotSettings(True, True, True, False, 0, 1, 16, 0, FRAMES - 1, 1)),
    base_address=0x40000000,
)
COUNTING = replace(PARAMETERS, banks=8, access_bytes=ACCESS_BYTES)  # a device that counts DRAM commands
SETTINGS = Settings("accesses", 10_000, budgets={1: Budget(1, 512, 100), 2: Budget(2, None, 100)})
NAMES = {0: "kernel", 1: "sort (pid 57)", 2: "gzip (pid 58)"}
RATE = 20


def feed_epochs(count: int, first: int = 0, **parameters: object) -> list[FeedEpoch]:
    """The epochs of a paced device, `RATE` in a second, from time 0 on."""
    device = PacedDevice(accessed_on=True, hot_sent=True, hot_on=True, **parameters)
    device.epochs = first
    return [_epoch(device) for _ in range(count)]


def _epoch(device: PacedDevice) -> FeedEpoch:
    (message,) = device.epoch()
    record: Record = message.record
    return FeedEpoch(
        session=PARAMETERS.session,
        number=record.epoch,
        arrived=record.epoch / RATE,
        rows=epoch_rows(record),
        names=NAMES,
        ranks=rank_rows(record),
        accessed=accessed_epoch(record),
        hot=hot_list(record),
        lost=0,
        link=LinkCounts(frames=22 * (record.epoch + 1)),
        traffic=traffic_of(record, PARAMETERS.clock_hz),
    )


class PlayedFeed:
    """Gives events at once, and answers every request by `SETTINGS`."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events
        self._listeners: list[Callable[[Event], None]] = []

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    def start(self) -> None:
        for event in self._events:
            for listener in self._listeners:
                listener(event)

    def check(self) -> None:
        pass

    def close(self) -> None:
        pass

    def call(self, _: object) -> "Future[Settings]":
        future: Future[Settings] = Future()
        future.set_result(SETTINGS)
        return future
