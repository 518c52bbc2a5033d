"""The server of a device's messages: clients come and go, damage is ignored, and a failure is kept."""

import socket
from collections import deque
from collections.abc import Iterator

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.frames import FrameSplitter, frame
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.device.link.schema import schema
from litemrc.device.qemu.server import MessageServer
from litemrc.errors import UserError

from tests.timeouts import scaled_timeout

HELLO = {
    "protocol": schema().constants["protocol_version"],
    **{"gateware": 3, "clock_hz": 10_000_000, "page_shift": 12, "frames": 256, "groups": 16, "contexts": 8},
    **{"pages": 256, "engine": "group_stack", "recent_pages": 4, "queue_depth": 2, "ranks": 1, "running": 0},
    **{"epoch_messages": 0, "workloads": [], "system": "", "driver": "test", "abi": 0},
    **{"page_bitmap": False, "hot_pages": 0},
}


class Session:
    """Answers hello, echoes, and fails at a request for a clear."""

    url = ""

    def __init__(self, error: Exception | None = None) -> None:
        self.sent, self.error, self.out = 0, error, deque[Message]()

    def send(self, message: Message) -> None:
        self.sent += 1
        if message.name == "hello":
            answer = device_messages().new("hello", sequence=self.sent, request=message.sequence, **HELLO)
        elif message.name == "clear" and self.error:
            raise self.error
        else:
            answer = device_messages().new(
                "ack", sequence=self.sent, request=message.sequence, values=[], payload=message.payload
            )
        self.out.append(answer)

    def refuse(self, sequence: int, error: str) -> None:
        self.sent += 1
        self.out.append(device_messages().new("nak", sequence=self.sent, request=sequence, error=error))

    def receive(self, timeout_s: float) -> Message | None:
        return self.out.popleft() if self.out else None


@pytest.fixture
def server() -> Iterator[MessageServer]:
    serving = MessageServer(("localhost", 0), lambda url: Session(), failed=list)
    yield serving
    serving.close()


def address(server: MessageServer) -> tuple[str, int]:
    host, _, port = server.url.removeprefix("socket://").rpartition(":")
    return host, int(port)


def test_clients_one_after_another_have_sessions_of_their_own(server: MessageServer) -> None:
    for _ in range(3):
        with Device.open(server.url, timeout_s=scaled_timeout(5)) as device:
            assert device.hello.driver == "test"
            assert device.echo_test(4).failed == 0
            assert device.link_counts.lost == 0


def test_a_client_that_vanishes_and_damaged_frames_harm_nothing(server: MessageServer) -> None:
    with socket.create_connection(address(server)) as client:
        client.sendall(b"\0garbage\0" + frame(b"no request") + b"half a fra")
    with socket.create_connection(address(server)) as client:
        good = frame(host_requests().encode(host_requests().new("hello", sequence=7)))
        client.sendall(good[:3])
        client.sendall(good[3:])
        client.settimeout(scaled_timeout(5))
        splitter, found = FrameSplitter(device_messages().max_bytes), list[bytes]()
        while not found:
            found += splitter.feed(client.recv(4096))
        assert device_messages().decode(found[0]).request == 7


def test_requests_of_a_later_version_are_refused_by_their_number(server: MessageServer) -> None:
    option = host_requests().encode(host_requests().new("clear", sequence=8))[:-1] + b"\xa1\x05\x01"
    with Device.open(server.url, timeout_s=scaled_timeout(5)) as device:
        answers = []
        for payload in (b"\x83\x07\x19\x12\x67\xa0", option):  # [7, 4711, {}]; clear with an option 5
            device._link._write(frame(payload))
            answers.append(device._link.receive(scaled_timeout(5)))
    assert [(a.name, a.request, a.error) for a in answers] == [
        ("nak", 7, "unknown"),
        ("nak", 8, "bad_argument"),
    ]


@pytest.mark.parametrize("error", [DeviceGoneError("it ended"), RuntimeError("a bug")])
def test_what_ends_a_session_ends_the_server_and_a_bug_is_kept(error: Exception) -> None:
    failures = list[str]()
    server = MessageServer(
        ("localhost", 0), lambda url: Session(error), failed=lambda: failures.append("failed")
    )
    with (
        pytest.raises(DeviceGoneError),
        Device.open(server.url, timeout_s=scaled_timeout(5)) as device,
    ):
        device.request("clear")
    server.close()
    gone = isinstance(error, DeviceGoneError)
    assert (server.failure, failures) == ((None, []) if gone else (error, ["failed"]))


def test_a_port_in_use_is_named(server: MessageServer) -> None:
    with pytest.raises(UserError, match="cannot serve"):
        MessageServer(address(server), lambda url: Session(), failed=list)
