# SPDX-License-Identifier: BSD-2-Clause
"""Requests that compute wait for others of their kind only, end with their reader, and have limits."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from litemrc.feed.history.reading import HistoryReader, Part
from litemrc.serve.api import models
from litemrc.serve.lanes import Lane

from tests.host.paced_device import paced
from tests.host.serve.http_serving import Serving, epochs_of, events, serving
from tests.timeouts import scaled_timeout, wait_until

RECENT = "/api/v1/devices/device"
OTHERS = (
    *("/metrics", "/", "/static/main.js", "/api/v1/devices", "/api/v1/merged?last=5"),
    *(f"{RECENT}/epochs?last=3", f"{RECENT}/epochs?last=3&format=csv", f"{RECENT}/curves?last=3"),
)
KINDS = ("history?start=1", "curves?start=1", "epochs?start=1", "epochs?start=1&format=csv")


class Slow:
    """A history whose parts take as long as the test likes, in place of thousands of files.

    Attributes
    ----------
    reading
        readers of parts now; begun: so far.
    """

    def __init__(self) -> None:
        self.reading = self.begun = 0
        self.pause_s = 0.02

    def parts(self, reader: HistoryReader, *asked) -> Iterator[Part]:
        self.reading += 1
        self.begun += 1
        try:
            for _ in range(100_000):
                for part in self.plain(reader, *asked):
                    time.sleep(self.pause_s)
                    yield part
        finally:
            self.reading -= 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow()
    slow.plain = HistoryReader.parts
    monkeypatch.setattr(HistoryReader, "parts", lambda *args: slow.parts(*args))
    return slow


@pytest.fixture
def served(slow: Slow, tmp_path: Path) -> Iterator[Serving]:
    with paced(rate=20) as device, serving(device.url, history=tmp_path) as found:
        found.wait_for_epochs(3)
        yield found


@contextmanager
def asking(served: Serving, path: str, count: int) -> Iterator[list[socket.socket]]:
    """Ask for the same several times, and wait for no answer."""
    peers = []
    request = f"GET /api/v1/devices/device/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    try:
        for _ in range(count):
            peers.append(socket.create_connection(("127.0.0.1", served.port)))
            peers[-1].sendall(request)
        yield peers
    finally:
        for peer in peers:
            peer.close()


@pytest.mark.parametrize("path", KINDS)
def test_metrics_page_and_live_do_not_wait_for_histories_which_end_with_their_readers(
    served: Serving, slow: Slow, path: str
) -> None:
    with asking(served, path, 20):
        wait_until(lambda: slow.reading > 0, 10, "a query that reads")
        for other in OTHERS:
            assert served.get(other).status_code == 200
        with events(served) as reader:
            assert len(epochs_of(reader, 5)) >= 5
        assert slow.reading > 0  # they were read all the time
    wait_until(lambda: slow.reading == 0, 10, "the end of the queries whose readers left")
    begun = slow.begun
    time.sleep(0.2)
    assert slow.begun == begun  # nor does one that had waited begin


def test_too_many_queries_are_refused_and_others_answered_again(served: Serving, slow: Slow) -> None:
    with asking(served, "history?start=1", 8):
        wait_until(lambda: slow.reading == 2, 10, "both threads")
        answer = served.get("/api/v1/devices/device/curves?start=1")
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        record = models.Error.model_validate(answer.json())
        assert "8 requests" in record.error and "ask again" in record.remedy
    wait_until(lambda: slow.reading == 0, 10, "the end of all queries")
    assert served.get("/api/v1/devices/device/epochs?last=1").status_code == 200


@pytest.mark.parametrize(
    ("limits", "status", "what"),
    [({"seconds": 0.3}, 503, "more than 0.3 s"), ({"rows": 200}, 413, "more than 200 rows")],
)
@pytest.mark.parametrize("path", KINDS[:3])
def test_a_query_that_needs_too_much_is_refused_with_what_to_narrow(
    monkeypatch, tmp_path: Path, slow: Slow, path: str, limits: dict, status: int, what: str
) -> None:
    plain = Lane.__init__

    def limited(self: Lane, *args: object, **options: object) -> None:
        plain(self, *args, **options | limits)

    monkeypatch.setattr(Lane, "__init__", limited)
    monkeypatch.setattr("litemrc.serve.api.routes.JSON_EPOCHS", 10**9)
    with paced(rate=20) as device, serving(device.url, history=tmp_path) as served:
        served.wait_for_epochs(3)
        answer = served.get(f"/api/v1/devices/device/{path}")
    assert answer.status_code == status
    record = models.Error.model_validate(answer.json())
    assert what in record.error and "shorter time" in record.remedy


def test_an_export_that_its_reader_leaves_gives_its_place_back(served: Serving, slow: Slow) -> None:
    slow.pause_s = 0.001
    path = f"{served.url}/api/v1/devices/device/epochs?start=1&format=arrow"
    for _ in range(6):  # more than may be at once
        with httpx.stream("GET", path, timeout=scaled_timeout(20)) as answer:
            assert answer.status_code == 200
            next(answer.iter_raw())
        wait_until(lambda: slow.reading == 0, 10, "the end of the export")


def test_the_list_of_devices_looks_at_no_file(served: Serving, monkeypatch) -> None:
    looked: list[str] = []

    def stat(path: Path, **_: object) -> None:
        looked.append(threading.current_thread().name)
        raise FileNotFoundError

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(Path, "glob", lambda *_: looked.append(threading.current_thread().name) or iter(()))
    for _ in range(3):
        assert served.fleet["device"].kept.extent.epochs
    assert not looked
