# SPDX-License-Identifier: BSD-2-Clause
"""Peers that are slow, silent, or many are disconnected; others do not notice."""

import socket
import time

import pytest
from litemrc.device.link.frames import frame, old_frame
from litemrc.device.link.protocol import host_requests, old_hello, old_hello_request
from litemrc.serve import limits
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.host.paced_device import paced
from tests.host.serve.http_serving import epochs_of, events, serving
from tests.timeouts import scaled_timeout

GET = b"GET /api/v1/devices HTTP/1.1\r\nHost: localhost\r\n"


def talked(port: int, *parts: bytes) -> bytes:
    """Send parts; return what came until the server closed the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=scaled_timeout(20)) as peer:
        received = b""
        try:
            for part in parts:
                peer.sendall(part)
            while piece := peer.recv(65536):
                received += piece
        except ConnectionError:  # it was aborted
            pass
        return received


@pytest.fixture(scope="module")
def served():
    with paced(rate=20) as device, serving(device.url) as found:
        found.wait_for_epochs(1)
        yield found


def test_headers_that_are_too_long_are_refused(served) -> None:
    assert talked(served.port, GET + b"X: " + b"y" * 20_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 431 ")
    many = b"".join(b"X-%d: y\r\n" % number for number in range(5000))
    assert talked(served.port, GET + many + b"\r\n").startswith(b"HTTP/1.1 431 ")
    assert talked(served.port, b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 431 ")


def test_a_request_that_is_not_whole_in_time_ends_its_connection(served, monkeypatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_S", 0.3)
    begun = time.monotonic()
    assert talked(served.port) == b""
    assert talked(served.port, GET) == b""
    assert talked(served.port, GET + b"Content-Length: 9\r\n\r\n1")[:12] in (b"", b"HTTP/1.1 200")
    assert time.monotonic() - begun < scaled_timeout(5)
    with events(served) as reader:  # a request that is whole may be answered for ever
        assert len(epochs_of(reader, 20)) >= 20


def test_a_reader_that_does_not_read_is_disconnected(monkeypatch) -> None:
    monkeypatch.setattr(limits, "STALLED_S", 0.5)
    with paced(rate=40) as device, serving(device.url, send_buffer=4096) as served:
        served.wait_for_epochs(1)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect(("127.0.0.1", served.port))
            slow.sendall(GET.replace(b"devices", b"live") + b"\r\n")
            deadline = time.monotonic() + scaled_timeout(20)
            while served.server._hub.readers != 1:
                assert time.monotonic() < deadline
            while served.server._hub.readers:
                assert time.monotonic() < deadline
                time.sleep(0.05)


def test_connections_above_the_limit_are_refused_and_readers_stay(served, monkeypatch) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS", 5)
    with events(served) as reader:
        peers = [
            socket.create_connection(("127.0.0.1", served.port), timeout=scaled_timeout(5)) for _ in range(20)
        ]
        assert len(epochs_of(reader, 10)) >= 10
        for peer in peers:
            peer.close()
    assert served.json("/api/v1/devices")


def test_a_request_behind_one_that_is_answered_for_ever_ends_both(served) -> None:
    live = GET.replace(b"devices", b"live") + b"\r\n"
    talked(served.port, live, live)
    deadline = time.monotonic() + scaled_timeout(10)
    while served.server._hub.readers:
        assert time.monotonic() < deadline


def test_requests_one_after_the_other_share_a_connection(served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=scaled_timeout(5)) as peer:
        for _ in range(3):
            peer.sendall(GET + b"\r\n")
            received = b""
            while not received.endswith(b"}"):
                received += peer.recv(65536)
            assert received.startswith(b"HTTP/1.1 200 ")


def test_a_body_without_end_is_refused(served) -> None:
    head = GET.replace(b"GET", b"POST").replace(b"devices", b"devices/device/control/epoch")
    chunk = b"8000\r\n" + b"[" * 0x8000 + b"\r\n"
    answer = talked(served.port, head + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 200)
    assert answer[:12] in (
        b"HTTP/1.1 413",
        b"",
    )  # the system may lose the answer when the connection is reset


def link_url(served) -> str:
    return f"ws://127.0.0.1:{served.port}/api/v1/devices/device/link"


def test_a_page_of_another_origin_cannot_open_the_link(served) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(link_url(served), origin="http://evil.example", proxy=None, legacy=True)
    assert refused.value.response.status_code == 403
    connect(link_url(served), origin=served.url, proxy=None, legacy=True).close()


def test_a_text_on_the_link_ends_it_with_the_reason(served) -> None:
    with connect(link_url(served), proxy=None, legacy=True, max_queue=None) as link:
        link.send("text")
        with pytest.raises(ConnectionClosed, match="send frames of the serial protocol"):
            while True:
                link.recv(timeout=scaled_timeout(5))


def test_a_little_nonsense_on_the_link_is_ignored_and_long_messages_end_it(served) -> None:
    with connect(link_url(served), proxy=None, legacy=True, max_queue=None) as link:
        for nonsense in (
            b"",
            b"\0",
            b"\xff" * 100,
            b"\0" * 4000,
            frame(b"\xff"),
            frame(b"\x82\x01\x18\x63"),
        ):
            link.send(nonsense)
        link.send(frame(host_requests().encode(host_requests().new("ask_hello", sequence=7))))
        device = served.fleet["device"].recent
        before = device.arrived
        assert link.recv(timeout=scaled_timeout(5))
        link.send(bytes(10_000))
        with pytest.raises(ConnectionClosed):
            while True:
                link.recv(timeout=scaled_timeout(5))
        served.wait_for_epochs(before + 3)


def test_a_host_of_an_older_protocol_gets_a_hello_in_its_words(served) -> None:
    with connect(link_url(served), proxy=None, legacy=True, max_queue=None) as link:
        link.send(b"\0" + old_frame(old_hello_request()))
        found = [link.recv(timeout=scaled_timeout(5)) for _ in range(2)]
        while old_frame(old_hello()) not in found:
            found.append(link.recv(timeout=scaled_timeout(5)))
