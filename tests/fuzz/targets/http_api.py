# SPDX-License-Identifier: BSD-2-Clause
"""Requests and WebSocket messages of anybody, as the application of `litemrc serve` answers them.

An input has lines: method and target, then headers until an empty line, then a body. WS as the method opens
the link instead, and each line of the body is a message. The application is the real one, without uvicorn.
"""

import asyncio
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from litemrc.device.link.frames import frame
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import host_requests, old_hello_request
from litemrc.epochs.columns import joined_rows
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.table import NO_RANKS
from litemrc.serve.app import build
from litemrc.serve.fleet import Fleet, Served

from tests.fuzz.target import Target
from tests.host.epoch_rows import row

GROUPS = 4
PARAMETERS = DeviceParameters(
    **{"session": 1, "clock_hz": 1000, "page_bytes": 4096, "frames": 64, "engine": "bucket_stack"},
    **{"pages": 64, "groups": GROUPS, "contexts": 2, "recent_pages": 4},
)
DEVICE = "/api/v1/devices/a"
ENDS_S = 30.0  # for an answer; live events have none


class _Serving:
    """The application over one device with a few epochs; its link is not open."""

    def __init__(self) -> None:
        feed = Feed("socket://127.0.0.1:9", FeedOptions(), name="a")
        fleet = Fleet([Served("a", feed, {"rack": "1"})])
        self.app = build(fleet, token="token-of-the-fuzzer").asgi
        self.loop = asyncio.new_event_loop()
        feed._give(PARAMETERS)
        for number in range(6):
            counts = {"epoch": number, "accesses": 9, "misses": 2, "touched": 5, "hits": (4, 2, 1, 0)}
            rows = joined_rows([row(context=context, **counts) for context in range(2)])
            arrived = 1_790_000_000.0 + number
            feed._give(FeedEpoch(1, number, arrived, rows, {1: "=p"}, NO_RANKS, None, None, 0, LinkCounts()))

    def answer(self, content: bytes) -> int:
        """Return the status of the answer."""
        return self.loop.run_until_complete(asyncio.wait_for(self._answer(content), ENDS_S))

    async def _answer(self, content: bytes) -> int:
        head, _, body = content.partition(b"\n\n")
        first, *lines = head.split(b"\n")
        method, _, target = first.partition(b" ")
        path, _, query = target.partition(b"?")
        headers = [(b"host", b"localhost")]
        for line in lines:
            name, _, value = line.partition(b":")
            headers.append((name.strip().lower(), value.strip()))
        socket = method == b"WS"
        scope = {
            "type": "websocket" if socket else "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method.decode("ascii", "replace"),
            "scheme": "ws" if socket else "http",
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path,
            "root_path": "",
            "query_string": query,
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}},
            "state": {},
        }
        statuses: list[int] = []
        came = iter(_messages(body)) if socket else iter([{"type": "http.request", "body": body}])
        left = asyncio.Event()

        async def receive() -> dict:
            if (message := next(came, None)) is None:
                if not socket:
                    await left.wait()
                return {"type": "websocket.disconnect" if socket else "http.disconnect", "code": 1000}
            return message

        async def send(message: dict) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                statuses.append(message["status"])
            elif message["type"].startswith("http.response.body") and path.endswith(b"/live"):
                left.set()  # it would go on for ever
            elif message["type"] == "websocket.accept":
                statuses.append(101)
            elif message["type"] == "websocket.close" and not statuses:
                statuses.append(403)  # no route: uvicorn answers so

        await self.app(scope, receive, send)
        assert len(statuses) == 1, statuses
        return statuses[0]


def _messages(body: bytes) -> Iterator[dict]:
    yield {"type": "websocket.connect"}
    for line in body.split(b"\n")[:16]:
        if line.startswith(b"text "):
            yield {"type": "websocket.receive", "text": line.decode("utf-8", "replace")}
        elif line.startswith(b"raw "):
            yield {"type": "websocket.receive", "bytes": line[4:]}
        else:  # a frame of the right form around it
            yield {"type": "websocket.receive", "bytes": b"\0" + frame(line) if line else b""}


SERVING = _Serving()
SERVING.answer(b"GET /api/v1/devices/a/history?start=1\n\n")  # it imports pandas, which takes seconds


def consume(content: bytes) -> None:
    """Send a request; an answer that says the server failed is a finding."""
    status = SERVING.answer(content)
    assert status < 500 or status == 503, f"status {status}"  # 503: there is no session with the device


def seeds() -> Iterator[bytes]:
    """Yield a request of each kind."""
    for target in (
        "/",
        "/static/main.js",
        "/metrics",
        "/openapi.json",
        "/docs",
        "/api/v1/devices",
        f"{DEVICE}/epochs?last=5",
        f"{DEVICE}/epochs?start=1790000000&end=1790000009&format=csv&context=1&context=0",
        f"{DEVICE}/epochs?last=2&format=parquet",
        f"{DEVICE}/epochs?last=2&format=arrow",
        f"{DEVICE}/curves?last=5",
        f"{DEVICE}/history?start=1&points=7",
        "/api/v1/merged?by=rack&last=4",
        "/api/v1/live?devices=a&window=5",
        "/api/v1/%2e%2e/%00?last=%ff",
    ):
        yield f"GET {target}\nAccept: */*\n\n".encode()
        yield f"HEAD {target}\n\n".encode()
    json = "Content-Type: application/json\nAuthorization: Bearer token-of-the-fuzzer\n\n"
    for action, body in (
        ("epoch", '{"length": 10000, "unit": "accesses"}'),
        ("freeze", '{"on": true}'),
        ("follow", '{"context": 1, "pid": 57}'),
        ("budget", '{"context": 1, "bytes": null}'),
    ):
        yield f"POST {DEVICE}/control/{action}\n{json}{body}".encode()
    yield f"GET {DEVICE}/epochs\nOrigin: http://evil.example\nHost: evil.example\n\n".encode()
    requests = host_requests()
    for encoded in (
        requests.encode(requests.new("ask_hello", sequence=4)),
        requests.encode(requests.new("echo", sequence=1, payload=b"echo")),
        old_hello_request(),
        b"\1",
    ):
        if b"\n" not in encoded:
            yield f"WS {DEVICE}/link\n\n".encode() + encoded + b"\nraw \0\1\2\0\ntext hello"
    yield f"WS {DEVICE}/link?x=1\nAuthorization: Bearer wrong\n\n".encode()


TARGET = Target(consume=consume, refusals=(), seeds=seeds, seconds=30)
