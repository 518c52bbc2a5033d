# SPDX-License-Identifier: BSD-2-Clause
"""Single pages over the daemon: frames and hot pages of each epoch, whole or missing by their indices."""

import os
import time
from dataclasses import replace
from itertools import groupby

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.hot import PageMessages, get_hot, get_page_messages, page_messages, set_hot
from litemrc.pages.hot_lists import HotList

from tests.firmware.daemon.fake_driver import FRAMES, FakeDriver, Rank, Row
from tests.firmware.daemon.fake_pages import MORE, SATURATED, FakePages
from tests.timeouts import scaled_timeout, wait_until

RANKS = 2
HOT_PAGES = 128
IN_A_MESSAGE = 1024


@pytest.fixture
def pages():
    return FakePages(FRAMES, HOT_PAGES)


@pytest.fixture
def driver(folder, pages):
    with FakeDriver(folder, ranks=RANKS, pages=pages) as made:
        yield made


def receive(device, count):
    messages = [device.receive(scaled_timeout(5)) for _ in range(count)]
    assert None not in messages
    return messages


def finish(device, driver, pages=0, **header):
    """Finish an epoch; return its messages: of a context, the ranks, and so many of single pages."""
    driver.finish_epoch(**header)
    return receive(device, 1 + RANKS + pages)


def indices(messages, name):
    """Index and epoch of the messages of a kind."""
    return [(message.index, message.epoch) for message in messages if message.name == name]


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
        assert [m.name for m in finish(device, driver)] == ["epoch", *["rank"] * RANKS]
        assert device.receive(0.1) is None
    assert driver.read("keep_bitmap") == "0"


def test_the_driver_keeps_the_bitmap_while_the_host_wants_it(daemon, driver):
    with daemon.host() as device:
        with page_messages(device, accessed=True) as selected:
            assert selected == PageMessages(True, False, 0x40000000)
            assert driver.read("keep_bitmap") == "1"
        assert driver.read("keep_bitmap") == "0"
        select(device)
        assert driver.read("keep_bitmap") == "1"
    daemon.process.terminate()
    daemon.process.wait(scaled_timeout(10))
    assert driver.read("keep_bitmap") == "0"


def test_frames_and_then_hot_pages_follow_all_other_messages_of_their_epoch(daemon, driver, pages):
    """130 frames are of the first message, 2 of the fourth, 1 of the last; the list has two messages."""
    pages.accessed = {*range(130), 3072, 4095, FRAMES - 1}
    pages.written = {7, 4095}
    pages.listed = [(8000 - n, 1000 - n) for n in range(70)]
    pages.flags, pages.accesses = MORE | SATURATED, 4_000_000_000
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        epoch = driver.finish_epoch({0: Row(misses=1), 2: Row(misses=2)})
        messages = receive(device, 2 + RANKS + 3 + 2)
        driver.follow(1, "following", os.getpid(), "next")
        messages += receive(device, 1 + RANKS + 1 + 1 + 1)
    names = ["epoch", "epoch", *["rank"] * RANKS, *["accessed"] * 3, "hot", "hot"]
    names += ["epoch", *["rank"] * RANKS, "accessed", "hot", "process"]
    assert [message.name for message in messages] == names

    accessed = messages[2 + RANKS : 5 + RANKS]
    assert [(m.index, m.epoch, m.piece, m.remaining, m.first) for m in accessed] == [
        (0, epoch, 0, 2, 0),
        (1, epoch, 1, 1, 3 * IN_A_MESSAGE),
        (2, epoch, 2, 0, FRAMES - IN_A_MESSAGE),
    ]
    assert accessed[0].accessed == b"\xff" * 16 + b"\3"  # zeros at the end are cut
    assert accessed[0].written == b"\x80"
    assert accessed[1].accessed == b"\1" + bytes(126) + b"\x80"
    assert accessed[1].written == bytes(127) + b"\x80"
    assert (accessed[2].accessed, accessed[2].written) == (bytes(127) + b"\x80", b"")

    first, second = messages[5 + RANKS : 7 + RANKS]
    assert [(m.index, m.epoch, m.piece, m.remaining) for m in (first, second)] == [
        (0, epoch, 0, 1),
        (1, epoch, 1, 0),
    ]
    assert first.frames + second.frames == [8000 - n for n in range(70)]
    assert first.counts + second.counts == [1000 - n for n in range(70)]
    assert {(m.accesses, m.more, m.saturated) for m in (first, second)} == {(4_000_000_000, True, True)}


def test_an_epoch_without_an_access_has_one_message_of_each_kind(daemon, driver):
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        accessed, hot = finish(device, driver, 2)[-2:]
    assert (accessed.piece, accessed.remaining, accessed.first) == (0, 0, 0)
    assert (accessed.accessed, accessed.written) == (b"", b"")
    assert (hot.piece, hot.remaining, hot.frames, hot.counts) == (0, 0, [], [])


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
            listed = tuple(zip(*pages.listed, strict=True)) or ((), ())
            expected.append((bits(pages.accessed), bits(pages.written), listed))
            driver.finish_epoch({1: Row(misses=1)})
            for _ in collector.collect(epochs=1):
                pass
    whole = [(epoch.accessed, epoch.written) for epoch in collector.accessed.whole]
    assert whole == [(accessed, written) for accessed, written, _ in expected]
    lists = [HotList(n, 200_000, False, False, *listed) for n, (_, _, listed) in enumerate(expected)]
    assert list(collector.hot.whole) == lists
    assert collector.accessed.lost == collector.hot.lost == 0


