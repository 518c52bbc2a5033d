# SPDX-License-Identifier: BSD-2-Clause
"""Frames that the monitor saw accessed reach the page tables, reclaim and, with those written, user space."""

from errno import EINVAL, ENODATA, ENODEV
from struct import unpack

import pytest

from tests.linux.driver.following import CGROUPS, enable, enable_swap, log
from tests.linux.driver.guest import FAKE, S

FRAMES = 1 << 14  # of the fake
WORDS = FRAMES // 32
PAGES = 96  # more than a word of the bitmap, less than a page table


@pytest.fixture
def bitmap(monitor):
    """Yield the guest with a monitor whose window has the bits of the frames."""
    monitor.do("rmmod litemrc_fake")
    monitor.do("insmod /litemrc_fake.ko page_bitmap=1")
    return monitor


def events(guest):
    return {name: int(number) for name, number in guest.values(S + "feed_events").items()}


def feed(guest, on=1):
    assert guest.write(S + "feed_accessed", on) == 0


def end_epoch(guest):
    """End the epoch, and return when the page tables were walked if they are."""
    walks = events(guest)["walks"]
    assert guest.write(S + "end_epoch", 1) == 0
    if guest.read(S + "feed_accessed") == "1":
        for _ in range(100):
            if events(guest)["walks"] > walks:
                return
            guest.do("sleep 10")
        raise AssertionError("no walk within a second")


def states(guest, name="worker"):
    """Return the state of each page of a process's mapping: young (y), old (o) or absent (a)."""
    guest.do(f"w {FAKE}forget 1")
    guest.do(f"@ {name} states")
    return "".join(kind for kind, _ in log(guest, "yoa"))


def mapped(guest, pages, kind="", name="worker"):
    """Let a process map pages; return their frames, in the order of their addresses."""
    guest.do(f"@ {name} map {pages} {kind}")
    guest.do(f"w {FAKE}forget 1")
    guest.do(f"@ {name} frames")
    return [frame for _, frame in log(guest, "f")]


