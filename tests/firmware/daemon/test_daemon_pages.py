# SPDX-License-Identifier: BSD-2-Clause
"""Single pages over the daemon: frames and hot pages as parts of an epoch's record, whole or missing."""

import os
import time
from dataclasses import replace

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.hot import PageMessages, get_hot, get_page_messages, page_messages, set_hot
from litemrc.pages.hot_lists import HotList

from tests.firmware.daemon.fake_driver import FRAMES, FakeDriver, Row
from tests.firmware.daemon.fake_pages import MORE, SATURATED, FakePages
from tests.firmware.daemon.serving import receive
from tests.timeouts import wait_until

RANKS = 2
HOT_PAGES = 128


@pytest.fixture
def pages():
    return FakePages(FRAMES, HOT_PAGES)


@pytest.fixture
def driver(folder, pages):
    with FakeDriver(folder, ranks=RANKS, pages=pages) as made:
        yield made


def finish(device, driver, **header):
    """Finish an epoch; return its message."""
    driver.finish_epoch(**header)
    (message,) = receive(device, 1)
    assert len(message.record.ranks) == RANKS
    return message


def having(messages, name):
    """The epochs whose records have a part: accessed or hot."""
    return [message.epoch for message in messages if getattr(message.record, name) is not None]


def accessed(message):
    return message.record.accessed.tobytes(), message.record.written.tobytes()


def listed(message):
    return [tuple(page) for page in message.record.hot.tolist()]


