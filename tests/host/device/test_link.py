# SPDX-License-Identifier: BSD-2-Clause
"""The link on the host's side: limits of frames and messages, what is read from a port, and why it failed."""

import errno
import os
import socket
from types import SimpleNamespace

import cbor2
import pytest
import serial
from cobs import cobs
from litemrc.device.errors import DeviceGoneError, PortError, VersionMismatchError
from litemrc.device.link import link as module
from litemrc.device.link.frames import FrameSplitter, frame, unframe
from litemrc.device.link.link import Link, LinkCounts, MessageReceiver, UnixPort
from litemrc.device.link.protocol import OtherVersionError, ProtocolError, device_messages, host_requests
from litemrc.device.link.schema import Field, schema, version_text

from tests.host.scripted_device import hello, told

PROTOCOL = schema().constants["protocol_version"]


def sent(message):
    """The frame of a device's message."""
    return frame(device_messages().encode(message))


class Port:
    """A port without a file, like loop://, that has these pieces to read."""

    def __init__(self, *pieces):
        self.pieces, self.written, self.closed = list(pieces), b"", False

    @property
    def in_waiting(self):
        return len(self.pieces[0]) if self.pieces else 0

    def read(self, size):
        return self.pieces.pop(0)[:size] if size else b""

    def write(self, data):
        self.written += data

    def fileno(self):
        raise OSError("no file")

    def close(self):
        self.closed = True


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0, sleeps=[])

    def sleep(seconds):
        assert seconds >= 0 and clock.now < 10, "waits without end"
        clock.now += seconds
        clock.sleeps.append(seconds)

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep))
    return clock


@pytest.mark.parametrize("most", [10, 249, 250, 503, 504, 600])
def test_a_frame_is_too_long_from_the_first_byte_that_no_payload_needs(most):
    """COBS adds a byte, and one more for every 254 of payload and CRC."""
    bound = most + 4 + (most + 4) // 254 + 1
    splitter = FrameSplitter(most)
    assert list(splitter.feed(b"\0" + b"x" * bound + b"\0")) == []
    assert (splitter.damaged, splitter.oversized) == (1, 0)
    assert list(splitter.feed(b"x" * (bound + 1) + b"\0")) == []
    assert (splitter.damaged, splitter.oversized) == (1, 1)
    for piece in (b"x" * bound, b"\0", b"x" * (bound + 1), b"x", b"\0", b"\0\0"):
        assert list(splitter.feed(piece)) == []
    assert (splitter.damaged, splitter.oversized) == (2, 2)
    payload = b"x" * most
    assert list(splitter.feed(frame(payload))) == [payload]


def test_what_is_no_frame_has_no_payload():
    assert unframe(b"\x05ab") is None, "no COBS"
    assert unframe(frame(b"")[:-1]) is None, "a CRC of nothing"
    assert unframe(cobs.encode(b"abc")) is None
    assert unframe(frame(b"a")[:-1]) == b"a"


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "not an array of fewer than 24 items"),
        (b"\x7f", "not an array"),
        (b"\x98\x18" + bytes(24), "not an array"),
        (b"\x97" + bytes(23), "no message has type 0"),
        (b"\x80", "no type number"),
        (b"\x81\x00", "no type number"),
        (b"\x82\x00\xf5", "no type number"),  # true
        (b"\x82\x00\x04", "message 4 has other fields or options"),
        (b"\x83\x00\x04\xa0", "message 4 has other fields or options"),
        (b"\x84\x00\x04\x01\x60", "message 4 has other fields or options"),  # without a map
        (b"\x85\x00\x04\x01\x61", "not CBOR"),
        (b"\x85\x00\x04\x04\x60\xa0", "level: 4 is not in 0..3"),
        (b"\x85\x00\x04\x01\x01\xa0", "line: int instead of str"),
        (b"\x85\x00\x04\x18\x01\x60\xa0", "not the canonical encoding"),
        (b"\x85\x00\x04\x01\x60\xa0\x00", "not the canonical encoding"),  # something behind it
        (b"\x83\x00\x01\x00", "message 1 has other fields or options"),  # hello without a version
        (b"\x85\x00\x06\x00\x01\xa1\x01\x01", "reason: int instead of str"),
        (b"\x85\x00\x06\x00\x01\xa1\x00\x60", "other fields or options"),  # no option has the key 0
        (b"\x85\x00\x06\x00\x01\xa1\x1a\x00\x01\x00\x00\x60", "other fields or options"),  # nor 65536
        (b"\x85\x00\x06\x00\x01\xa1\xf5\x60", "other fields or options"),  # nor true
        (b"\x85\x00\x06\x00\x01\xa2\x02\x00\x01\x60", "other fields or options"),  # not in ascending order
        (b"\x85\x00\x06\x00\x01\xa2\x01\x60\x01\x60", "not the canonical encoding"),  # twice
        (
            b"\x85\x00\x06\x00\x01\xb1" + b"".join(bytes([k, 0]) for k in range(2, 19)),
            "other fields or options",
        ),  # 17
    ],
)
def test_bytes_that_are_no_message_say_why(payload, why):
    with pytest.raises(ProtocolError, match=why):
        device_messages().decode(payload)


