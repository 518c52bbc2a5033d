# SPDX-License-Identifier: BSD-2-Clause
"""A feed outlives what a device sends, tries again ever more seldom, and keeps bounded memory."""

import threading
from dataclasses import replace

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, DeviceGoneError, PortError
from litemrc.device.hot import PageMessages
from litemrc.device.link.frames import frame
from litemrc.device.link.link import Link
from litemrc.device.rank_commands import Dram
from litemrc.feed.backoff import Backoff
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.recent import EPOCHS, Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.serve.fleet import Announcer

from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import ScriptedLink, ack, device_at, ended, hello, told
from tests.timeouts import scaled_timeout

NONSENSE, GONE, NO_PORT = DeviceFaultError("nonsense"), DeviceGoneError("gone"), PortError("no port")


def test_waits_double_up_to_a_limit_and_begin_again_after_a_good_session():
    """0.5 s doubled: 0.5, 1, 2, 4, then 5 s at most for a lost link; 8, 16, 32, 60 s for an unfit device."""
    lost, unfit = Backoff(), Backoff()
    assert [lost.wait_s(NO_PORT, 0) for _ in range(7)] == [0.5, 1, 2, 4, 5, 5, 5]
    assert [unfit.wait_s(NONSENSE, 1.0) for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert unfit.wait_s(GONE, 1.0) == 5
    assert unfit.wait_s(NONSENSE, 61.0) == 0.5


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"page_shift": 63}, "page_shift"),
        ({"page_shift": 255}, "page_shift"),
        ({"clock_hz": 0}, "clock_hz"),
        ({"frames": 2**32 - 1}, "frames"),
    ],
)
def test_a_hello_of_nonsense_is_a_failure_and_not_the_end(changes, field, monkeypatch):
    good = PacedDevice.hello
    bad = threading.Event()
    bad.set()

    def said(device, request):
        message = good(device, request)
        return replace(message, **changes) if bad.is_set() else message

    monkeypatch.setattr(PacedDevice, "hello", said)
    with paced(rate=0) as device:
        feed = Feed(device.url, FeedOptions(timeout_s=scaled_timeout(3)))
        again = threading.Event()
        feed.listen(lambda event: isinstance(event, DeviceParameters) and again.set())
        feed.start()
        failure = feed.wait(scaled_timeout(10))
        assert isinstance(failure, DeviceFaultError) and field in failure.what
        bad.clear()
        assert again.wait(scaled_timeout(10)), "the device that was mended has a session"
        feed.close()
        feed.check()


def test_what_no_check_has_foreseen_is_a_failure_and_not_the_end(monkeypatch):
    sessions = []

    def session(feed):
        sessions.append(feed)
        if len(sessions) < 2:
            raise ZeroDivisionError("division by zero")
        feed._closing.wait()

    monkeypatch.setattr(Feed, "_session", session)
    feed, heard = Feed("test:"), []
    feed.listen(heard.append)
    feed.start()
    failure = feed.wait(scaled_timeout(10))
    assert failure and "sent nonsense: ZeroDivisionError: division by zero" in failure.what
    while len(sessions) < 2:
        feed._closing.wait(0.01)
    feed.close()
    feed.check()
    assert [type(event) for event in heard] == [FeedLost]


def test_a_device_lost_again_and_again_is_reported_at_growing_intervals():
    """A session each second: reported after 60 s, and after twice as long each time: 60, 180, 420, 900 s."""
    now, lines = 0.0, []
    announcer = Announcer("board", lambda line: lines.append((now, line)), lambda: now)
    parameters = DeviceParameters(1, 1, 1, 1, "os", 1, 1, 1, 1)
    for second in range(1000):
        now = float(second)
        announcer(parameters)
        announcer(FeedLost(now, f"nonsense {second}"))
    losses = [at for at, line in lines if "nonsense" in line]
    assert losses == [0, 60, 180, 420, 900]
    assert lines[2] == (
        60,
        "board: nonsense 60; the server tries again (60 sessions were lost since the last report)",
    )
    assert len(lines) == 2 * len(losses)


def test_a_loss_that_lasts_is_reported_and_one_after_a_good_session_at_once():
    now, lines = 0.0, []
    announcer = Announcer("board", lines.append, lambda: now)
    parameters = DeviceParameters(1, 1, 1, 1, "os", 1, 1, 1, 1)
    announcer(parameters)
    announcer(FeedLost(0, "gone"))
    announcer(parameters)
    now = 1.0
    announcer(FeedLost(0, "gone"))  # too soon to be reported, but nobody comes
    for second in (6.0, 11.0, 61.0, 66.0):
        now = second
        announcer(FeedLost(0, "no port"))
    assert lines == [
        "board: gone; the server tries again",
        "board: the device is there again",
        "board: no port; the server tries again",
    ]
    announcer(parameters)
    now = 200.0
    announcer(FeedLost(0, "gone"))
    assert lines[3:] == ["board: the device is there again", "board: gone; the server tries again"]


@pytest.mark.parametrize("system", ["", "Linux"])
def test_epochs_and_programs_without_end_do_not_fill_the_memory(system, monkeypatch):
    said = hello(ranks=1, page_bitmap=True, hot_pages=16, system=system)
    link = ScriptedLink(hello=lambda **_: said, get_process=lambda **_: ack(1, 0))
    collector = Collector(
        device_at(link, monkeypatch), Dram(1, False, (), "", 1, 1, 0), PageMessages(True, True, 0)
    )
    feed, heard = Feed("test:"), []
    feed.parameters = DeviceParameters(1, 1, 1, 1, "os", 1, 1, 1, 1)
    feed.listen(lambda event: isinstance(event, FeedEpoch) and heard.append(event))
    parts = {name: [{"context": 1}] for name in ("tasks", "copies")} | {"ranks": [{}], "hot": []}
    for number in range(200):
        follower = {"context": 1, "state": 2, "pid": number + 1, "comm": b"sh"}
        link.inbox.append(ended(number, follower, accessed=bytes(8), written=bytes(8), **parts))
        link.inbox.append(told("event", kind="workload_done", epoch=number + 1))
        while message := collector.take(1):
            feed._pass(message, collector)
    kept = [collector.counts, collector.cycles, collector.tasks, collector.pages]
    kept += [collector.ranks, collector.accessed, collector.hot, collector.processes._over]
    assert max(map(len, kept)) <= 1
    assert len(heard) == 200 and all(each.ranks.size and each.accessed and each.hot for each in heard)
    assert [len(each.followed) for each in heard] == [0, *[bool(system)] * 199]


def test_the_last_epochs_of_large_memories_are_fewer():
    """2^24 frames: 4 MiB an epoch, of 320 MiB: 80, but 100 at least; 2^12 frames: all that are asked for."""
    for frames, most in ((1 << 24, 100), (1 << 12, EPOCHS)):
        recent = Recent()
        recent(DeviceParameters(1, 1, 1, frames, "os", 1, 1, 1, 1, accessed=True))
        assert recent._epochs.maxlen == most


class Garbage:
    """A port that never ceases to have damaged frames."""

    in_waiting = 4096

    def read(self, size):
        return frame(b"\x80") * (size // 8)

    def write(self, data):
        pass

    def fileno(self):
        raise OSError("no file")

    def close(self):
        pass


def test_damage_without_end_does_not_hold_whoever_waits_for_a_message():
    link = Link(Garbage(), "loop")
    assert link.receive(0.05) is None
    assert link.counts.damaged > 0
    with pytest.raises(Exception, match="no answer to hello"):
        Device(link, timeout_s=0.2)