def bits(frames):
    return sum(1 << frame for frame in frames).to_bytes(FRAMES // 8, "little")


def select(device, *, accessed=True, hot=True):
    return device.request("set_page_messages", accessed=accessed, hot=hot)


def turn_on(driver):
    """Hot pages, as a program other than the daemon does it."""
    (driver.monitor / "hot/enable").write_text("1\n")


def test_hello_says_what_the_gateware_has(daemon):
    with daemon.host() as device:
        assert (device.hello.page_bitmap, device.hello.hot_pages) == (True, HOT_PAGES)


def test_after_its_start_it_sends_neither_and_keeps_no_bitmap(daemon, driver):
    turn_on(driver)
    with daemon.host() as device:
        assert get_page_messages(device) == PageMessages(False, False, 0x40000000)
        message = finish(device, driver)
        assert having([message], "accessed") == having([message], "hot") == []
        assert device.receive(0.1) is None
    assert driver.read("keep_bitmap") == "0"


def test_epochs_with_single_pages_do_not_wait_for_the_pace(start_daemon, driver):
    """The driver has those of the last epoch only. Without them the sixth would come after ten seconds."""
    with start_daemon("--pace=10000").host() as device:
        select(device)
        for _ in range(6):
            finish(device, driver)


def test_the_driver_keeps_the_bitmap_while_the_host_wants_it(daemon, driver):
    with daemon.host() as device:
        with page_messages(device, accessed=True) as selected:
            assert selected == PageMessages(True, False, 0x40000000)
            assert driver.read("keep_bitmap") == "1"
        assert driver.read("keep_bitmap") == "0"
        select(device)
        assert driver.read("keep_bitmap") == "1"
    daemon.end()
    assert driver.read("keep_bitmap") == "0"


def test_frames_and_hot_pages_are_parts_of_the_record_of_their_epoch(daemon, driver, pages):
    pages.accessed = {*range(130), 3072, 4095, FRAMES - 1}
    pages.written = {7, 4095}
    pages.listed = [(8000 - n, 1000 - n) for n in range(70)]
    pages.flags, pages.accesses = MORE | SATURATED, 4_000_000_000
    turn_on(driver)
    expected = bits(pages.accessed), bits(pages.written)
    with daemon.host() as device:
        select(device)
        epoch = driver.finish_epoch({0: Row(misses=1), 2: Row(misses=2)})
        (first,) = receive(device, 1)
        driver.follow(1, "following", os.getpid(), "next")
        (second,) = receive(device, 1)
    assert (first.epoch, accessed(first)) == (epoch, expected)
    assert first.record.rows["misses"].tolist() == [1, 2] and len(first.record.ranks) == RANKS
    assert listed(first) == [(8000 - n, 1000 - n) for n in range(70)]
    assert first.record.head["hot_accesses"] == 4_000_000_000
    assert first.record.flag("hot_more") and first.record.flag("hot_saturated")
    assert accessed(second) == (bytes(FRAMES // 8),) * 2 and listed(second) == []
    assert second.record.rows["pid"].tolist() == [os.getpid()]


def test_an_epoch_without_an_access_has_parts_of_zeros(daemon, driver):
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        message = finish(device, driver)
    assert accessed(message) == (bytes(FRAMES // 8),) * 2
    assert listed(message) == [] and not message.record.flag("hot_more")


def test_the_collector_takes_them_as_those_of_bare_metal(daemon, driver, pages):
    turn_on(driver)
    expected = []
    with daemon.host() as device, page_messages(device, accessed=True, hot=True) as messages:
        collector = Collector(device, messages=messages)
        for number in range(20):
            pages.accessed = {(number * 331 + 97 * n * n) % FRAMES for n in range(10)}
            pages.written = {min(pages.accessed)}
            pages.listed = [(number + 17 * n, 900 - n) for n in range(number % 3 * 60)]
            pages.accesses = 200_000
            pairs = tuple(zip(*pages.listed, strict=True)) or ((), ())
            expected.append((bits(pages.accessed), bits(pages.written), pairs))
            driver.finish_epoch({1: Row(misses=1)})
            for _ in collector.collect(epochs=1):
                pass
    whole = [(epoch.accessed, epoch.written) for epoch in collector.accessed]
    assert whole == [(accessed, written) for accessed, written, _ in expected]
    lists = [HotList(n, 200_000, False, False, *pairs) for n, (_, _, pairs) in enumerate(expected)]
    assert list(collector.hot) == lists


def test_pages_of_a_later_epoch_are_never_sent_for_an_earlier_one(daemon, driver, pages):
    """The daemon fell behind by an epoch: its record lacks the parts."""
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        messages = []
        for ahead in (0, 1, 0):
            pages.ahead, pages.accessed = ahead, {5}
            messages.append(finish(device, driver))
    assert [message.epoch for message in messages] == [0, 1, 2]
    assert having(messages, "accessed") == having(messages, "hot") == [0, 2]


def test_the_daemon_waits_for_pages_that_the_driver_stores_after_the_record(
    daemon, driver, pages, monkeypatch
):
    turn_on(driver)
    monkeypatch.setattr(pages, "finish_epoch", lambda epoch: None)
    with daemon.host() as device:
        select(device)
        for epoch in range(5):
            driver.finish_epoch()
            time.sleep(0.003)
            pages.accessed, pages.listed, pages.accesses = {epoch}, [(epoch, 3)], 3
            pages.publish(epoch)
            (message,) = receive(device, 1)
            assert having([message], "accessed") == having([message], "hot") == [epoch]
            assert accessed(message)[0] == bits({epoch})
            assert listed(message) == [(epoch, 3)]


def test_the_epochs_before_a_selection_have_no_pages(daemon, driver):
    """Records wait in the driver when the host selects; the driver kept no bitmap of their epochs."""
    turn_on(driver)
    with daemon.host() as device:
        (driver.monitor / "epoch").write_text("3\n")
        select(device)
        messages = [finish(device, driver) for _ in range(4)]
    assert having(messages, "accessed") == having(messages, "hot") == [3]


def test_epochs_in_which_hot_pages_were_off_have_no_list(daemon, driver, pages):
    with daemon.host() as device:
        select(device, accessed=False)
        messages = [finish(device, driver)]
        change_hot(device, enable=True)
        messages.append(finish(device, driver))
        change_hot(device, enable=False)
        messages.append(finish(device, driver))
        change_hot(device, enable=True)
        messages.append(finish(device, driver))
    assert having(messages, "hot") == [1, 3] and having(messages, "accessed") == []


def change_hot(device, **changes):
    set_hot(device, replace(get_hot(device), **changes))


def test_another_program_that_turns_hot_pages_off_is_noticed(daemon, driver):
    turn_on(driver)
    with daemon.host() as device:
        select(device, accessed=False)
        messages = [finish(device, driver)]
        (driver.monitor / "hot/enable").write_text("0\n")
        messages += [finish(device, driver) for _ in range(5)]
        turn_on(driver)
        messages.append(finish(device, driver))
    assert having(messages, "hot") == [0, 6]


def test_a_host_that_does_not_read_gets_whole_epochs_only(daemon, driver, pages):
    turn_on(driver)
    everything = set(range(FRAMES))
    count = 400
    with daemon.host() as device:
        select(device)
        daemon.cable.plugged = False
        for _ in range(count):
            pages.accessed, pages.listed = everything, [(n, 9) for n in range(100)]
            pages.accesses = 900
            driver.finish_epoch()
        wait_until(driver.is_drained)
        daemon.cable.plugged = True
        device.say_hello()
        messages = [message for message in device.waiting() if message.name == "epoch"]
        pages.accessed = {1}
        last = finish(device, driver)
    numbers = [message.epoch for message in messages]
    assert numbers == sorted(set(numbers)) and 2 < len(numbers) < count
    # Pages of an epoch are missing whose record the daemon read when the next one had ended.
    assert len(having(messages, "accessed")) > 2 and len(having(messages, "hot")) > 2
    for message in messages:
        record = message.record
        assert record.accessed is None or accessed(message) == (b"\xff" * (FRAMES // 8), bytes(FRAMES // 8))
        assert record.hot is None or len(listed(message)) == 100
    assert (last.epoch, accessed(last)[0]) == (count, bits({1}))


def test_an_image_of_other_frames_is_not_sent(daemon, driver, pages):
    with daemon.host() as device:
        select(device, hot=False)
        pages.frames = FRAMES - 1
        messages = [finish(device, driver)]
        pages.frames = FRAMES
        messages.append(finish(device, driver))
    assert having(messages, "accessed") == [1]


def test_pages_that_become_hot_are_reported_during_the_epoch(daemon, driver, pages):
    with daemon.host() as device:
        pages.queue(1, 2, 3)  # counted with other settings
        change_hot(device, enable=True, always_on=True)
        pages.queue(*range(100, 120))
        first, second = receive(device, 2)
        pages.count_events(2, 1)
        pages.queue(7)
        (third,) = receive(device, 1)
        pages.queue(8)
        (fourth,) = receive(device, 1)
        change_hot(device, always_on=False)
        pages.queue(9)
        assert device.receive(0.3) is None
    queued = [(m.name, m.index, m.overflow, m.frames) for m in (first, second, third, fourth)]
    assert queued == [
        ("queued", 0, False, list(range(100, 116))),
        ("queued", 1, False, list(range(116, 120))),
        ("queued", 2, True, [7]),
        ("queued", 3, False, [8]),
    ]


def test_pages_that_another_process_takes_are_reported_as_lost(daemon, driver, pages):
    with daemon.host() as device:
        change_hot(device, enable=True, always_on=True)
        pages.queue(1, 2)
        (first,) = receive(device, 1)
        wait_until(lambda: driver.read("hot/queue_first") == "2")
        pages.take(3, 4, 5)
        pages.queue(6)
        (second,) = receive(device, 1)
        pages.queue(7)
        (third,) = receive(device, 1)
    queued = [(m.name, m.overflow, m.frames) for m in (first, second, third)]
    assert queued == [("queued", False, [1, 2]), ("queued", True, [6]), ("queued", False, [7])]


def test_a_monitor_that_reports_hot_pages_already_is_listened_to(start_daemon, driver, pages):
    (driver.monitor / "hot/always_on").write_text("1\n")
    with start_daemon().host() as device:
        pages.queue(44)
        (message,) = receive(device, 1)
    assert (message.name, message.frames) == ("queued", [44])