def test_a_value_between_the_choices_is_none():
    items = cbor2.loads(device_messages().encode(told("rank", counters=[0] * 16)))
    for state, name in ((0, "awake"), (2, "power_down"), (4, "self_refresh_partial")):
        items[7] = state
        assert device_messages().decode(cbor2.dumps(items)).state == name
    items[7] = 1
    with pytest.raises(ProtocolError, match="state: no choice 1"):
        device_messages().decode(cbor2.dumps(items))


@pytest.mark.parametrize("values", [[2**32], [-1], [1, "2"], [0, True], [0] * 11])
def test_the_items_of_a_list_have_their_type_and_range(values):
    with pytest.raises(ProtocolError, match=r"^values: "):
        device_messages().decode(cbor2.dumps([1, 5, 0, values, {}]))
    assert device_messages().decode(cbor2.dumps([1, 5, 0, [2**32 - 1] * 7, {}])).values == [2**32 - 1] * 7


@pytest.mark.parametrize(("version", "text"), [(8, "8"), (999, "999"), (2000, "2000"), (2001, "2001")])
def test_a_hello_of_another_major_version_is_known_by_its_first_fields(version, text):
    with pytest.raises(OtherVersionError, match=f"protocol version {text}") as other:
        device_messages().decode(cbor2.dumps([7, 1, 0, version]))
    assert other.value.version == version


def test_a_hello_needs_a_version_and_all_its_fields():
    for version in (str(PROTOCOL), True, PROTOCOL, PROTOCOL + 1):
        with pytest.raises(ProtocolError, match="message 1 has other fields or options"):
            device_messages().decode(cbor2.dumps([7, 1, 0, version]))
    with pytest.raises(ProtocolError, match="message 65 has other fields or options"):
        host_requests().decode(cbor2.dumps([7, 65, 0, PROTOCOL + 1]))
    assert device_messages().decode(device_messages().encode(hello())) == hello()


def test_versions_are_written_as_people_write_them():
    assert [version_text(version) for version in (8, 1000, 1001, 2013)] == ["8", "1.0", "1.1", "2.13"]


def test_a_flag_has_no_range_and_a_choice_that_of_its_values():
    requests = {message.name: message.fields for message in schema().host_request.messages}
    assert requests["monitor"] == (Field("on", "BOOL", 0, 0, (), None),)
    unit, length = requests["set_epoch"]
    assert unit == Field("unit", "UINT", 1, 2, (("accesses", 1), ("cycles", 2)))
    assert (length.low, length.high) == (0, 2**32 - 1)
    ack = next(m for m in schema().device_message.messages if m.name == "ack")
    assert ack.options == (Field("payload", "BSTR", 0, 128, (), None, 1),) and ack.later == 16
    values = ack.fields[1]
    assert values == Field("values", "LIST", 0, 10, (), Field("values", "UINT", 0, 2**32 - 1))


def test_damage_is_counted_wherever_it_was_found():
    receiver = MessageReceiver()
    data = b"x" * 9999 + b"\0" + sent(told("log", sequence=4)) + frame(b"\x80") + b"broken\0"
    data += sent(told("log", sequence=6))
    assert [message.sequence for message in receiver.feed(data)] == [4, 6]
    assert receiver.counts == LinkCounts(frames=2, damaged=2, oversized=1, lost=1, restarts=0)


def test_messages_are_received_one_by_one_and_what_is_late_is_not_lost(clock):
    first, second = sent(told("log", line="a")), sent(told("log", line="b"))
    port = Port(first + second[:5])
    link = Link(port, "loop")
    assert port.written == b"\0", "ends what the device's receiver may hold"
    assert link.receive(0).line == "a"
    assert link.receive(0) is None and clock.now == 0
    assert link.receive(1) is None and 1 <= clock.now < 1.01
    assert max(clock.sleeps) == 0.002
    port.pieces = [second[5:]]
    assert link.receive(0).line == "b"
    assert link.counts == LinkCounts(frames=2, restarts=1)
    with link as same:
        assert same is link and not port.closed
    assert port.closed


def test_requests_are_numbered_from_anywhere_below_half_the_range(monkeypatch):
    for draw in (lambda low, high: low, lambda low, high: high - 1):
        monkeypatch.setattr(module, "random", SimpleNamespace(randrange=draw))
        link, first = Link(Port(), "loop"), draw(1, 2**31) + 1
        assert [link.next_sequence(), link.next_sequence()] == [first, first + 1]
    port = Port()
    Link(port, "loop").send(host_requests().new("echo", sequence=9, payload=b"a"))
    assert host_requests().decode(unframe(port.written[1:-1])).payload == b"a"


