# SPDX-License-Identifier: BSD-2-Clause
"""The link on the host's side: limits of frames and messages, what is read from a port, and why it failed."""

import errno
import os
import socket
import struct
import zlib
from types import SimpleNamespace

import pytest
import serial
from litemrc.device.errors import DeviceGoneError, PortError, VersionMismatchError
from litemrc.device.link import link as module
from litemrc.device.link.frames import FrameSplitter, frame, old_frame
from litemrc.device.link.link import Link, LinkCounts, MessageReceiver, UnixPort
from litemrc.device.link.protocol import (
    OldHelloError,
    OtherVersionError,
    ProtocolError,
    device_messages,
    host_requests,
    old_hello,
    old_hello_request,
)
from litemrc.device.link.schema import Member, schema, version_text

from tests.host.scripted_device import counted, ended, hello, told

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


@pytest.mark.parametrize("most", [8, 126, 127, 600])
def test_a_frame_is_too_long_from_the_first_byte_that_no_payload_has(most):
    splitter = FrameSplitter(most)
    payload = b"x" * most
    for size in (0, 1):
        too_long = frame(payload + b"x" * size)
        assert splitter.feed(b"\0" + too_long) == [payload] * (not size)
        assert splitter.oversized == size
    zeros = FrameSplitter(most)
    assert zeros.feed(b"\0" + frame(bytes(most))) == [bytes(most)]
    assert zeros.feed(frame(bytes(most + 1))) == []
    for piece in (frame(payload + b"xy")[:-1], b"x", b"\0", b"\0\0", frame(payload)):
        found = zeros.feed(piece)
    assert found == [payload] and (zeros.damaged, zeros.oversized) == (0, 2)


def test_the_frame_of_the_example_in_the_documentation():
    """docs/protocol.md: a host sets epochs of 2^22 cycles."""
    request = host_requests().new("set_epoch", sequence=7, unit="cycles", length=1 << 22)
    payload = host_requests().encode(request)
    assert payload == bytes.fromhex("44000000 07000000 02000000 00004000")
    assert frame(payload) == bytes.fromhex("a144 a107 a302 0240 05df5030d0 00")


def test_what_is_no_frame_has_no_payload():
    damaged = bytearray(frame(b"abc"))
    damaged[2] ^= 1
    for bad in (b"\x05ab\0", frame(b""), b"\x04abc\0", bytes(damaged)):
        splitter = FrameSplitter(100)
        assert splitter.feed(bad) == [] and splitter.damaged == 0, "it may have begun before"
        assert splitter.feed(bad) == [] and splitter.damaged == 1
    assert FrameSplitter(100).feed(frame(b"a")) == [b"a"]


@pytest.mark.parametrize("text", [b"", b"x" * 100, b"x" * 300])
def test_a_frame_of_an_older_version_is_known_by_its_first_byte(text):
    """Standard COBS: 254 bytes without a zero have no zero behind them."""
    content = b"\x84\7\1\0\x19\3\xea" + text
    content += struct.pack("<I", zlib.crc32(content))
    coded = b""
    for block in content.split(b"\0"):
        while len(block) >= 254:
            coded, block = coded + b"\xff" + block[:254], block[254:]
        coded += bytes([len(block) + 1]) + block
    splitter = FrameSplitter(1000)
    assert splitter.feed(b"\0" + coded + b"\0") == [content[:-4]] and splitter.damaged == 0
    if len(content) < 200:
        assert coded + b"\0" == old_frame(content[:-4])
    assert splitter.feed(coded[:-1] + b"\0") == [] and splitter.damaged == 1


def message(number, body=b"", sequence=7):
    return struct.pack("<II", number, sequence) + body


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "0 bytes; a message has 8 to"),
        (b"\4\0\0\0\1\0\0", "7 bytes"),
        (message(2), "not a record of an epoch: 0 bytes"),
        (message(2, bytes(64)), "not a record of an epoch"),
        (message(5, struct.pack("<II", 1, 11)), "ack: values has 11 items of 10"),
        (message(5, struct.pack("<II40xI", 1, 0, 129)), "ack: payload has 129 items of 128"),
        (b"\x98\x18" + bytes(24), "no message has type"),
        (b"\x80", "an old message"),
        (b"\x84\7\1\0\x19", "an old message"),
        (b"\x84\7\2\0\1", "an old message"),
        (b"\x84\7\1\0\xfb" + bytes(8), "an old message"),
    ],
)
def test_bytes_that_are_no_message_say_why(payload, why):
    with pytest.raises(ProtocolError, match=why):
        device_messages().decode(payload)


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("ack", {"values": [2**32]}, "values: 4294967296 is not in 0..4294967295"),
        ("ack", {"values": [-1]}, "values: -1 is not"),
        ("ack", {"values": [1, "2"]}, "values: 2 is not"),
        ("ack", {"values": [0, True]}, "values: True is not"),
        ("ack", {"values": [0] * 11}, "values: 11 is not in 0..10"),
        ("ack", {"values": (1,)}, "values: tuple instead of list"),
        ("ack", {"payload": bytes(129)}, "payload: 129 is not in 0..128"),
        ("ack", {"request": True}, "request: bool instead of int"),
        ("ack", {"sequence": 2**32}, "sequence: 4294967296 is not"),
        ("nak", {"error": "none"}, "error: 'none' is none of unknown, bad_argument"),
        ("nak", {"reason": "x" * 81}, "reason: a text of 81 bytes; most are 80"),
        ("nak", {"reason": "a\0"}, "reason: a text of 2 bytes; most are 80, none 0"),
        ("nak", {"reason": "/app\udcff"}, "reason: character 4 is half of a surrogate pair"),
        ("hello", {"features": {"wings"}}, "features: no bit is named wings"),
        ("hello", {"workloads": ["x"] * 9}, "workloads: 9 is not in 0..8"),
        ("hello", {"workloads": ["x" * 17]}, "workloads: a text of 17 bytes"),
    ],
)
def test_a_value_that_does_not_fit_is_named(name, values, why):
    with pytest.raises(ProtocolError, match=why):
        device_messages().encode(told(name, **values))


