# SPDX-License-Identifier: BSD-2-Clause
"""No path, header, body or slow reader crashes the server, fills its memory or disturbs the link."""

import random
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.host.paced_device import paced
from tests.host.serve.http_serving import parsed
from tests.timeouts import scaled_timeout, wait_until

REQUESTS = 10_000
THREADS = 8
WARM = 3_000  # requests before memory is measured: imports, caches of the allocator
# The allocator keeps what the largest answers made side by side took: a leak of 6 KB in a request is more.
GROWTH_MB = 40
PATHS = (
    "/",
    "/metrics",
    "/openapi.json",
    "/static/plotly.js",
    "/api/v1/devices",
    "/api/v1/devices/device/epochs",
    "/api/v1/devices/device/curves",
    "/api/v1/devices/device/history",
    "/api/v1/devices/device/control/epoch",
    "/api/v1/devices/device/link",
    "/api/v1/merged",
    "/api/v1/live",
)
QUERIES = ("last", "start", "end", "format", "context", "points", "by", "window", "devices")
VALUES = (
    "1",
    "-1",
    "1e309",
    "nan",
    "csv",
    "parquet",
    "arrow",
    "json",
    "9" * 400,
    "%00",
    "%ff%fe",
    "",
    "name",
    "../..",
    "5",
)
METHODS = (
    "GET",
    "GET",
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PATCH",
    "BREW",
)
HEADERS = (
    "Authorization: Bearer x",
    "Authorization: " + "A" * 5000,
    "Content-Type: application/json",
    "Content-Length: 99999999999999999999",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Expect: 100-continue",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Upgrade: h2c",
    "Sec-WebSocket-Key: x",
    "Origin: http://evil.example",
    "Range: bytes=0-0,5-1,-99999999",
    "Range: bytes=" + "0-1," * 500,
    "If-None-Match: \xff\xfe",
    "Accept-Encoding: gzip",
    "X: " + "y" * 9000,
    "Cookie: a=b; \x01",
)