def test_a_port_with_a_file_is_read_as_soon_as_it_has_something():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        port = SimpleNamespace(fileno=ours.fileno, write=ours.send)
        link = Link(port, "socket")
        assert link.receive(0) is None
        theirs.send(sent(told("log", line="a")))
        assert link.receive(60).line == "a"
        theirs.shutdown(socket.SHUT_RDWR)
        with pytest.raises(DeviceGoneError, match="the device is gone: the connection was closed"):
            link.receive(60)


def test_a_unix_socket_is_a_port(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        with Link.open(f"unix://{tmp_path / 's'}") as link:
            device, _ = listener.accept()
            with device:
                assert device.recv(9) == b"\0", "ends what the device's receiver may hold"
                device.sendall(sent(told("log", line="a")))
                assert link.receive(60).line == "a"
                device.shutdown(socket.SHUT_RDWR)
                with pytest.raises(DeviceGoneError, match="the connection was closed") as gone:
                    link.receive(60)
    assert "litemrcd" in gone.value.remedy


def test_what_is_read_of_a_unix_socket_is_what_came():
    ours, theirs = socket.socketpair()
    port = UnixPort(ours)
    with theirs:
        assert port.read(port.in_waiting) == b""
        theirs.sendall(b"ab")
        assert port.read(port.in_waiting) == b"ab"
        port.write(b"cd")
        assert theirs.recv(9) == b"cd"
        port.close()
        assert theirs.recv(9) == b""


def test_a_read_that_would_block_is_none(monkeypatch):
    """Another process may have taken what select saw."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    link = Link(SimpleNamespace(fileno=lambda: reader, write=len), "pipe")
    monkeypatch.setattr(module.select, "select", lambda *_: ([reader], [], []))
    assert link.receive(0) is None
    os.close(writer)
    os.close(reader)


@pytest.mark.parametrize("name", ["read", "write"])
def test_a_port_that_fails_is_gone(name):
    def fail(*_):
        raise serial.SerialException("unplugged")

    port = Port(b"x")
    link = Link(port, "usb")
    setattr(port, name, fail)
    with pytest.raises(DeviceGoneError, match="the device is gone: unplugged") as gone:
        link.receive(0) if name == "read" else link.send(host_requests().new("clear", sequence=1))
    assert gone.value.where == "usb"


@pytest.mark.parametrize(
    ("version", "remedy"),
    [(8, "update the device: load the bare-metal"), (PROTOCOL + 1000, "update the host package")],
)
def test_the_older_of_both_sides_is_to_be_updated(version, remedy):
    link = Link(Port(frame(cbor2.dumps([7, 1, 0, version]))), "loop")
    with pytest.raises(
        VersionMismatchError, match=rf"version {version_text(version)} .* version 1\.1"
    ) as other:
        link.receive(0)
    assert other.value.remedy.startswith(remedy)


def test_a_port_is_opened_for_this_program_alone(monkeypatch):
    opened = []
    monkeypatch.setattr(serial, "serial_for_url", lambda url, **options: opened.append(options) or Port())
    for options in ({}, {"baud": 9600}):
        assert Link.open("usb", **options).url == "usb"
    common = {"timeout": 0, "write_timeout": 5, "exclusive": True}
    assert opened == [{"baudrate": 115200} | common, {"baudrate": 9600} | common]


def chained(inner):
    outer = serial.SerialException("could not open port")
    outer.__context__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (serial.SerialException("no such port"), "no such port"),
        (chained(OSError(errno.ENOENT, "No such file")), "No such file"),
        (chained(chained(OSError(errno.EIO, "broken"))), "broken"),
        (chained(BlockingIOError(errno.EAGAIN, "again")), "another program has it open"),
        (TypeError("NoneType"), "the URL lacks a host or a port number"),
        (ValueError(1, 2), r"\(1, 2\)"),
        (ValueError("a", "b", "c"), r"\('a', 'b', 'c'\)"),
    ],
)
def test_a_port_that_cannot_be_opened_says_the_first_cause(monkeypatch, error, why):
    def fail(url, **_):
        raise error

    monkeypatch.setattr(serial, "serial_for_url", fail)
    with pytest.raises(PortError, match=f"cannot open the port: {why}"):
        Link.open("usb")


def test_after_its_end_a_link_reads_no_other_file(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"of another")
    end, host = socket.socketpair()
    with end:
        link = Link(UnixPort(host), "unix:///run/litemrcd.sock")
        number = host.fileno()
        link.close()
        with file.open("rb", buffering=0) as other:
            assert other.fileno() == number  # the lowest that is free
            with pytest.raises(DeviceGoneError, match="the port was closed"):
                link.receive(0.1)
            assert other.read() == b"of another"
