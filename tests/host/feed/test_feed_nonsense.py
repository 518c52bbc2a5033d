# SPDX-License-Identifier: BSD-2-Clause
"""A feed outlives what a device sends, tries again ever more seldom, and keeps bounded memory."""

import threading
from itertools import count

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, DeviceGoneError, PortError
from litemrc.device.hot import PageMessages
from litemrc.device.link.frames import frame
from litemrc.device.link.link import Link
from litemrc.device.rank_commands import Dram
from litemrc.feed.backoff import Backoff
from litemrc.feed.epoch_builder import EpochBuilder
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.recent import EPOCHS, Recent
from litemrc.feed.records import DeviceParameters, FeedLost
from litemrc.serve.fleet import Announcer

from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import ScriptedLink, device_at, hello, told
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
        fields = {f.name: getattr(message, f.name) for f in message.body}
        return told("hello", **fields | changes) if bad.is_set() else message

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


def flood(kind, number):
    """The messages of endless epochs whose own epoch messages never come, or of one that never ends."""
    return {
        "accessed": lambda: told("accessed", index=number, epoch=number, accessed=b"\1"),
        "hot": lambda: told("hot", index=number, epoch=number),
        "rank": lambda: told("rank", index=number, epoch=number, counters=[0] * 16),
        "task": lambda: told("task", index=number),
        "pages": lambda: told("pages", index=number),
        "event": lambda: told("event", kind="workload_done", epoch_messages=1),
        "process": lambda: told("process", state="following", context=1, pid=number, epoch_messages=1),
    }[kind]()


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("kind", ["accessed", "hot", "rank", "task", "pages", "event", "process"])
def test_messages_without_an_epoch_do_not_fill_the_memory(kind, begun, monkeypatch):
    said = hello(ranks=1, page_bitmap=True, hot_pages=16, frames=1024)
    device = device_at(ScriptedLink(hello=lambda **_: said), monkeypatch)
    collector = Collector(device, Dram(1, False, (), "", 1, 1, 0), PageMessages(True, True, 0))
    builder = EpochBuilder(1, collector)
    link = device._link
    link.inbox.append(told("epoch", epoch=0, remaining=1, hits=[0] * 4))
    numbers = count(1)
    for _ in range(200):
        if not begun:
            link.inbox.clear()
        link.inbox.append(flood(kind, next(numbers)))
        while message := collector.take(1):
            list(builder.note(message))
    kept = [collector.rows, collector.cycles, collector.tasks.rows, collector.pages.rows]
    kept += [collector.ranks.rows, collector.accessed.whole, collector.hot.whole, collector.processes._over]
    assert max(map(len, kept)) <= 1


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
