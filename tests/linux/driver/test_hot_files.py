# SPDX-License-Identifier: BSD-2-Clause
"""Hot pages in sysfs: settings, the list of each epoch, the queue; and writes counted apart."""

from errno import EBUSY, EINVAL, ENODATA, ENODEV
from struct import unpack

import pytest

from tests.linux.driver.following import enable, follow
from tests.linux.driver.guest import FAKE, S

FAKE_HOT = "/sys/devices/platform/litemrc.0/fake_hot/"
HOT = S + "hot/"
PAGES, PLACES, DRIVER_PLACES = 16, 16, 256  # of the list, of the gateware's queue, of the driver's
FRAMES = 1 << 14
DEFAULTS = {
    "enable": 0,
    "reads": 1,
    "writes": 1,
    "always_on": 0,
    "sampling": 0,
    "threshold": 2,
    "wanted": PAGES,
    "lower": 0,
    "upper": FRAMES - 1,
    "watermark": 1,
}
MORE = 1


@pytest.fixture(params=["", "page_bitmap=1"])
def hot(monitor, request):
    """Yield the guest with a monitor that has hot pages, with the bits of the frames before them or not."""
    monitor.do("rmmod litemrc_fake")
    monitor.do(f"insmod /litemrc_fake.ko hot_pages={PAGES} {request.param}")
    return monitor


def settings(guest):
    return {name: int(guest.read(HOT + name)) for name in DEFAULTS}


def the_list(guest):
    """Return epoch, accesses, flags and pages of the file."""
    text = "".join(guest.do(f"hex {HOT}list"))
    words = unpack(f"<{4 + 2 * PAGES + 1}I", bytes.fromhex(text))
    epoch, accesses, flags, listed = words[:4]
    pages = list(zip(words[4:-1:2], words[5:-1:2], strict=True))
    assert words[-1] == epoch and not any(map(any, pages[listed:]))
    return epoch, accesses, flags, pages[:listed]


def end_epoch(guest):
    assert guest.write(S + "end_epoch", 1) == 0


def test_settings_have_their_defaults_and_limits(hot):
    assert settings(hot) == DEFAULTS
    changed = {
        "enable": 1,
        "reads": 0,
        "writes": 1,
        "always_on": 1,
        "sampling": 15,
        "threshold": (1 << 20) - 1,
        "wanted": 1,
        "lower": 5,
        "upper": 9,
        "watermark": PLACES,
    }
    enable(hot)  # each is changed while the monitor is quiet, or the fake complains
    for name, value in changed.items():
        assert hot.write(HOT + name, value) == 0
    assert settings(hot) == changed
    refused = {
        "enable": 2,
        "sampling": 16,
        "threshold": 0,
        "wanted": PAGES + 1,
        "lower": FRAMES,
        "watermark": PLACES + 1,
    }
    for name, value in refused.items():
        assert hot.write(HOT + name, value) == EINVAL
    assert hot.write(HOT + "wanted", 0) == hot.write(HOT + "threshold", 1 << 20) == EINVAL
    assert settings(hot) == changed
    assert hot.read(S + "enable") == "1"


def test_the_list_is_that_of_the_last_epoch(hot):
    assert hot.write(HOT + "enable", 1) == 0
    enable(hot)
    assert hot.ask(f"hex {HOT}list").result == -ENODATA
    for epoch, count in enumerate((3, 0, PAGES)):
        pages = [(100 * epoch + number, 50 - number) for number in range(count)]
        for frame, accesses in pages:
            hot.do(f"w {FAKE_HOT}hot_page {frame} {accesses}")
        before = int(hot.read(S + "epoch"))
        end_epoch(hot)
        assert the_list(hot) == (before, before * 11 + 4, 0, pages)
    assert hot.write(HOT + "wanted", 2) == 0
    for frame in (7, 8, 9):
        hot.do(f"w {FAKE_HOT}hot_page {frame} 1")
    end_epoch(hot)
    assert the_list(hot)[2:] == (MORE, [(7, 1), (8, 1)])
    assert hot.write(HOT + "enable", 0) == 0
    end_epoch(hot)
    assert hot.ask(f"hex {HOT}list").result == -ENODATA


def events(guest):
    return [int(guest.read(HOT + name)) for name in ("queued", "lost", "overflows")]


def queue(guest):
    """Return the number of the oldest frame that waits, and the frames."""
    return [int(guest.read(HOT + "queue_first")), *map(int, guest.do(f"r {HOT}queue"))]


def wait_until_queued(guest, pages):
    """The interrupt comes with a jiffy."""
    for _ in range(100):
        if events(guest)[0] == pages:
            return
        guest.do("sleep 10")
    raise AssertionError(f"{events(guest)[0]} pages were queued, not {pages}")


