# SPDX-License-Identifier: BSD-2-Clause
"""A server of paced devices, in a thread of the test, and its readers."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from litemrc.feed.feed import FeedOptions
from litemrc.serve.app import build
from litemrc.serve.fleet import Fleet, open_fleet
from litemrc.serve.server import Server

from tests.host.paced_device import PacedDevice
from tests.timeouts import scaled_timeout, wait_until

TOKEN = "a-token-of-the-tests-0123"


@dataclass
class Serving:
    """A running server.

    Attributes
    ----------
    url
        without a slash at the end.
    said
        what its operator was told.
    """

    url: str
    port: int
    fleet: Fleet
    server: Server
    said: list[str]

    def get(self, path: str, **options: object) -> httpx.Response:
        return httpx.get(self.url + path, timeout=scaled_timeout(20), **options)

    def json(self, path: str) -> dict:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def stop(self, served: PacedDevice, device: str = "device") -> None:
        """Have a device end no more epochs, and wait until the server has the last one."""
        served.rate, count = 0, -1
        while served.epochs != count:  # its thread may be about to end one more
            count = served.epochs
            time.sleep(0.2)
        recent = self.fleet[device].recent
        wait_until(lambda: recent.last()[-1].number == count - 1, 10, "the last epoch")

    def wait_for_epochs(self, count: int, device: str = "device") -> None:
        recent = self.fleet[device].recent
        wait_until(lambda: recent.arrived >= count, 20, f"epoch {count} of {device}")


@contextmanager
def serving(
    ports: str | Mapping[str, str],
    *,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    history: Path | None = None,
    token: str | None = None,
    timeout_s: float = 5,
    send_buffer: int = 0,
) -> Iterator[Serving]:
    """Serve devices until the end of the block.

    `send_buffer`: bytes that the system holds for a reader that does not read; 0: as it likes, megabytes.
    """
    named = {"device": ports} if isinstance(ports, str) else ports
    options = FeedOptions(timeout_s=scaled_timeout(timeout_s), pages=True, hot=True, if_there=True)
    said: list[str] = []
    fleet = open_fleet(named, labels or {}, options, history=history, say=said.append)
    application = build(fleet, token=token)
    server = Server(application)
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        if send_buffer:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)  # connections inherit it
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        port = listener.getsockname()[1]
        try:
            wait_until(lambda: server.started, 20, "the start of the server")
            yield Serving(f"http://127.0.0.1:{port}", port, fleet, server, said)
        finally:
            server.should_exit = True
            thread.join(scaled_timeout(20))
            fleet.close(scaled_timeout(5))
            for device in fleet.values():
                device.feed.check()
    assert not thread.is_alive()


@contextmanager
def events(serving: Serving, query: str = "", *, limit_s: float = 20) -> Iterator[Iterator[tuple[str, dict]]]:
    """Yield the live events of a server: name and data."""
    with httpx.stream("GET", f"{serving.url}/api/v1/live{query}", timeout=scaled_timeout(limit_s)) as answer:
        assert answer.status_code == 200
        yield parsed(answer.iter_lines())


def parsed(lines: Iterator[str]) -> Iterator[tuple[str, dict]]:
    """Yield name and data of server-sent events; comments are left out."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def epochs_of(events: Iterator[tuple[str, dict]], count: int) -> list[dict]:
    """Return the next epochs of live events."""
    found: list[dict] = []
    deadline = time.monotonic() + scaled_timeout(30)
    while len(found) < count:
        assert time.monotonic() < deadline
        name, data = next(events)
        if name == "epochs":
            found += data["epochs"]
    return found
