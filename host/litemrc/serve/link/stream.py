# SPDX-License-Identifier: BSD-2-Clause
"""The messages of a device for its hosts over HTTP: each gets all from its connection on, in their order.

A host may rely on the protocol: it has its own sequence numbers, and the number of the running epoch in a
hello is that behind the records before it. The feed's thread passes messages and
performs requests, so that both are in one order; the event loop of the server sends them.
"""

import asyncio
import threading
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import Any

from litemrc.device.device import Device
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import Message, device_messages
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost

QUEUE = 4096  # messages of a host: some seconds; more are lost, as on a line
QUEUE_BYTES = 32 << 20  # of them: records with the bits of frames are long


class LinkHost:
    """One host: its queue, its numbers, and its last request, whose repetition repeats the answer.

    Attributes
    ----------
    lost
        messages that did not fit into the queue.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.lost = 0
        self.answered: tuple[int, Message | None] = (0, None)  # number of the last request, and its answer
        self._loop, self._sequence = loop, 0
        self._queue: deque[tuple[int | None, bytes]] = deque()  # None: it is a frame already
        self._put = self._taken = 0  # bytes; each is changed by one thread
        self._waiting: asyncio.Event = asyncio.Event()
        self._idle = True
        self.ended: str | None = None
        self.dropped = False

    def put(self, encoded: bytes) -> None:
        """Queue a message that is encoded with the sequence number 0; in the feed's thread."""
        self._sequence += 1
        if len(self._queue) >= QUEUE or self._put - self._taken + len(encoded) > QUEUE_BYTES:
            self.lost += 1
            return
        self._put += len(encoded)
        self._queue.append((self._sequence % 2**32, encoded))
        self._wake()

    def put_frame(self, framed: bytes) -> None:
        """Queue a frame as it is; in the event loop."""
        if len(self._queue) < QUEUE:
            self._queue.append((None, framed))
            self._wake()

    def drop(self, reason: str) -> None:
        """The host breaks the protocol; what is queued is not sent any more."""
        self.dropped = True
        self._queue.clear()
        self.end(reason)

    def end(self, reason: str) -> None:
        """The session is over; what is queued is still sent."""
        self.ended = reason
        self._wake()

    async def next_frame(self) -> bytes | None:
        """Return the next frame; None at the end of the session."""
        while not self._queue:
            if self.ended is not None:
                return None
            self._waiting.clear()
            self._idle = True
            if (
                not self._queue and self.ended is None
            ):  # the other thread may have put one before it saw _idle
                await self._waiting.wait()
        sequence, encoded = self._queue.popleft()
        if sequence is None:
            return encoded
        self._taken += len(encoded)
        return frame(encoded[:4] + sequence.to_bytes(4, "little") + encoded[8:])

    def _wake(self) -> None:
        if self._idle:
            self._idle = False
            with suppress(RuntimeError):  # the server has ended before its feeds
                self._loop.call_soon_threadsafe(self._waiting.set)


class LinkStream:
    """The messages of one device; a listener of its feed."""

    def __init__(self) -> None:
        self._hosts: list[LinkHost] = []
        self._session = False
        self._lock = threading.Lock()
        self._position: int | None = None  # number of the epoch behind those that were passed
        self._running: int | None = None  # programs, as in hello
        self.monitor = True  # the feed switched it on

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if isinstance(event, DeviceParameters):
            self._position = self._running = None
            self._session = self.monitor = True
        elif isinstance(event, FeedLost):
            with self._lock:
                self._session = False
                hosts, self._hosts = self._hosts, []
            for host in hosts:
                host.end(event.reason)
        elif not isinstance(event, FeedEpoch):
            self._pass(event)

    def join(self, host: LinkHost) -> bool:
        """Pass messages to a host from now on, until the session ends; False: there is none."""
        with self._lock:
            if self._session:
                self._hosts.append(host)
            return self._session

    def leave(self, host: LinkHost) -> None:
        """Pass it no more."""
        with self._lock:
            if host in self._hosts:
                self._hosts.remove(host)

    def answer(self, host: LinkHost, answer: Message) -> None:
        """Send the answer to a request; in the feed's thread."""
        host.answered = answer.request, answer
        self._send(answer, [host])

    def hello(self, device: Device, request: int) -> Message:
        """Return the device's hello, with the epoch behind those that were passed."""
        own = device.hello
        position = own.epoch if self._position is None else self._position
        running = own.running if self._running is None else self._running
        values: dict[str, Any] = {"request": request, "epoch": position, "running": running}
        return replace(own, sequence=0, **values)  # type: ignore[type-var]

    def started(self, workload: int) -> None:
        """A host has started a program; the device's event follows."""
        self._running = (self._running or 0) | 1 << workload

    def _pass(self, message: Message) -> None:
        if message.name == "hello":  # an answer to the feed
            self._position, self._running = message.epoch, message.running
            return
        if message.name == "epoch":
            self._position = (message.epoch + 1) % 2**32
        elif message.name == "event":
            self._position = message.epoch
            bit = 1 << message.workload
            running = self._running or 0
            self._running = running | bit if message.kind == "workload_started" else running & ~bit
        with self._lock:
            hosts = list(self._hosts)
        if hosts:
            self._send(message, hosts)

    def _send(self, message: Message, hosts: list[LinkHost]) -> None:
        encoded = device_messages().encode(replace(message, sequence=0))  # type: ignore[type-var]
        for host in hosts:
            host.put(encoded)
