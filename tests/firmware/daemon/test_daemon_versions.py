# SPDX-License-Identifier: BSD-2-Clause
"""Host and daemon one minor version of the protocol apart: nothing of what both know is lost."""

import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError

from tests.firmware.daemon.fake_driver import FakeDriver
from tests.firmware.daemon.later_version import (
    FRESH,
    build_later_daemon,
    later_host,
    write_later_headers,
)
from tests.firmware.daemon.serving import Daemon, counted, rows_of, sent
from tests.firmware.daemon.socket_clients import client_of
from tests.products import alone_in
from tests.timeouts import scaled_timeout

BUILD = Path(__file__).parents[3] / "build" / "daemon-later"
EPOCHS = 30


@pytest.fixture(scope="session")
def later_litemrcd() -> Path:
    with alone_in(BUILD):
        return build_later_daemon(BUILD)


@pytest.fixture
def start_later(later_litemrcd: Path, start_daemon: Callable[..., Daemon]) -> Callable[..., Daemon]:
    """Start the daemon of 2.2 on the driver of the test."""
    return partial(start_daemon, program=later_litemrcd)


def collected(device: Device, driver: FakeDriver) -> Collector:
    collector = Collector(device)
    for number in range(EPOCHS):
        assert driver.finish_epoch(rows_of(number)) == number
    for _ in collector.collect(epochs=EPOCHS):
        pass
    return collector


def assert_counters_are_whole(collector: Collector) -> None:
    assert counted(collector) == sent(0, EPOCHS)
    assert collector.link_statistics["epoch_messages_lost"] == 0
    counts = collector.link_counts
    assert (counts.lost, counts.damaged, counts.oversized) == (0, 0, 0)


def test_a_host_of_2_1_collects_from_a_device_of_2_2(start_later, driver):
    daemon = start_later()
    with daemon.host() as device:
        before = device.link_counts
        collector = collected(device, driver)
        hellos = 2  # of the Collector, with a bit and a member each
        assert device.hello.protocol == 2002
        assert device.request("get_epoch").values == [2, 2**24]
        assert device.request("set_epoch", unit="cycles", length=3_000_000).values == [2, 3_000_000]
        assert device.echo_test().failed == 0

    assert_counters_are_whole(collector)
    counts = device.link_counts
    assert counts.unknown == EPOCHS, "the new message behind each epoch"
    assert counts.skipped - before.skipped == 2 * (hellos - 1)


def test_a_host_of_2_2_collects_from_a_device_of_2_1(daemon, driver, monkeypatch, folder):
    with later_host(monkeypatch, write_later_headers(folder / "later")):
        with daemon.host() as device:
            collector = collected(device, driver)
            assert (device.hello.protocol, device.hello.fresh) == (2001, 0)
            assert "fresh" not in device.hello.features
            assert device.request("set_epoch", unit="cycles", length=3_000_000).values == [2, 3_000_000]
            orders = len(driver.orders())
            with pytest.raises(RequestRefusedError, match="a part of the request is not known") as option:
                device.request("set_epoch", unit="cycles", length=5_000_000, twice=True)
            with pytest.raises(RequestRefusedError, match="refused get_fresh: unknown") as unknown:
                device.request("get_fresh")
            assert (option.value.code, unknown.value.code) == ("bad_argument", "unknown")
            assert "update the older" in unknown.value.remedy
            assert len(driver.orders()) == orders, "a setting is not half obeyed"
            assert device.request("get_epoch").values == [2, 3_000_000]
            assert device.echo_test().failed == 0

        assert_counters_are_whole(collector)
        assert (collector.link_counts.unknown, collector.link_counts.skipped) == (0, 0)


def test_what_is_new_works_between_ends_of_2_2(start_later, driver, monkeypatch, folder):
    """So the tests above are about a version whose additions are real."""
    daemon = start_later(f"--socket={folder / 'd.sock'}")
    with later_host(monkeypatch, write_later_headers(folder / "later")):
        with daemon.host() as device, client_of(folder / "d.sock") as client:
            assert (device.hello.fresh, "fresh" in device.hello.features) == (FRESH, True)
            assert device.request("set_epoch", unit="cycles", length=3_000_000, twice=True).values == [
                2,
                6_000_000,
            ]
            for each in (device, client):
                assert each.request("get_fresh").values == [FRESH], "a request named get_* reads"
            driver.finish_epoch(rows_of(0))
            for each in (device, client):
                epoch, note = (each.receive(scaled_timeout(5)) for _ in range(2))
                assert struct.pack("<I40s", 1, b"new") in epoch.record.payload
                assert (note.name, note.epoch, note.words) == ("note", 1, "new")
        assert (device.link_counts.unknown, device.link_counts.skipped) == (0, 0)
