# SPDX-License-Identifier: BSD-2-Clause
"""Every finished epoch is sent whole or not at all; process messages come between epochs."""

import itertools
import os
import struct

import pytest
from litemrc.device.collecting.collector import Collector

from tests.firmware.daemon.fake_driver import (
    CONTEXT_BYTES,
    GROUPS,
    ROW_WORDS,
    TAIL_GROUPS,
    FakeDriver,
    Row,
    is_alive,
)
from tests.timeouts import scaled_timeout, wait_until

ROWS = {
    0: Row(misses=3, touched=4, hits=[10, 20, 0, 0, 5, 0, 0, 1]),
    2: Row(misses=7, touched=2, hits=[0, 0, 0, 0, 0, 0, 0, 2**31]),
}


def receive(device, count):
    messages = [device.receive(scaled_timeout(5)) for _ in range(count)]
    assert None not in messages
    return messages


def test_an_epoch_is_a_message_for_each_context_with_accesses(daemon, driver):
    with daemon.host() as device:
        number = driver.finish_epoch(ROWS, dropped=5, outside=6, unsampled=7, scale_log2=2)
        first, second = receive(device, 2)

    assert (first.context, first.remaining, first.index) == (0, 1, 0)
    assert (second.context, second.remaining, second.index) == (2, 0, 1)
    for message, row in ((first, ROWS[0]), (second, ROWS[2])):
        assert message.epoch == number
        assert (message.hits, message.misses, message.touched) == (row.hits, row.misses, row.touched)
        assert message.accesses == sum(row.hits) + row.misses
        assert (message.dropped, message.outside, message.unsampled, message.scale_log2) == (5, 6, 7, 2)
        assert message.overflow is False


def test_an_epoch_has_the_tail_of_refaults_without_its_last_zeros(daemon, driver):
    tail = [0, 3, 0, 2**31] + [0] * (TAIL_GROUPS - 4)
    rows = {0: Row(misses=1), 1: Row(misses=5, tail=tail, pages=(4096, 17, 2**31 + 3, 6))}
    with daemon.host() as device:
        driver.finish_epoch(rows)
        without, message = receive(device, 2)

    assert (without.resident, without.evicted, without.unidentified, without.tail) == (0, 0, 0, [])
    assert (message.resident, message.evicted, message.unidentified) == (4096, 17, 6)
    assert message.tail == [0, 3, 0, 2**31]


def test_refaults_before_their_accesses_are_sent(daemon, driver):
    """The epoch ended between the refault and the access that it causes."""
    tail = [1] + [0] * (TAIL_GROUPS - 1)
    with daemon.host() as device:
        driver.finish_epoch({0: Row(misses=1), 2: Row(tail=tail, pages=(300, 9, 1, 0))})
        _, message = receive(device, 2)

    assert (message.context, message.accesses, message.tail) == (2, 0, [1])


def test_an_epoch_without_accesses_is_one_message_of_zeros(daemon, driver):
    with daemon.host() as device:
        driver.finish_epoch({}, flags=1)
        (message,) = receive(device, 1)

    assert (message.context, message.remaining, message.accesses, message.misses) == (0, 0, 0, 0)
    assert message.hits == [0] * GROUPS
    assert message.overflow is True


def test_an_epoch_that_lacks_an_invalidation_is_followed_by_an_error(daemon, driver):
    with daemon.host() as device:
        number = driver.finish_epoch({}, flags=2)
        epoch, log = receive(device, 2)
        driver.finish_epoch({})
        (unspoilt,) = receive(device, 1)

    assert (epoch.epoch, epoch.overflow) == (number, False)
    assert (log.level, log.line) == (
        "error",
        f"epoch {number}: the gateware lost an invalidation or clear; counts are wrong",
    )
    assert unspoilt.epoch == number + 1


