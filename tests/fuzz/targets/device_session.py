# SPDX-License-Identifier: BSD-2-Clause
"""A whole session of a device that `litemrc serve` or `top` reads: its messages are the input's.

The input is messages, each behind its length in two bytes. Frames are put around them, and the numbers of the
requests that they answer into them: both are easy for a device, and hard to find by mutation.
"""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

from litemrc.cli.device.top_lines import top_text
from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.link import Link, LinkCounts
from litemrc.device.link.protocol import LaterVersionError, Message, ProtocolError, device_messages
from litemrc.errors import UserError
from litemrc.feed.feed import Event, Feed, FeedOptions, _ListenerError
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.serve.link.stream import LinkStream
from litemrc.serve.metrics.tallies import Tallies
from litemrc.serve.windows import EpochWriter

from tests.fuzz.target import Target
from tests.host.scripted_device import ack, counted, ended, hello, told

CODEC = device_messages()
FRAMES = 2048


class Input:
    """A link that gives the messages of an input, and is gone behind the last one."""

    url = "test:"
    counts = LinkCounts()

    def __init__(self, content: bytes) -> None:
        self._content, self._at, self._sequence = content, 0, 0

    def next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def send(self, message: Message) -> None:
        pass

    def close(self) -> None:
        pass

    def receive(self, timeout_s: float) -> Message | None:
        while self._at + 2 <= len(self._content):
            begin = self._at + 2
            self._at = begin + int.from_bytes(self._content[self._at : begin], "big")
            try:
                message = CODEC.decode(self._content[begin : self._at])
            except (ProtocolError, LaterVersionError):
                continue
            if message.name in ("hello", "ack", "nak"):
                return replace(message, request=self._sequence)
            return message
        raise DeviceGoneError("the input is at its end", where=self.url)


class Live:
    """What the page's readers, the API and `litemrc top` get of each epoch."""

    def __init__(self) -> None:
        self._writer, self._recent = EpochWriter("device"), Recent()

    def __call__(self, event: Event) -> None:
        self._recent(event)
        if isinstance(event, DeviceParameters):
            self._writer.begin(event)
        elif isinstance(event, FeedEpoch):
            self._writer.add(event)
            self._writer.newest(1)
            self._writer.newest(20)
            table = self._recent.table(self._recent.last(20))
            assert table is not None and table.epoch.size
            assert self._recent.parameters and top_text("x", self._recent.parameters, self._recent.last(20))


def session(content: bytes) -> None:
    """Read a session as the server does, with all that computes from its messages."""
    feed = Feed("test:", FeedOptions(pages=True, hot=True, if_there=True, timeout_s=1))
    for listener in (Live(), Tallies(), LinkStream()):
        feed.listen(listener)
    with patch.object(Link, "open", lambda *_, **__: Input(content)):
        try:
            feed._session()
        except _ListenerError as failed:
            raise failed.__cause__ or failed from None


def seeds() -> Iterator[bytes]:
    """Sessions with everything, and with as little as there can be."""
    said = hello(
        **{"system": "Linux 6.6", "contexts": 2, "ranks": 2, "rank_power": True, "page_bitmap": True},
        **{"frames": FRAMES, "pages": 64, "hot_pages": 16, "banks": 2, "access_bytes": 16},
    )
    answers = [said, ack(1, 1, 1, 0, 0, 1, 16, 0, 63, 1), ack(2, 0, 5, 2, 4, 0, payload=b"MT41K128M16")]
    answers += [ack(1, 1, 1, 0, 0, 1, 16, 0, 63, 1), ack(1, 1, 0, 0), ack(), ack(2, 7, payload=b"sort"), said]
    yield packed([*answers, *(message for epoch in range(3) for message in messages(epoch))])
    bare = hello()
    yield packed([bare, told("nak", error="unsupported"), ack(), bare, ended(0)])


def messages(epoch: int) -> list[Message]:
    """An epoch, and what may come behind it."""
    rows = [
        counted(0, 1, 2, 3, misses=4, touched=5),
        counted(1, 9, evicted=9, tail=[2], state=2, pid=7, comm=b"sort"),
    ]
    clocks = [1, 2, 0, 0, 60, 40, *[0] * 10]
    return [
        ended(
            epoch,
            *rows,
            tail_groups=8,
            flags=("dram_rows",),
            ranks=[{"cycles": 100, "counters": clocks}] * 2,
            tasks=[{"context": 1}],
            accessed=b"\x03".rjust(FRAMES // 8, b"\0"),
            written=b"\x01".rjust(FRAMES // 8, b"\0"),
            hot=[{"frame": 5, "count": 4}, {"frame": 6, "count": 3}],
            hot_accesses=9,
            banks=[{"reads": 300, "writes": 7, "row_hits": 9, "activates": 5, "row_conflicts": 4}] * 2,
            **{"access_bytes": 16, "cycles": 1000, "refreshes": 2, "refresh_cycles": 20, "queue_peak": 3},
        ),
        told("event", kind="workload_started", workload=1, epoch=epoch + 1),
        told("event", kind="workload_done", workload=1, epoch=epoch + 1, cycles=9),
        told("log", line="a\x1b[31m", level="info"),
        told("queued", frames=[3]),
    ]


def packed(sent: list[Message]) -> bytes:
    """Return messages as an input."""
    payloads = map(CODEC.encode, sent)
    return b"".join(len(payload).to_bytes(2, "big") + payload for payload in payloads)


TARGET = Target(session, refusals=(UserError,), seeds=seeds, longest=16384, megabytes=1500)