def test_queued_pages_are_taken_by_the_interrupt_and_read_once(hot):
    assert hot.write(HOT + "always_on", 1) == 0
    assert hot.write(HOT + "watermark", 4) == 0
    enable(hot)
    for frame in range(4):
        hot.do(f"w {FAKE_HOT}hot_queue {frame}")
    wait_until_queued(hot, 4)
    hot.do(f"w {FAKE_HOT}hot_queue 77")  # below the watermark: taken by the reader
    for _ in range(2):  # `grep -r . /sys` takes nothing
        assert queue(hot) == [0, 0, 1, 2, 3, 77]
    assert hot.write(HOT + "queue_first", 6) == hot.write(HOT + "queue_first", "x") == EINVAL
    assert hot.write(HOT + "queue_first", 3) == 0
    assert queue(hot) == [3, 3, 77]
    assert hot.write(HOT + "queue_first", 2) == EINVAL  # these have left
    assert hot.write(HOT + "queue_first", 5) == 0
    assert queue(hot) == [5]
    assert events(hot) == [5, 0, 0]


def test_pages_that_find_a_queue_full_are_counted_or_said(hot):
    assert hot.write(HOT + "always_on", 1) == 0
    assert hot.write(HOT + "watermark", PLACES) == 0
    enable(hot)
    hot.do(f"w {FAKE_HOT}hot_queue 100 {PLACES + 3}")  # the gateware's queue
    assert queue(hot) == [0, *(100 + number for number in range(PLACES))]
    assert events(hot) == [PLACES, 0, 1]
    assert hot.write(HOT + "queue_first", PLACES) == 0
    for _ in range(2 * DRIVER_PLACES // PLACES):  # the driver's
        queued = events(hot)[0]
        hot.do(f"w {FAKE_HOT}hot_queue 0 {PLACES}")
        wait_until_queued(hot, queued + PLACES)
    assert len(queue(hot)) == 1 + DRIVER_PLACES
    assert events(hot) == [PLACES + 2 * DRIVER_PLACES, DRIVER_PLACES, 1]
    # A reader finds no room in the driver's queue, so it moves nothing there to be lost.
    assert hot.write(HOT + "watermark", PLACES) == 0
    hot.do(f"w {FAKE_HOT}hot_queue 9000 {PLACES - 1}")
    assert queue(hot)[0] == PLACES
    assert events(hot) == [PLACES + 2 * DRIVER_PLACES, DRIVER_PLACES, 1]
    assert hot.write(HOT + "queue_first", PLACES + DRIVER_PLACES) == 0
    assert len(queue(hot)) == PLACES
    assert events(hot) == [2 * PLACES - 1 + 2 * DRIVER_PLACES, DRIVER_PLACES, 1]


def test_pages_are_taken_while_short_epochs_wait_for_their_turn(hot):
    """From the 17th on each epoch waits for 10 ms; the interrupt of a full queue comes meanwhile."""
    bursts, times = 20, 4
    assert hot.write(HOT + "always_on", 1) == 0
    assert hot.write(HOT + "watermark", PLACES) == 0
    enable(hot)
    assert hot.write(S + "epoch_length", 536) == 0
    hot.do(f"w {FAKE}endless 1")
    hot.do("sleep 1000")
    before = int(hot.read(S + "epoch"))
    for burst in range(bursts):
        hot.do(f"w {FAKE_HOT}hot_queue {burst} {PLACES} {times}")
    after = int(hot.read(S + "epoch"))
    hot.do(f"w {FAKE}endless 0")
    assert after > before, "no epoch waited"
    pages = bursts * times * PLACES
    assert events(hot) == [pages, pages - DRIVER_PLACES, 0]


def test_without_hot_pages_there_are_no_files_of_them(monitor):
    assert [line.split()[0] for line in monitor.do(f"ls {HOT}")] == ["list"]
    assert monitor.ask(f"hex {HOT}list").result == -ENODEV


def test_writes_count_in_the_upper_contexts_which_follow_nobody(monitor, spawn):
    pid = spawn("worker")
    enable(monitor)
    follow(monitor, 6, pid)
    assert monitor.write(S + "split", 1) == EBUSY
    assert monitor.read(S + "split") == "0"
    assert monitor.write(f"{S}contexts/6/pid", 0) == 0
    assert monitor.write(S + "split", 1) == 0
    assert monitor.write(f"{S}contexts/4/pid", pid) == EBUSY
    follow(monitor, 3, pid)
    assert monitor.read(S + "split") == monitor.read(S + "enable") == "1"
    assert monitor.write(S + "split", 0) == 0
    follow(monitor, 4, spawn("second"))
