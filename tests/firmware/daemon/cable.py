# SPDX-License-Identifier: BSD-2-Clause
"""A cable from a pseudo terminal, on which the daemon serves, to a TCP port, which the host package opens."""

import os
import select
import socket
import threading
from contextlib import suppress


class Cable:
    """A context manager; `tty` is the daemon's end, `url` the host's. No bytes pass unless `plugged`."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        self.tty = os.ttyname(self._slave)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self.plugged = True
        self._ended = threading.Event()

    def __enter__(self) -> "Cable":
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._listener.close()

    def cut(self) -> None:
        """The port goes away."""
        if not self._ended.is_set():
            self._ended.set()
            self._thread.join()
            os.close(self._slave)
            os.close(self._master)

    def _carry(self) -> None:
        """Serve one host at a time; without a host the terminal is not read."""
        while not self._ended.is_set():
            if select.select([self._listener], [], [], 0.02)[0]:
                host, _ = self._listener.accept()
                with host, suppress(ConnectionError):  # it may leave with bytes on their way
                    self._carry_for(host)

    def _carry_for(self, host: socket.socket) -> None:
        while not self._ended.is_set():
            ends = [host, self._master] if self.plugged else []
            for end in select.select(ends, [], [], 0.02)[0]:
                if end is host:
                    received = host.recv(4096)
                    if not received:
                        return
                    write_all(self._master, received)
                else:
                    host.sendall(os.read(self._master, 4096))


def write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