def a_request(dice: random.Random) -> bytes:
    """A request that is right in most of its parts."""
    path = dice.choice(PATHS)
    for _ in range(dice.randrange(3)):
        place = dice.randrange(len(path) + 1)
        path = (
            path[:place]
            + dice.choice(("%2e%2e/", "\xe9", "//", "%", "\x7f", "'", "device", "?", "#"))
            + path[place:]
        )
    query = "&".join(f"{dice.choice(QUERIES)}={dice.choice(VALUES)}" for _ in range(dice.randrange(4)))
    lines = [f"{dice.choice(METHODS)} {path}{'?' if query else ''}{query} HTTP/1.{dice.choice('0112')}"]
    lines += [dice.choice(("Host: localhost",) * 8 + ("Host: evil.example", "Host: \xff", "Host:"))]
    lines += dice.sample(HEADERS, dice.randrange(4))
    body = dice.choice(
        (b"", b"{}", b"[" * 3000, b'{"on": 1e400}', dice.randbytes(200), b"5\r\nhello\r\n0\r\n\r\n")
    )
    if dice.random() < 0.5:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def a_websocket(dice: random.Random) -> bytes:
    """A handshake that succeeds, and then bytes that are no frames, or frames of nonsense."""
    head = (
        b"GET /api/v1/devices/device/link HTTP/1.1\r\nHost: localhost\r\n"
        b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    payload = dice.randbytes(dice.randrange(1, 120))
    frame = bytes([0x80 | dice.choice((1, 2, 8, 9)), 0x80 | len(payload), 0, 0, 0, 0]) + payload
    return head + dice.choice((frame, frame * 20, dice.randbytes(100), b"\x82\xff" + b"\xff" * 8))


class Attack:
    """Peers that misbehave, each in its thread.

    Attributes
    ----------
    sent
        requests so far.
    """

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._port = port
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()

    def run(self, requests: int) -> None:
        """Send requests from all threads; connections that stay open end behind the last one."""
        threads = [
            threading.Thread(target=self._send, args=(random.Random(self.sent + seed), requests // THREADS))
            for seed in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for each in self._open:
            each.close()
        self._open.clear()

    def _send(self, dice: random.Random, requests: int) -> None:
        for _ in range(requests):
            with suppress(OSError):
                self._one(
                    dice, socket.create_connection(("127.0.0.1", self._port), timeout=scaled_timeout(5))
                )
            with self._lock:
                self.sent += 1

    def _one(self, dice: random.Random, peer: socket.socket) -> None:
        kind = dice.random()
        if kind < 0.02:  # it asks for everything and reads nothing
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            peer.sendall(
                b"GET /api/v1/live?window=100 HTTP/1.1\r\nHost: localhost\r\n\r\n" * dice.choice((1, 1, 50))
            )
            self._keep(peer)
            return
        if kind < 0.10:  # half a request
            whole = a_request(dice)
            peer.sendall(whole[: dice.randrange(len(whole))])
            self._keep(peer)
            return
        with peer:
            if kind < 0.25:
                peer.sendall(dice.randbytes(dice.randrange(1, 3000)))
            elif kind < 0.28:  # a huge body, in chunks
                peer.sendall(
                    b"POST /api/v1/devices HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                for _ in range(16):
                    peer.sendall(b"10000\r\n" + bytes(65536) + b"\r\n")
            elif kind < 0.31:  # headers without end
                peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                for number in range(100):
                    peer.sendall(f"X-{number}: {'z' * 2000}\r\n".encode())
            elif kind < 0.36:
                peer.sendall(a_websocket(dice))
            elif kind < 0.40:  # requests behind one another
                peer.sendall(
                    b"GET /api/v1/devices HTTP/1.1\r\nHost: localhost\r\n\r\n" * dice.choice((3, 200))
                )
            else:
                peer.sendall(a_request(dice))
            if dice.random() < 0.7:
                peer.settimeout(0.05)
                peer.recv(4096)

    def _keep(self, peer: socket.socket) -> None:
        with self._lock:
            self._open.append(peer)
            if len(self._open) > 60:
                self._open.pop(0).close()


class GoodReader(threading.Thread):
    """Reads live events while others misbehave.

    Attributes
    ----------
    numbers
        of the epochs received.
    """

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.numbers: list[int] = []
        self._url = url

    def run(self) -> None:
        with httpx.stream("GET", f"{self._url}/api/v1/live", timeout=scaled_timeout(30)) as answer:
            for name, data in parsed(answer.iter_lines()):
                assert name != "behind"
                self.numbers += [epoch["number"] for epoch in data["epochs"]] if name == "epochs" else []


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ten_thousand_hostile_requests_change_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "litemrc.cli.main", "serve", "--listen", "127.0.0.1:0", "--port"]
    said = tmp_path / "stderr"
    # A minute of epochs is kept: small ones, so that memory is that of requests.
    with paced(rate=20, contexts=2, ranks=1, bitmap=False, hot=0) as device, said.open("w") as stderr:
        process = subprocess.Popen([*command, device.url], stdout=subprocess.PIPE, stderr=stderr, text=True)
        try:
            assert process.stdout
            url = process.stdout.readline().strip().rstrip("/")
            reader = GoodReader(url)
            reader.start()
            wait_until(lambda: reader.numbers, 20, "the first epoch")
            attack = Attack(int(url.rpartition(":")[2]))
            attack.run(WARM)
            time.sleep(1)
            before, files_before = resident_mb(process.pid), open_files(process.pid)
            attack.run(REQUESTS - WARM)
            wait_until(lambda: open_files(process.pid) <= files_before + 4, 20, "the end of all connections")
            files = open_files(process.pid)
            grown = resident_mb(process.pid) - before
            (state,) = httpx.get(f"{url}/api/v1/devices", timeout=scaled_timeout(10)).json()["devices"]
            text = httpx.get(f"{url}/metrics", timeout=scaled_timeout(10)).text
            count = len(reader.numbers)
            wait_until(lambda: len(reader.numbers) > count, 10, "another epoch")
            numbers = list(reader.numbers)
            assert process.poll() is None
        finally:
            process.terminate()
            code = process.wait(scaled_timeout(10))
        settings = set(device.settings) - {"monitor"}
    assert attack.sent == REQUESTS
    assert code == 0 and said.read_text() == ""
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert state["connected"] and state["sessions"] == 1 and not settings
    for lost in ("link_lost_frames", "link_damaged_frames", "epoch_messages_lost", "link_restarts"):
        assert f'litemrc_{lost}_total{{device="device"}} 0.0' in text
    assert "litemrc_live_readers 1.0" in text  # the good one
    assert files <= files_before + 4, f"{files} open files, {files_before} before"
    assert grown < GROWTH_MB, f"{grown:.1f} MB"
