# SPDX-License-Identifier: BSD-2-Clause
"""A feed gives every epoch of a device once and whole, finds a lost link again, and executes requests."""

import gc
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.errors import DeviceGoneError, RequestRefusedError
from litemrc.device.link.link import LinkCounts
from litemrc.feed.feed import Event, Feed, FeedOptions
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.ranks.table import NO_RANKS

from tests.host.epoch_rows import each_row, row
from tests.host.paced_device import ACCESS_BYTES, CLOCKS, FRAMES, bank_of, hits_of, misses_of, paced
from tests.timeouts import scaled_timeout

DEVICE = DeviceParameters(
    session=1,
    clock_hz=1,
    page_bytes=4096,
    frames=8,
    engine="bucket_stack",
    pages=8,
    groups=4,
    contexts=2,
    recent_pages=0,
)


class Heard:
    """Events of a feed, in their order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def wait(self, kind: type, count: int) -> list:
        deadline = time.monotonic() + scaled_timeout(15)
        with self._changed:
            while len(found := self.of(kind)) < count:
                assert self._changed.wait(deadline - time.monotonic()), (
                    f"{len(found)} of {count} {kind.__name__}"
                )
        return found


@contextmanager
def fed(url: str, **options: object) -> Iterator[tuple[Feed, Heard]]:
    feed, heard = Feed(url, FeedOptions(timeout_s=scaled_timeout(3), **options)), Heard()
    feed.listen(heard)
    feed.start()
    try:
        yield feed, heard
    finally:
        feed.close()
        feed.check()


def test_epochs_have_their_counters_ranks_and_pages() -> None:
    with paced(rate=40) as device, fed(device.url, pages=True, hot=True) as (feed, heard):
        epochs = heard.wait(FeedEpoch, 5)[:5]
        (parameters,) = heard.of(DeviceParameters)
        assert (parameters.frames, parameters.contexts, parameters.base_address) == (FRAMES, 8, 0x40000 << 12)
        assert parameters.dram and parameters.dram.part == "MT41K128M16"
        assert feed.connected and "monitor" in device.requests
    first = epochs[0].number
    assert [epoch.number for epoch in epochs] == list(range(first, first + 5))
    for epoch in epochs:
        assert epoch.rows["context"].tolist() == list(range(8))
        for each in each_row([epoch.rows]):
            assert each.hits == hits_of(epoch.number, each.context)
            assert each.misses == misses_of(epoch.number, each.context)
        assert epoch.ranks["domain"].tolist() == [0, 1, 2, 3]
        assert set(epoch.ranks["clocks"].tolist()) == {CLOCKS}
        assert epoch.accessed and len(epoch.accessed.accessed) == FRAMES // 8
        assert epoch.hot and epoch.hot.frames[0] == epoch.number
        assert epoch.lost == 0


@pytest.mark.parametrize("counted", [False, True])
def test_what_a_device_has_not_or_does_not_count_is_not_asked_for(counted: bool) -> None:
    with paced(rate=20, bitmap=False, hot_on=counted) as device:
        with fed(device.url, pages=True, hot=True, if_there=True) as (_, heard):
            epoch = heard.wait(FeedEpoch, 3)[-1]
            (parameters,) = heard.of(DeviceParameters)
        assert (parameters.accessed, parameters.hot) == (False, counted)
        assert epoch.accessed is None and (epoch.hot is not None) == counted
        assert "set_hot" not in device.requests


def test_a_device_with_ranks_but_no_meter_has_a_session() -> None:
    with paced(rate=20, meter=False) as device, fed(device.url) as (feed, heard):
        assert heard.wait(FeedEpoch, 2)[-1].ranks.size == 0
        assert feed.parameters and feed.parameters.dram is None


@pytest.mark.parametrize("rows_observed", [True, False])
def test_epochs_have_the_traffic_of_a_device_that_counts_it(rows_observed: bool) -> None:
    with paced(rate=20, banks=4, rows_observed=rows_observed) as device, fed(device.url) as (feed, heard):
        epochs = heard.wait(FeedEpoch, 3)
    assert feed.parameters and feed.parameters.banks == 4
    assert feed.parameters.peak_bandwidth == (ACCESS_BYTES * 1_000_000 if rows_observed else None)
    for epoch in epochs:
        banks = [bank_of(epoch.number, bank) for bank in range(4)]
        traffic = epoch.traffic
        assert traffic and traffic.bytes_read == sum(bank["reads"] for bank in banks) * ACCESS_BYTES
        assert traffic.accesses == sum(bank["reads"] + bank["writes"] for bank in banks)
        if rows_observed:
            assert traffic.row_hits is not None and traffic.row_hits.tolist() == [900, 1800, 2700, 3600]
            assert traffic.peak_share == traffic.accesses / CLOCKS
        else:
            assert (traffic.row_hits, traffic.cycles, traffic.row_hit_rate) == (None, None, None)
            assert traffic.seconds == 2.0, "from 1 s to 3 s of the operating system's clock"


def test_epochs_of_a_device_that_does_not_count_traffic_have_none() -> None:
    with paced(rate=20) as device, fed(device.url) as (feed, heard):
        assert [epoch.traffic for epoch in heard.wait(FeedEpoch, 2)[:2]] == [None, None]
    assert feed.parameters and (feed.parameters.banks, feed.parameters.peak_bandwidth) == (0, None)


def test_an_epoch_is_given_before_the_next_one_begins() -> None:
    with paced(rate=2) as device, fed(device.url) as (_, heard):
        heard.wait(FeedEpoch, 1)
        assert heard.events[-1].number == device.epochs - 1


def test_a_lost_link_is_opened_again_in_a_new_session() -> None:
    with paced(rate=40) as device, fed(device.url) as (feed, heard):
        heard.wait(FeedEpoch, 2)
        port = int(device.url.rpartition(":")[2])
        before = feed.sessions
        first = device
    with fed(f"socket://127.0.0.1:{port}") as (feed, heard):
        (lost, *_) = heard.wait(FeedLost, 1)
        assert "cannot open the port" in lost.reason
        assert not feed.connected
        with pytest.raises(DeviceGoneError):
            feed.call(lambda device: device.say_hello()).result(scaled_timeout(5))
        with paced(port, rate=40) as device:
            heard.wait(FeedEpoch, 2)
        heard.wait(FeedLost, len(heard.of(FeedLost)) + 1)
        with paced(port, rate=40) as device:
            heard.wait(DeviceParameters, 2)
            count = len(heard.of(FeedEpoch))
            heard.wait(FeedEpoch, count + 2)
        assert before == 1 and first.epochs
    sessions = [event.session for event in heard.of(DeviceParameters)]
    assert sessions == sorted(set(sessions))


def test_requests_are_executed_while_nothing_comes() -> None:
    with paced(rate=0) as device, fed(device.url) as (feed, heard):
        heard.wait(DeviceParameters, 1)
        answer = feed.call(lambda device: device.request("set_epoch", unit="cycles", length=5)).result(
            scaled_timeout(5)
        )
        assert list(answer.values) == [1, 5]
        with pytest.raises(RequestRefusedError):
            feed.call(lambda device: device.request("get_traffic")).result(scaled_timeout(5))
        assert feed.connected


def test_a_device_that_is_silent_ends_the_session() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        feed = Feed(f"socket://127.0.0.1:{silent.getsockname()[1]}", FeedOptions(timeout_s=0.2))
        feed.start()
        failure = feed.wait(scaled_timeout(10))
        feed.close()
    assert failure and "no answer to hello" in failure.what


def test_memory_of_the_collector_stays_bounded() -> None:
    with paced(rate=200) as device, fed(device.url, pages=True, hot=True) as (_, heard):
        heard.wait(FeedEpoch, 50)
        (collector,) = (
            each
            for each in gc.get_objects()
            if type(each) is Collector
            and each._device.url == device.url  # isinstance() would follow dead proxies
        )
        assert len(collector.counts) <= 2
        assert collector.ranks is not None and len(collector.ranks) <= 1


def test_a_listener_that_fails_ends_the_feed_and_says_so() -> None:
    def failing(event: Event) -> None:
        raise ZeroDivisionError

    with paced() as device:
        feed = Feed(device.url, FeedOptions(timeout_s=scaled_timeout(3)))
        feed.listen(failing)
        feed.start()
        with pytest.raises(ZeroDivisionError):
            feed.wait(scaled_timeout(10))
        feed.close()


def an_epoch(number: int, hits: tuple[int, ...], misses: int, name: str = "zipf") -> FeedEpoch:
    rows = row(epoch=number, context=1, accesses=sum(hits) + misses, misses=misses, touched=2, hits=hits)
    return FeedEpoch(1, number, 0.0, rows, {1: name}, NO_RANKS, None, None, 0, LinkCounts())


def test_the_curve_of_the_last_epochs_is_that_of_their_sums() -> None:
    recent = Recent()
    recent(DEVICE)
    recent(an_epoch(0, (100, 0, 0, 0), 0))
    recent(an_epoch(1, (4, 2, 0, 0), 2))
    recent(an_epoch(2, (2, 0, 0, 0), 0, name="loop"))
    table = recent.table(recent.last(2))
    assert table
    curve = table.curve(1)
    # 10 accesses, 6 hits in the first group of 2 pages, 2 in the second, 2 misses.
    assert curve.at(pages=2) == pytest.approx(0.4)
    assert curve.at(pages=4) == pytest.approx(0.2)
    assert curve.name == "loop"


def test_only_the_last_epochs_are_kept_and_only_of_the_session() -> None:
    recent = Recent(most=2)
    assert recent.table([]) is None
    recent(DEVICE)
    for number in range(4):
        recent(an_epoch(number, (2, 0, 0, 0), 0))
    assert [epoch.number for epoch in recent.last()] == [2, 3]
    recent(FeedLost(1.0, "gone"))
    assert recent.lost and recent.last()
    recent(replace(DEVICE, session=2))
    assert not recent.lost and not recent.last() and recent.arrived == 4