def test_a_switch_is_no_number():
    for value in (0, 1):
        with pytest.raises(ProtocolError, match="on: int instead of bool"):
            host_requests().encode(host_requests().new("freeze", on=value))


def test_messages_return_as_they_were_sent():
    messages = [
        hello(sequence=3, features={"page_bitmap", "lease"}, identifier="i" * 48, system="Linux"),
        told("ack", request=2**32 - 1, values=[2**32 - 1, 0], payload=b"a\0\0"),
        told("event", kind="workload_done", cycles=2**64 - 1),
        told("log", line="\u00fc" * 80),
        told("queued", frames=[3, 0]),
        ended(5, counted(1, 2), ranks=[{"state": 3}]),
    ]
    for each in messages:
        assert device_messages().decode(device_messages().encode(each)) == each
    assert messages[0].workloads == ["zipf", "loop"] and messages[0].lease and not messages[0].traffic
    assert messages[-1].epoch == 5
    request = host_requests().new("set_rank_state", domain=1, state="power_down", sequence=1)
    assert host_requests().encode(request) == message(94, struct.pack("<II", 1, 2), 1)
    text = device_messages().encode(told("log", line="a"))[:12]
    assert device_messages().decode(text + b"a\xff\0b").line == "a?\0b"


@pytest.mark.parametrize("version", [8, 999, 1001, 3001])
def test_a_hello_of_another_major_version_is_known_by_its_first_fields(version):
    new = message(1, struct.pack("<II", 0, version))
    old = b"\x97\7\1\0\x19" + version.to_bytes(2, "big") + b"?"
    for payload in (new, old):
        with pytest.raises(OtherVersionError, match=f"protocol version {version}") as other:
            device_messages().decode(payload)
        assert other.value.version == version


def test_a_hello_in_older_words_is_that_of_the_other_side_or_none():
    with pytest.raises(OldHelloError):
        device_messages().decode(old_hello())
    with pytest.raises(OtherVersionError):
        host_requests().decode(old_hello_request())
    with pytest.raises(ProtocolError, match="an old message"):
        host_requests().decode(b"\x82\1\x18\x42")
    assert device_messages().decode(device_messages().encode(hello())) == hello()


def test_versions_are_written_as_people_write_them():
    assert [version_text(version) for version in (8, 1000, 1001, 2013)] == ["8", "1.0", "1.1", "2.13"]


def test_fields_have_kinds_choices_and_sizes():
    codec = host_requests()
    assert codec.field("monitor", "on") == Member("on", "bool")
    assert codec.field("set_epoch", "unit") == Member("unit", "choice", choices={"accesses": 1, "cycles": 2})
    assert codec.field("set_epoch", "length") == Member("length", "int")
    mosts = {("monitor", "on"): 1, ("set_epoch", "length"): 2**32 - 1, ("follow_cgroup", "path"): 120}
    assert {names: codec.field(*names).most for names in mosts} == mosts
    assert [f.most for f in device_messages().types["ack"].body] == [2**32 - 1, 10, 128]
    assert codec.field("arm_counter", "masters").kind == "int", "of masters without a name, too"
    assert codec.field("follow_cgroup", "path") == Member("path", "text", 120)
    ack = device_messages().types["ack"].body
    assert ack == (
        Member("request", "int"),
        Member("values", "ints", shape=(10,)),
        Member("payload", "bytes", 128),
    )
    assert device_messages().field("hello", "workloads") == Member("workloads", "texts", 16, (8,))


def test_damage_is_counted_wherever_it_was_found():
    receiver = MessageReceiver()
    data = b"x" * 9999 + b"\0" + sent(told("log", sequence=4)) + frame(b"\x80") + b"broken\0"
    data += frame(b"x" * (device_messages().max_bytes + 1))
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
    assert host_requests().decode(*FrameSplitter(200).feed(port.written)).payload == b"a"


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
    old = old_frame(b"\x84\7\1\0\x19" + version.to_bytes(2, "big"))
    for sent in (frame(message(1, struct.pack("<II", 0, version))), old):
        link = Link(Port(sent), "loop")
        with pytest.raises(
            VersionMismatchError, match=rf"version {version_text(version)} .* version 2\.1"
        ) as other:
            link.receive(0)
    assert other.value.remedy.startswith(remedy)


def test_a_hello_that_is_repeated_asks_older_devices_too():
    port = Port()
    link = Link(port, "loop")
    old = old_frame(bytes((0x82, 1, 0x18, 65)))
    request = host_requests().new("ask_hello", sequence=9)
    for repeated in (False, True, True):
        port.written = b""
        link.send(request)
        assert port.written == frame(host_requests().encode(request)) + old * repeated
    for each in (host_requests().new("clear", sequence=9), host_requests().new("ask_hello", sequence=10)):
        port.written = b""
        link.send(each)
        assert not port.written.endswith(old)
    port.pieces = [old_frame(old_hello()) + sent(told("log"))]  # of a device of this version
    assert link.receive(0).name == "log" and link.counts == LinkCounts(frames=1)


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
