# SPDX-License-Identifier: BSD-2-Clause
"""Serves the messages of a device on a TCP port: one client at a time, as on a serial line.

A second client is refused by a message that names the first, or replaces it if it says so
(litemrc.device.link.sharing).
"""

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.frames import FrameSplitter, frame, old_frame
from litemrc.device.link.protocol import Message, device_messages, host_requests, old_hello
from litemrc.device.link.sharing import (
    NO_INTRODUCTION,
    Introduction,
    last_message,
    read_introduction,
    replaced_by,
    used_by,
)
from litemrc.errors import UserError

_POLL_S = 0.005
_READ_BYTES = 65536


class ServedDevice(Protocol):
    """One session with a device: requests go in as they came; answers, epochs and events come out."""

    def take(self, payload: bytes) -> None:
        """Perform a request; what is none is ignored."""
        ...

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout."""
        ...


class MessageServer:
    """A thread that serves a port until the device is gone or `close`.

    Attributes
    ----------
    url
        for `--port`.
    failure
        what ended it before `close`, if anything did.

    Parameters
    ----------
    address
        host and port; port 0: a free one.
    session
        opens the device anew for each client; its argument is `url`.
    failed
        called if a failure ends the server.

    Raises
    ------
    UserError
        the port is not free.
    """

    def __init__(
        self, address: tuple[str, int], session: Callable[[str], ServedDevice], failed: Callable[[], None]
    ) -> None:
        try:
            self._listener = socket.create_server(address)
        except OSError as error:
            raise UserError(
                f"cannot serve: {error.strerror or error}",
                where=f"{address[0]}:{address[1]}",
                remedy="choose another port, or 0 for a free one",
            ) from error
        self.url = f"socket://{address[0]}:{self._listener.getsockname()[1]}"
        self.failure: BaseException | None = None
        self._session, self._failed, self._closing = session, failed, threading.Event()
        self._waiting: list[_Client] = []
        self._thread = threading.Thread(target=self._serve, name="device", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the session and the thread."""
        self._closing.set()
        self._thread.join()

    def _serve(self) -> None:
        self._listener.settimeout(0.1)
        try:
            while not self._closing.is_set():
                with suppress(TimeoutError):
                    self._waiting.append(_Client(self._listener.accept()[0]))
                while self._waiting and not self._closing.is_set():
                    client = self._waiting.pop(0)
                    with client.socket, suppress(ConnectionError):
                        self._talk(client)
        except DeviceGoneError:
            return
        except BaseException as error:
            self.failure = error
            self._failed()
        finally:
            for client in self._waiting:
                client.socket.close()
            self._listener.close()

    def _talk(self, client: "_Client") -> None:
        """Answer one client until it leaves, or is replaced by the first one that waits then."""
        device, splitter = self._session(self.url), FrameSplitter(host_requests().max_bytes)
        received, client.since = client.first, time.time()
        while not self._closing.is_set():
            for payload in splitter.feed(received):
                if payload[0] & 0x80:  # of a protocol before 2.0
                    client.socket.sendall(old_frame(old_hello()))
                else:
                    device.take(payload)
            while (message := device.receive(0)) is not None:
                client.socket.sendall(frame(device_messages().encode(message)))
            ports = [client.socket, self._listener, *(other.socket for other in self._waiting)]
            readable, _, _ = select.select(ports, [], [], _POLL_S)
            received = b""
            if client.socket in readable:
                received = client.receive()
                if not received:
                    return
            elif self._listener in readable:
                self._waiting.append(_Client(self._listener.accept()[0]))
            elif readable and self._is_replaced(client, readable):
                return

    def _is_replaced(self, client: "_Client", readable: list[socket.socket]) -> bool:
        """Read what those who wait say; refuse them, or let the first that takes over do so."""
        for other in [each for each in self._waiting if each.socket in readable]:
            left = True
            with suppress(ConnectionError):
                left = not other.receive()
            if not left and other.introduced is None:
                continue
            self._waiting.remove(other)
            if not left and other.introduced and other.introduced.take:
                self._waiting.insert(0, other)
                client.dismiss(replaced_by(other.name))
                return True
            if not left:
                other.dismiss(used_by(client.name, client.since))
            other.socket.close()
        return False


class _Client:
    """A connection: what it sent at first, who it says it is, and since when it has the device."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket, self.first, self.since = connected, b"", 0.0
        self.introduced: Introduction | None = None
        connected.setblocking(True)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def name(self) -> str:
        return (self.introduced or NO_INTRODUCTION).name

    def receive(self) -> bytes:
        """Return what has arrived; empty: it left."""
        received = self.socket.recv(_READ_BYTES)
        if self.introduced is None:
            self.first += received
            self.introduced = read_introduction(self.first)
        return received

    def dismiss(self, reason: str) -> None:
        """End the connection by a message with this text, unless it takes none."""
        self.socket.setblocking(False)
        with suppress(OSError):
            self.socket.send(last_message(reason))
