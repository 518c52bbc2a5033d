# SPDX-License-Identifier: BSD-2-Clause
"""Clients of the daemon's socket, and a TCP port that forwards to it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litemrc.device.device import Device

from tests.timeouts import scaled_timeout

CLIENTS = 8


@contextmanager
def client_of(path: Path) -> Iterator[Device]:
    """The host package as a client."""
    with Device(f"unix://{path}", timeout_s=scaled_timeout(10)) as device:
        yield device


class Forwarder:
    """Carries bytes between a TCP port and the socket, as `ssh -L PORT:PATH` does.

    A context manager; `url` is that of the port.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> "Forwarder":
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        """Serve one host, until it leaves."""
        host, _ = self._listener.accept()
        with host, socket.socket(socket.AF_UNIX) as device:
            device.connect(str(self._path))
            back = threading.Thread(target=_carry, args=(device, host))
            back.start()
            _carry(host, device)
            back.join()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(4096):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
