# SPDX-License-Identifier: BSD-2-Clause
"""Hosts at a port that carries one at a time: introductions, refusals, and a host that takes over."""

import re
import socket
import subprocess
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import PortError, PortTakenError
from litemrc.device.link.frames import FrameSplitter, frame
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.device.link.sharing import (
    INTRODUCTION_BYTES,
    NAME_BYTES,
    NO_INTRODUCTION,
    Introduction,
    host_name,
    introduction,
    last_message,
    last_reason,
    read_introduction,
    reason_bytes,
)
from litemrc.device.qemu.server import MessageServer
from litemrc.feed.feed import Feed, FeedOptions

from tests.host.scripted_device import ack, hello, nak
from tests.timeouts import scaled_timeout, wait_until


class Session:
    """Answers hello and echo; has no DRAM unit, and acknowledges what else it gets."""

    def __init__(self) -> None:
        self.sent, self.out = 0, deque[Message]()

    def take(self, payload: bytes) -> None:
        message = host_requests().decode(payload)
        answers = {"ask_hello": hello(workloads=[]), "get_dram": nak("unsupported")}
        payload = message.payload if message.name == "echo" else b""
        self.sent += 1
        answer = answers.get(message.name, ack(payload=payload))
        self.out.append(replace(answer, sequence=self.sent, request=message.sequence))

    def receive(self, timeout_s: float) -> Message | None:
        return self.out.popleft() if self.out else None


@pytest.fixture
def url() -> Iterator[str]:
    serving = MessageServer(("localhost", 0), lambda url: Session(), failed=list)
    yield serving.url
    serving.close()


def opened(url: str, *, take: bool = False):
    return Device(url, timeout_s=scaled_timeout(5), take=take)


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        (b"\0litemrc host wait a b\0rest", Introduction("a b", take=False)),
        (b"\0litemrc host take x\x1b[2J\xff\0", Introduction("x?[2J?", take=True)),
        (b"\0litemrc host take " + b"n" * 60 + b"\0", Introduction("n" * 48, take=True)),
        (b"\0litemrc host hold x\0", NO_INTRODUCTION),
        (b"\0\3garbage\0", NO_INTRODUCTION),
        (b"\1", NO_INTRODUCTION),
        (b"\0" + b"x" * (INTRODUCTION_BYTES - 1), NO_INTRODUCTION),
        (b"", None),
        (b"\0", None),
        (b"\0litemrc host wait a", None),
    ],
)
def test_the_first_bytes_of_a_host_are_its_introduction_or_none(received, expected):
    assert read_introduction(received) == expected


def test_an_introduction_is_read_as_written_and_is_no_frame():
    for take in (False, True):
        sent = introduction(take=take)
        assert len(sent) <= INTRODUCTION_BYTES
        assert read_introduction(sent).take is take
        splitter = FrameSplitter(host_requests().max_bytes)
        assert list(splitter.feed(sent)) == [] and splitter.damaged == 1


def test_the_last_message_is_a_nak_of_the_schema_whatever_the_length_of_its_reason():
    for length in (0, 1, 23, 24, 80, 90):
        (payload,) = FrameSplitter(device_messages().max_bytes).feed(last_message("r" * length))
        assert last_reason(device_messages().decode(payload)) == "r" * min(length, 80)


def test_a_second_host_is_refused_with_the_name_of_the_first_which_stays(url):
    with opened(url) as first:
        for _ in range(3):
            with pytest.raises(
                PortTakenError, match=r", pid \d+ on .* uses it since \d\d:\d\d:\d\d"
            ) as refused:
                opened(url).__enter__()
            assert "--take" in refused.value.remedy
        assert first.echo_test(8).failed == 0
        assert first.link_counts.lost == first.link_counts.damaged == 0
    with opened(url) as next_one:
        assert next_one.echo_test(4).failed == 0


def test_a_host_that_takes_over_replaces_the_first_which_is_told_by_whom(url):
    with opened(url) as first, opened(url, take=True) as second:
        assert second.echo_test(4).failed == 0
        with pytest.raises(PortTakenError, match=r"replaced by .*, pid \d+"):
            while True:
                first.receive(scaled_timeout(5))
        assert second.echo_test(4).failed == 0