def test_pages_of_a_later_epoch_are_never_sent_for_an_earlier_one(daemon, driver, pages):
    """The daemon fell behind by an epoch: what it would have sent is missing by one index of each kind."""
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        messages = []
        for ahead, sent in ((0, 2), (1, 0), (0, 2)):
            pages.ahead, pages.accessed = ahead, {5}
            messages += finish(device, driver, sent)
    names = ["epoch", "accessed", "hot", "epoch", "epoch", "accessed", "hot"]
    assert [message.name for message in messages if message.name != "rank"] == names
    assert indices(messages, "accessed") == indices(messages, "hot") == [(0, 0), (2, 2)]


def test_pages_of_epochs_that_the_driver_lost_are_missing_by_their_indices(daemon, driver):
    turn_on(driver)
    with daemon.host() as device:
        select(device)
        messages = finish(device, driver, 2)
        driver._epoch += 3
        messages += finish(device, driver, 2, lost=3)
    assert indices(messages, "accessed") == indices(messages, "hot") == [(0, 0), (4, 4)]


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
            accessed, hot = receive(device, 1 + RANKS + 2)[-2:]
            assert (accessed.index, accessed.epoch, accessed.accessed) == (epoch, epoch, bytes([1 << epoch]))
            assert (hot.index, hot.epoch, hot.frames) == (epoch, epoch, [epoch])


def test_the_epochs_before_a_selection_have_no_pages_to_lose(daemon, driver):
    """Records wait in the driver when the host selects; the driver kept no bitmap of their epochs."""
    turn_on(driver)
    with daemon.host() as device:
        (driver.monitor / "epoch").write_text("3\n")
        select(device)
        messages = [m for sent in (0, 0, 0, 2) for m in finish(device, driver, sent)]
    assert indices(messages, "accessed") == indices(messages, "hot") == [(0, 3)]


def test_epochs_in_which_hot_pages_were_off_have_no_list_to_lose(daemon, driver, pages):
    with daemon.host() as device:
        select(device, accessed=False)
        messages = finish(device, driver)
        change_hot(device, enable=True)
        messages += finish(device, driver, 1)
        change_hot(device, enable=False)
        messages += finish(device, driver)
        driver._epoch += 4
        messages += finish(device, driver, lost=4)
        change_hot(device, enable=True)
        messages += finish(device, driver, 1)
    assert indices(messages, "hot") == [(0, 1), (1, 8)]


def test_a_list_that_was_missed_is_lost_even_if_hot_pages_are_off_by_now(daemon, driver, pages):
    with daemon.host() as device:
        select(device, accessed=False)
        change_hot(device, enable=True)
        messages = finish(device, driver, 1)
        (driver.monitor / "epoch").write_text("2\n")  # epoch 1 has ended; its record waits
        change_hot(device, enable=False)
        messages += finish(device, driver)
        change_hot(device, enable=True)
        messages += finish(device, driver, 1)
    assert indices(messages, "hot") == [(0, 0), (2, 2)]


def change_hot(device, **changes):
    set_hot(device, replace(get_hot(device), **changes))


def test_another_program_that_turns_hot_pages_off_is_noticed(daemon, driver):
    """The epoch after that counts as lost, as it may have had a list; those that follow do not."""
    turn_on(driver)
    with daemon.host() as device:
        select(device, accessed=False)
        messages = finish(device, driver, 1)
        (driver.monitor / "hot/enable").write_text("0\n")
        messages += [m for _ in range(5) for m in finish(device, driver)]
        turn_on(driver)
        messages += finish(device, driver, 1)
    assert indices(messages, "hot") == [(0, 0), (2, 6)]


def test_a_host_that_does_not_read_gets_whole_epochs_of_pages_only(daemon, driver, pages):
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
        messages = device.waiting()
        pages.accessed = {1}
        messages += finish(device, driver, 2)
    for name, pieces in (("accessed", FRAMES // IN_A_MESSAGE), ("hot", 2)):
        found = [m for m in messages if m.name == name]
        numbers = [m.index for m in found]
        assert numbers == sorted(set(numbers))
        epochs = [(epoch, [(m.piece, m.remaining) for m in each]) for epoch, each in by_epoch(found)]
        assert epochs.pop() == (count, [(0, 0)])
        assert 2 < len(epochs) < count
        assert {tuple(each) for _, each in epochs} == {
            tuple((piece, pieces - 1 - piece) for piece in range(pieces))
        }
        dropped = count - len(epochs)
        assert numbers[-1] >= pieces * len(epochs) + dropped, "each epoch that was dropped is missing"


def by_epoch(messages):
    return groupby(messages, key=lambda message: message.epoch)


def test_an_image_of_other_frames_is_not_sent(daemon, driver, pages):
    with daemon.host() as device:
        select(device, hot=False)
        pages.frames = FRAMES - 1
        messages = finish(device, driver)
        pages.frames = FRAMES
        messages += finish(device, driver, 1)
    assert indices(messages, "accessed") == [(1, 1)]


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
        wait_until(lambda: (driver.monitor / "hot/queue").read_text() == "first 2\n")
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


def test_ranks_stay_before_pages(daemon, driver):
    driver.ranks = [Rank(cycles=number) for number in range(RANKS)]
    with daemon.host() as device:
        select(device, hot=False)
        names = [message.name for message in finish(device, driver, 1)]
    assert names == ["epoch", *["rank"] * RANKS, "accessed"]
