"""Serves the messages of a device on a TCP port: one client at a time, as on a serial line."""

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.frames import FrameSplitter, frame
from litemrc.device.link.port import MessagePort
from litemrc.device.link.protocol import (
    LaterVersionError,
    ProtocolError,
    device_messages,
    host_requests,
)
from litemrc.errors import UserError

_POLL_S = 0.005
_READ_BYTES = 65536


class ServedDevice(MessagePort, Protocol):
    """A device that also refuses requests of a later version of the protocol."""

    def refuse(self, sequence: int, error: str) -> None:
        """Answer the request of this number by a refusal."""
        ...


class MessageServer:
    """A thread that serves a port until the device is gone or `close`.

    Attributes:
        url: for `--port`.
        failure: what ended it before `close`, if anything did.

    Parameters:
        address: host and port; port 0: a free one.
        session: opens the device anew for each client; its argument is `url`.
        failed: called if a failure ends the server.

    Raises:
        UserError: the port is not free.
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
                    client, _ = self._listener.accept()
                    with client, suppress(ConnectionError):
                        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        self._talk(client)
        except DeviceGoneError:
            return
        except BaseException as error:
            self.failure = error
            self._failed()
        finally:
            self._listener.close()

    def _talk(self, client: socket.socket) -> None:
        """Answer one client until it leaves."""
        device, splitter = self._session(self.url), FrameSplitter(host_requests().max_received_bytes)
        while not self._closing.is_set():
            readable, _, _ = select.select([client], [], [], _POLL_S)
            if readable:
                received = client.recv(_READ_BYTES)
                if not received:
                    return
                for payload in splitter.feed(received):
                    _take(device, payload)
            while (message := device.receive(0)) is not None:
                client.sendall(frame(device_messages().encode(message)))


def _take(device: ServedDevice, payload: bytes) -> None:
    """Perform a request; what is none is ignored, as by the firmware."""
    try:
        device.send(host_requests().decode(payload))
    except LaterVersionError as later:
        device.refuse(later.sequence, later.error)
    except ProtocolError:
        return