def test_the_collector_takes_epochs_as_those_of_bare_metal(daemon, driver):
    with daemon.host() as device:
        collector = Collector(device)
        for _ in range(20):
            driver.finish_epoch({1: Row(misses=1), 3: Row(misses=2, hits=[9] * GROUPS)})
        for _ in collector.collect(epochs=20):
            pass

    assert collector.epochs == 20
    assert [row.context for row in collector.rows] == [1, 3] * 20
    assert collector.link_statistics["epoch_messages_lost"] == 0


def test_epochs_that_the_driver_lost_are_missing_by_their_indices(daemon, driver):
    with daemon.host() as device:
        driver.finish_epoch()
        driver.finish_epoch(lost=9)
        before, after = receive(device, 2)
        assert device.say_hello().epoch_messages == 11

    assert (before.index, after.index) == (0, 10)


def test_process_messages_stand_between_the_epochs_they_part(daemon, driver):
    pid = os.getpid()
    with daemon.host() as device:
        driver.finish_epoch()
        driver.follow(2, "following", pid, "sort")
        driver.finish_epoch({2: Row(misses=1)})
        driver.follow(2, "ended", pid, "sort")
        driver.follow(2, "free")
        messages = receive(device, 8)

    reported = [
        (m.name, m.epoch)
        if m.name == "epoch"
        else (m.name, m.state, m.context, m.pid, m.comm, m.epoch_messages)
        for m in messages
    ]
    assert reported == [
        ("epoch", 0),
        ("epoch", 1),
        ("process", "following", 2, pid, "sort", 2),
        ("epoch", 2),
        ("epoch", 3),
        ("process", "ended", 2, pid, "sort", 4),
        ("epoch", 4),
        ("process", "free", 2, 0, "", 5),
    ]


def test_a_name_cannot_play_tricks(daemon, driver):
    with daemon.host() as device:
        driver.follow(1, "following", os.getpid(), "a\x1b[2J\u00e9!")
        epoch, process = receive(device, 2)

    assert (epoch.name, process.comm) == ("epoch", "a?[2J??!")  # é is two bytes


def test_processes_followed_at_the_start_are_not_announced_but_can_be_requested(start_daemon, driver):
    folder = driver.monitor / "contexts/3"
    for name, text in (("state", "following"), ("pid", "4712"), ("comm", "gzip")):
        (folder / name).write_text(f"{text}\n")
    driver._followed[3] = ("following", os.getpid(), "gzip")  # known before the daemon was
    with start_daemon().host() as device:
        answer = device.request("get_process", context=3)
        assert (answer.values, answer.payload) == ([2, 4712], b"gzip")
        assert device.request("get_process", context=1).values == [1, 0]
        assert device.receive(0.2) is None


@pytest.mark.parametrize("spread", range(10))
def test_a_host_that_does_not_read_loses_whole_epochs_and_stops_nothing(daemon, driver, spread):
    """Far more epochs than fit: the daemon continues to read records; the host sees what is missing.

    `spread`: several epoch lengths, so that some epochs exceed the room after their first message.
    """
    count = 3000
    rows = ROWS | {0: Row(misses=3, hits=[10**spread] * (spread % 8) + [0] * (8 - spread % 8))}
    with daemon.host() as device:
        daemon.cable.plugged = False
        driver.finish_epoch(rows)
        for _ in range(count - 2):
            driver.finish_epoch(rows)
        driver.follow(1, "following", os.getpid(), "pytest")
        driver.follow(1, "ended", os.getpid(), "pytest")
        wait_until(driver.is_drained)
        daemon.cable.plugged = True
        device.say_hello()
        messages = device.waiting()
        driver.finish_epoch(rows)
        messages += receive(device, 2)
        hello = device.say_hello()
        messages += device.waiting()

    epochs = [message for message in messages if message.name == "epoch"]
    assert hello.epoch_messages == 2 * (count - 1) + 2 + 2
    assert 10 < len(epochs) < count
    assert [m.index for m in epochs] == sorted({m.index for m in epochs})
    for _, whole in itertools.groupby(epochs, key=lambda message: message.epoch):
        assert [(message.context, message.remaining) for message in whole] in (
            [(0, 1), (2, 0)],
            [(0, 0)],
            [(1, 0)],
        )
    assert messages[-2:] == epochs[-2:], "the last epoch came through"
    # Not every change is reported, but the last report is true.
    reported = [m.state for m in messages if m.name == "process"]
    assert reported in (["ended"], ["following", "ended"])