@pytest.mark.parametrize("kind", ["", "shared"])
def test_pages_of_accessed_frames_become_young_at_the_end_of_the_epoch(bitmap, spawn, kind):
    spawn("worker")
    frames = mapped(bitmap, PAGES, kind)
    assert states(bitmap) == "y" * PAGES  # the processor has set them
    feed(bitmap)
    bitmap.do("@ worker age")
    before = events(bitmap)
    for frame in frames[::3]:
        bitmap.do(f"w {FAKE}touch {frame}")
    assert states(bitmap) == "o" * PAGES
    end_epoch(bitmap)
    assert states(bitmap) == "yoo" * (PAGES // 3)
    assert events(bitmap)["marked"] - before["marked"] == PAGES // 3
    bitmap.do("@ worker age")
    end_epoch(bitmap)  # without an access
    assert states(bitmap) == "o" * PAGES


def test_every_process_that_maps_an_accessed_frame_has_its_page_young(bitmap, spawn):
    """A child shares all pages until it writes."""
    spawn("worker")
    frames = mapped(bitmap, PAGES)
    bitmap.do("@ worker spawn kid")
    feed(bitmap)
    for name in ("worker", "worker @ kid"):
        bitmap.do(f"@ {name} age")
    bitmap.do(f"w {FAKE}touch {frames[5]}")
    end_epoch(bitmap)
    for name in ("worker", "worker @ kid"):
        assert states(bitmap, name) == "o" * 5 + "y" + "o" * (PAGES - 6)
    bitmap.do("@ worker kill kid 9")


def test_a_process_that_has_not_run_in_the_epoch_is_not_visited(bitmap, spawn):
    spawn("worker")
    frames = mapped(bitmap, PAGES)
    feed(bitmap)
    end_epoch(bitmap)
    bitmap.do("@ worker age")
    before = events(bitmap)["visited"]
    end_epoch(bitmap)
    ran = events(bitmap)["visited"] - before
    bitmap.do(f"w {FAKE}touch {frames[0]}")
    end_epoch(bitmap)
    assert events(bitmap)["visited"] - before <= 2 * ran - PAGES
    assert states(bitmap) == "o" * PAGES
    bitmap.do(f"w {FAKE}touch {frames[0]}")
    end_epoch(bitmap)  # in which it has reported its states
    assert states(bitmap) == "y" + "o" * (PAGES - 1)


def test_the_pages_of_a_process_whose_first_thread_has_ended_become_young(bitmap, spawn):
    spawn("worker")
    frames = mapped(bitmap, PAGES)
    bitmap.do("@ worker age")
    bitmap.do("@ worker thread")
    feed(bitmap)
    before = events(bitmap)
    bitmap.do("& worker leader")
    bitmap.do("sleep 100")
    bitmap.do(f"w {FAKE}touch {frames[0]}")
    end_epoch(bitmap)
    assert events(bitmap)["marked"] == before["marked"] + 1


def test_nothing_is_marked_while_the_feed_is_off(bitmap, spawn):
    spawn("worker")
    mapped(bitmap, PAGES)
    bitmap.do("@ worker age")
    before = events(bitmap)
    for on in (0, 1, 0):
        feed(bitmap, on)
        assert bitmap.read(S + "feed_accessed") == str(on)
    bitmap.do(f"w {FAKE}touch 0 {FRAMES - 1}")
    end_epoch(bitmap)
    bitmap.do("sleep 50")
    assert events(bitmap) == before
    assert states(bitmap) == "o" * PAGES


@pytest.mark.parametrize("on", [0, 1])
def test_reclaim_spares_the_pages_that_the_monitor_saw_accessed(bitmap, spawn, cgroup, on):
    """The hot pages are the oldest. Without the feed they are evicted first: nobody sees their accesses."""
    pages, hot, reclaimed = 1000, 200, 500
    enable_swap(bitmap)
    path = cgroup("/fed")
    bitmap.do(f"w {CGROUPS}{path}/cgroup.procs {spawn('worker')}")
    frames = mapped(bitmap, pages)
    feed(bitmap, on)
    bitmap.do("@ worker age")
    for frame in frames[:hot]:
        bitmap.do(f"w {FAKE}touch {frame}")
    end_epoch(bitmap)
    bitmap.do(f"w {CGROUPS}{path}/memory.reclaim {reclaimed * 4096}")
    evicted = [page for page, state in enumerate(states(bitmap)) if state == "a"]
    assert reclaimed <= len(evicted) < pages - hot
    assert sum(page < hot for page in evicted) == (0 if on else hot)


@pytest.mark.parametrize("unload", [False, True])
def test_processes_that_fork_exec_unmap_and_end_meanwhile_are_survived(bitmap, spawn, unload):
    """Every frame is accessed in every epoch, at the driver's highest rate of epochs."""
    for name in ("worker", "other"):
        spawn(name)
    feed(bitmap)
    enable(bitmap)
    for _ in range(4):
        bitmap.do("& worker churn 150")
        bitmap.do("& other churn 150")
        for _ in range(15):
            bitmap.do(f"w {FAKE}touch 0 {FRAMES - 1}")
            assert bitmap.write(S + "end_epoch", 1) == 0
        if unload:
            bitmap.unload_driver()
            bitmap.load_driver()
            feed(bitmap)
            enable(bitmap)
        for name in ("worker", "other"):
            bitmap.do(f"? {name}")
    bitmap.do(f"w {FAKE}touch 0 {FRAMES - 1}")
    bitmap.do(f"w {S}end_epoch 1")
    bitmap.do("@ worker exec /renamed")
    bitmap.do("& other exit")
    if not unload:
        assert events(bitmap)["walks"] > 10 and events(bitmap)["visited"] > 1000
    assert bitmap.read(S + "enable") == "1"


def image(guest):
    """Return the epoch, and the frames accessed and written in it."""
    read = bytes.fromhex("".join(guest.do(f"hex {S}bitmap")))
    epoch, frames, *words, again = unpack(f"={2 + 2 * WORDS + 1}I", read)
    assert (frames, again) == (FRAMES, epoch)
    bits = [
        {32 * i + bit for i in range(WORDS) for bit in range(32) if half[i] >> bit & 1}
        for half in (words[:WORDS], words[WORDS:])
    ]
    return epoch, *bits


def test_user_space_reads_both_bitmaps_of_the_last_epoch(bitmap):
    assert bitmap.ask(f"hex {S}bitmap").result == -ENODATA
    assert bitmap.write(S + "keep_bitmap", 1) == 0
    assert bitmap.ask(f"hex {S}bitmap").result == -ENODATA  # none has ended since
    for written in ({7}, {0, 31, 32, FRAMES - 1}, set()):
        for frame in written:
            bitmap.do(f"w {FAKE}dirty {frame}")
        bitmap.do(f"w {FAKE}touch 100 163")
        assert bitmap.write(S + "end_epoch", 1) == 0
        epoch, accessed, wrote = image(bitmap)
        assert epoch == int(bitmap.read(S + "epoch")) - 1
        assert (accessed, wrote) == (written | set(range(100, 164)), written)
    assert bitmap.write(S + "keep_bitmap", 0) == 0
    feed(bitmap)
    end_epoch(bitmap)  # read for the page tables alone
    assert bitmap.ask(f"hex {S}bitmap").result == -ENODATA


def test_gateware_without_a_page_bitmap_refuses_it(monitor):
    for name in ("feed_accessed", "keep_bitmap"):
        assert monitor.write(S + name, 1) == ENODEV
        assert monitor.write(S + name, 0) == 0
        assert monitor.write(S + name, 2) == EINVAL
        assert monitor.read(S + name) == "0"
    assert monitor.ask(f"hex {S}bitmap").result == -ENODEV
    assert set(events(monitor).values()) == {0}