def test_a_host_without_introduction_neither_takes_over_nor_is_taken_from_in_silence(url):
    host, port = url.removeprefix("socket://").split(":")
    hello = b"\0" + frame(host_requests().encode(host_requests().new("ask_hello", sequence=7)))
    with opened(url) as first, socket.create_connection((host, int(port)), timeout=scaled_timeout(10)) as old:
        old.sendall(hello)
        answer = b""
        while received := old.recv(4096):
            answer += received
        assert b"uses it since" in answer
        assert first.echo_test(4).failed == 0
    with socket.create_connection((host, int(port)), timeout=scaled_timeout(10)) as old:
        old.sendall(hello)
        assert old.recv(4096)
        with pytest.raises(PortTakenError, match="a program that gave no name uses it since"):
            opened(url).__enter__()


def test_a_host_that_says_nothing_delays_nobody(url):
    host, port = url.removeprefix("socket://").split(":")
    with opened(url) as first, socket.create_connection((host, int(port))):
        assert first.echo_test(8).failed == 0


def test_a_feed_that_was_replaced_waits_until_the_port_is_free_also_if_it_took_over_before(url):
    with opened(url) as former:
        feed = Feed(url, FeedOptions(timeout_s=scaled_timeout(5), take=True))
        feed.start()
        try:
            assert feed.wait(scaled_timeout(10)) is None, "it took over"
            with pytest.raises(PortTakenError):
                while True:
                    former.receive(scaled_timeout(5))
            with opened(url, take=True) as second:
                wait_until(
                    lambda: isinstance(feed.failure, PortTakenError) and "uses it since" in str(feed.failure)
                )
                assert second.echo_test(4).failed == 0, "the feed does not take the port back"
            wait_until(lambda: feed.connected)
        finally:
            feed.close()


@pytest.mark.parametrize("other", ["/dev/ttyUSB9", "unix:///run/a.sock", "litex://h:1?csr=f", "http://h:1"])
def test_only_a_port_that_several_hosts_can_open_is_taken_over(other):
    with pytest.raises(PortError, match="--take is for socket:// ports"):
        opened(other, take=True).__enter__()


@pytest.mark.parametrize(
    ("words", "called"),
    [
        (["-c"], "python"),
        ([""], "python"),
        (["/usr/bin/litemrc", "serve", "--demo"], "litemrc serve"),
        (["/a/litemrc/__main__.py", "live"], "litemrc live"),
        (["/a/mine.py", "serve"], "mine"),
    ],
)
def test_a_host_is_called_by_its_program(words, called, monkeypatch):
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr("os.getpid", lambda: 7)
    monkeypatch.setattr("platform.node", lambda: "box")
    assert host_name() == f"{called}, pid 7 on box"


SHARING = Path(__file__).parents[3] / "litex-soc/sim_modules/serial_link/sharing.h"


@pytest.mark.parametrize("reason", ["", "replaced by me", "r" * reason_bytes()], ids=len)
def test_the_simulators_port_sends_the_same_message(reason, tmp_path):
    (tmp_path / "say.c").write_text(
        f"""#include "{SHARING}"
        int main(int argc, char **argv)
        {{
            uint8_t out[SHARING_MESSAGE_MAX];
            fwrite(out, 1, sharing_message(out, argv[argc - 1]), stdout);
        }}"""
    )
    subprocess.run(["cc", "-Wall", "-Werror", "-o", tmp_path / "say", tmp_path / "say.c", "-lz"], check=True)
    said = subprocess.run([tmp_path / "say", reason], check=True, capture_output=True).stdout
    ours, theirs = FrameSplitter(200), FrameSplitter(200)
    assert theirs.feed(said) == ours.feed(last_message(reason)) != []


def test_the_simulators_port_has_the_same_lengths():
    said = {name: int(number) for name, number in re.findall(r"#define (\w+) (\d+)", SHARING.read_text())}
    assert said["INTRODUCTION_MAX"] == INTRODUCTION_BYTES
    assert said["SHARING_NAME_MAX"] == NAME_BYTES
    assert said["SHARING_REASON_MAX"] == reason_bytes()