def test_when_the_driver_goes_away_the_daemon_ends_and_its_programs(start_daemon, driver):
    daemon = start_daemon()
    daemon.status = 1
    with daemon.host() as device:
        device.request("run", workload=1, context=1, scale=1000)
        pid = int(driver.read("contexts/1/pid"))
        driver.unplug()
        assert daemon.process.wait(timeout=scaled_timeout(10)) == 1

    assert "the driver was removed" in daemon.said()
    assert not is_alive(pid)


def test_when_the_port_goes_away_the_daemon_ends(start_daemon):
    daemon = start_daemon()
    daemon.status = 1
    daemon.cable.cut()

    assert daemon.process.wait(timeout=scaled_timeout(10)) == 1
    assert "check the port" in daemon.said()


@pytest.fixture
def other_driver(request, folder):
    """A driver with these arguments; it outlives the daemon, whose end depends on the signal alone."""
    with FakeDriver(folder, **request.param) as made:
        yield made


@pytest.mark.parametrize("other_driver", [{"grown": True}], indirect=True)
def test_a_record_whose_parts_have_grown_is_read(other_driver, start_daemon_on):
    with start_daemon_on(other_driver).host() as device:
        number = other_driver.finish_epoch(ROWS)
        first, second = receive(device, 2)
        other_driver.follow(1, "following", os.getpid(), "grown")
        _, process = receive(device, 2)

    assert [(m.epoch, m.context, m.hits, m.misses, m.touched) for m in (first, second)] == [
        (number, context, row.hits, row.misses, row.touched) for context, row in ROWS.items()
    ]
    assert (process.pid, process.comm) == (os.getpid(), "grown")


@pytest.mark.parametrize("other_driver", [{"name": "litemrc1"}], indirect=True)
def test_a_daemon_serves_the_device_that_it_is_named(other_driver, start_daemon_on):
    with start_daemon_on(other_driver).host() as device:
        number = other_driver.finish_epoch(ROWS)
        assert [message.epoch for message in receive(device, 2)] == [number] * 2
        device.request("follow", context=2, pid=os.getpid())

    orders = [path for path, _, _ in other_driver.orders()]
    assert "sys/class/misc/litemrc1/contexts/2/pid" in orders
    assert not [path for path in orders if "litemrc0" in path]


@pytest.mark.parametrize(
    "sizes",
    [
        (56, CONTEXT_BYTES, ROW_WORDS),
        (64, CONTEXT_BYTES - 4, ROW_WORDS),
        (64, CONTEXT_BYTES, ROW_WORDS - 1),
        (72, CONTEXT_BYTES, ROW_WORDS),
        (62, CONTEXT_BYTES, ROW_WORDS),
    ],
)
def test_a_record_with_parts_that_do_not_fit_ends_the_daemon(start_daemon, driver, sizes):
    daemon = start_daemon()
    daemon.status = 1
    size = 64 + 4 * (CONTEXT_BYTES + 4 * ROW_WORDS)
    head = struct.pack("I6H", size, *sizes, 4, GROUPS, TAIL_GROUPS)
    driver.hand_out_bytes(head + bytes(size - len(head)))

    assert daemon.process.wait(timeout=scaled_timeout(5)) == 1
    assert "use driver and daemon of the same version" in daemon.said()


def test_a_record_of_another_layout_ends_the_daemon(start_daemon, driver):
    daemon = start_daemon()
    daemon.status = 1
    driver.hand_out_bytes(b"\x10\0\0\0" + bytes(12))

    assert daemon.process.wait(timeout=scaled_timeout(5)) == 1
    assert "16 bytes, not an epoch of 4 contexts and 8 groups" in daemon.said()
    assert "use driver and daemon of the same version" in daemon.said()
