# SPDX-License-Identifier: BSD-2-Clause
"""Server-sent events: every epoch as it arrives, encoded once for all readers that ask for the same.

The feed's thread hands events to the event loop and goes on at once: no reader can delay it. A reader has a
short queue; when it is full, the oldest batch is dropped and counted, and the reader is told.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.windows import EpochWriter, encoded

BATCH_S = 0.05
HEARTBEAT_S = 10.0
QUEUE = 64  # batches of a reader: 3 s at 20 epochs in a second
_COMMENT = b": still here\n\n"


@dataclass(frozen=True)
class Batch:
    """An event as text, and how many epochs of each device it holds."""

    text: bytes
    epochs: Mapping[str, int]


@dataclass(eq=False)
class Reader:
    """One who listens: to these devices, with curves of this many epochs.

    Attributes
    ----------
    missed
        epochs left out since the reader was last told.
    """

    devices: frozenset[str]
    window: int
    batches: deque[Batch] = field(default_factory=deque)
    missed: Counter[str] = field(default_factory=Counter)
    closed: bool = False
    waiting: asyncio.Future[None] | None = None

    def put(self, batch: Batch) -> None:
        """Queue an event; drop the oldest one if there are too many."""
        if len(self.batches) >= QUEUE:
            self.missed.update(self.batches.popleft().epochs)
        self.batches.append(batch)
        self.wake()

    def wake(self) -> None:
        """Have the reader look."""
        if self.waiting and not self.waiting.done():
            self.waiting.set_result(None)


class LiveHub:
    """Hands the events of all feeds to all readers. Everything but `listener` belongs to the event loop.

    Parameters
    ----------
    describe
        what the event `devices` says.

    Attributes
    ----------
    readers
        who listen now; missed: epochs left out for slow ones. Any thread may read both.
    """

    def __init__(self, fleet: Fleet, describe: Callable[[], object]) -> None:
        self.readers = self.missed = 0
        self._describe = describe
        self._readers: dict[tuple[frozenset[str], int], set[Reader]] = {}
        self._writers = {name: EpochWriter(name) for name in fleet}
        self._states: dict[str, tuple[bool, str | None]] = {}
        self._fresh: dict[tuple[str, int], list[bytes]] = {}
        self._flushed = 0.0
        self._flush: asyncio.TimerHandle | None = None
        self._number = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._closed = False
        for device in fleet.values():
            device.feed.listen(self._listener(device))

    def start(self) -> None:
        """Begin, in the running event loop, before the feeds start."""
        self._loop = asyncio.get_running_loop()
        self._heartbeat()

    def close(self) -> None:
        """End the events of all readers."""
        self._closed = True
        for timer in (self._beat, self._flush):
            if timer:
                timer.cancel()
        for reader in self._all():
            reader.closed = True
            reader.wake()

    async def events(self, devices: frozenset[str], window: int) -> AsyncIterator[bytes]:
        """Yield events for one reader, without end: first the devices, and the newest epoch of each."""
        for name in devices:  # the text is kept: one device at a time, as others wait for the event loop
            if not self._writers[name].empty:
                self._writers[name].newest(window)
                await asyncio.sleep(0)
        self._send_epochs()  # to those who read already: this reader gets them as the newest
        reader = Reader(devices, window, closed=self._closed)
        same = self._readers.setdefault((devices, window), set())
        same.add(reader)
        self.readers += 1
        try:
            texts = {
                name: self._writers[name].newest(window) for name in devices if not self._writers[name].empty
            }
            yield self._event("devices", encoded(self._describe()))
            for text in texts.values():
                yield self._event("current", b'{"epochs":[' + text + b"]}")
            while not reader.closed:
                if not reader.batches:
                    reader.waiting = asyncio.get_running_loop().create_future()
                    await reader.waiting
                missed, reader.missed = reader.missed, Counter()
                for device, count in missed.items():
                    self.missed += count
                    yield self._event("behind", encoded({"device": device, "missed": count}))
                if reader.batches:
                    yield reader.batches.popleft().text
        finally:
            self.readers -= 1
            same.discard(reader)
            if not same:
                self._readers.pop((devices, window), None)

    def _listener(self, device: Served) -> Callable[[Event], None]:
        def listen(event: Event) -> None:
            """In the feed's thread, which may outlive the server's loop."""
            if isinstance(event, DeviceParameters | FeedEpoch | FeedLost) and self._loop and not self._closed:
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._take, device, event)

        return listen

    def _take(self, device: Served, event: Event) -> None:
        writer = self._writers[device.name]
        if isinstance(event, FeedEpoch):
            writer.add(event)
            self._encode(device.name, writer)
            return
        if isinstance(event, DeviceParameters):
            writer.begin(event)
        state = device.connected, device.failure
        if self._states.get(device.name) != state:
            self._states[device.name] = state
            self._send_epochs()  # those of the session before come first
            self._send_devices()

    def _encode(self, device: str, writer: EpochWriter) -> None:
        windows = {window for devices, window in self._readers if device in devices}
        for window in windows:
            self._fresh.setdefault((device, window), []).append(writer.newest(window))
        if windows and self._flush is None and self._loop:
            due = max(self._flushed + BATCH_S - self._loop.time(), 0)
            self._flush = self._loop.call_later(due, self._send_epochs)

    def _send_epochs(self) -> None:
        if self._flush:
            self._flush.cancel()
        self._flush = None
        self._flushed = self._loop.time() if self._loop else 0.0
        fresh, self._fresh = self._fresh, {}
        for (devices, window), readers in self._readers.items():
            texts = {device: found for device in devices if (found := fresh.get((device, window)))}
            if texts:
                joined = b",".join(text for each in texts.values() for text in each)
                event = self._event("epochs", b'{"epochs":[' + joined + b"]}")
                batch = Batch(event, {device: len(each) for device, each in texts.items()})
                for reader in readers:
                    reader.put(batch)

    def _send_devices(self) -> None:
        batch = Batch(self._event("devices", encoded(self._describe())), {})
        for reader in self._all():
            reader.put(batch)

    def _heartbeat(self) -> None:
        for reader in self._all():
            if not reader.batches:
                reader.put(Batch(_COMMENT, {}))
        if self._loop:
            self._beat = self._loop.call_later(HEARTBEAT_S, self._heartbeat)

    def _event(self, kind: str, data: bytes) -> bytes:
        self._number += 1
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self._number, kind.encode(), data)

    def _all(self) -> list[Reader]:
        return [reader for readers in self._readers.values() for reader in readers]
