# SPDX-License-Identifier: BSD-2-Clause
"""The monitor of a machine in QEMU as a device, and the server of its messages."""

import json
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError
from litemrc.device.hot import HotSettings, page_messages, set_hot
from litemrc.device.link.frames import FrameSplitter, frame, old_frame
from litemrc.device.link.protocol import (
    LaterVersionError,
    Message,
    ProtocolError,
    device_messages,
    host_requests,
    old_hello,
    old_hello_request,
)
from litemrc.device.link.schema import schema
from litemrc.device.qemu.server import MessageServer
from litemrc.device.ref_counters import CounterSetting, PageEvent
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.files import read_epochs
from litemrc.errors import UserError
from litemrc.ranks.files import read_ranks

from tests.host.device.qemu.served_machine import FIRST_FRAMES, PAGES, command, machine, served
from tests.timeouts import scaled_timeout

EPOCH = 4000
EIGHTH = (64 << 20) // 8 // 4096  # frames
HELLO = {
    "protocol": schema().constants["protocol_version"],
    **{"gateware": 3, "clock_hz": 10_000_000, "page_shift": 12, "frames": 256, "groups": 16, "contexts": 8},
    **{"pages": 256, "engine": "group_stack", "recent_pages": 4, "queue_depth": 2, "ranks": 1, "running": 0},
    **{"epoch": 0, "workloads": [], "system": "", "driver": "test", "abi": 0},
    **{"page_bitmap": False, "hot_pages": 0},
}


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return machine(tmp_path_factory.mktemp("guest"))


def litemrc(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "litemrc.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=scaled_timeout(120),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("engine", ["group", "bucket"])
def test_every_counter_and_page_equals_the_golden_models(
    guest: list[str], engine: str, tmp_path: Path
) -> None:
    record = tmp_path / "record.npy"
    settings = HotSettings(True, True, True, False, 0, 4, 200, 0, 65535, 1)
    options = ["--engine", engine, "--contexts", "parts", "--record", str(record)]
    with served(guest, *options) as running, Device(running.url, timeout_s=scaled_timeout(10)) as device:
        device.request("set_epoch", unit="accesses", length=EPOCH)
        assert set_hot(device, settings) == settings
        device.request("clear")
        with page_messages(device, accessed=True, hot=True) as messages:
            collector = Collector(device, messages=messages)
            device.request("monitor", on=True)
            for _ in collector.collect(3):
                pass
            device.request("set_split", on=True)
            for _ in collector.collect(1):
                pass
            device.request("monitor", on=False)
            for _ in collector.finish():
                pass
        hello = device.hello
    table = collector.table()
    recording = read_recording(record, hello.page_shift)
    comparison = compare(table, replay(recording, model_of(table)), recording.counts()["access"])
    assert comparison.equal, comparison.first_difference
    contexts = {frame // EIGHTH for frame in FIRST_FRAMES}
    assert (
        contexts == {0 + FIRST_FRAMES[0] // EIGHTH, FIRST_FRAMES[1] // EIGHTH} <= set(table.context.tolist())
    )
    assert table.link_statistics["epoch_messages_lost"] == 0
    epochs = len(set(table.epoch.tolist()))
    accessed = check_accessed(recording, collector.accessed, hello.frames)
    assert (accessed.difference, accessed.epochs) == ("", epochs) and epochs > 3
    lists = check_hot(replay_hot(recording, settings, hello.frames), collector.hot)
    assert (lists.difference, lists.epochs) == ("", epochs)
    assert any(row.frames for row in collector.hot)


def test_the_commands_for_devices_work(guest: list[str], tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.parquet" for name in ("epochs", "ranks", "pages", "hot")}
    with served(guest) as running:
        port = ("--port", running.url)
        shown = json.loads(litemrc("device", *port, "--json"))
        assert (shown["engine"], shown["frames"]) == ("group_stack", 65536)
        further = [word for name in ("ranks", "pages", "hot") for word in (f"--{name}", files[name])]
        litemrc("collect", *port, "--epochs", 3, "--epoch-length", EPOCH, "-o", files["epochs"], *further)
        litemrc("ranks", *port, "policy", "dynamic", "--thresholds", "100:20000")
        litemrc("ranks", *port)
        assert litemrc("hot", *port, "--epochs", 1)
        litemrc("govern", *port, "--dry-run", "--energy", "--epochs", 2, "--log", tmp_path / "log.jsonl")
        assert "2 counters" in litemrc("refcounters", *port)
    table = read_epochs(files["epochs"])
    # Accesses that arrive while the window still holds the epoch before make an epoch longer.
    assert min(int(table.accesses[table.epoch == epoch].sum()) for epoch in (1, 2)) >= EPOCH
    ranks = read_ranks(files["ranks"])
    # Of the eight ranks those work that hold the pages of a hart, and nothing but them.
    used = set(np.unique(ranks.domain[(ranks.reads + ranks.writes) > 0]).tolist())
    assert used == {0}, "both harts' pages are in the first eighth of 256 MiB"
    assert "accesses reached the DRAM" in (running.process.stderr or sys.stdin).read()


def test_reference_counters_count_the_accesses_of_a_processor(guest: list[str]) -> None:
    """The paper's DELAY of the second hart: each of its pages fires once, and none of the first hart's."""
    setting = CounterSetting(3, True, True, 1 << 1, 0xFF, 0, 65535)
    fired: list[PageEvent] = []
    with served(guest, "--cache", "none") as running, Device(running.url) as device:
        ref_counters.arm(device, "delay", setting)
        while len(fired) < PAGES:
            message = device.receive(scaled_timeout(10))
            assert message is not None
            if message.name == "count":
                fired.append(PageEvent.of_message(message))
        device.request("count_requests", on=False)
    assert {event.counter for event in fired} == {"delay"} and fired[-1].lost == 0
    assert sorted(event.page for event in fired) == list(range(FIRST_FRAMES[1], FIRST_FRAMES[1] + PAGES))


def test_a_record_that_cannot_be_written_is_said(guest: list[str]) -> None:
    with served(guest, "--record", "/dev/full") as running, Device(running.url) as device:
        device.request("monitor", on=True)
    assert running.process.stderr is not None
    assert "record of the monitor's input could not be written" in running.process.stderr.read()
    assert running.process.returncode == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "64M"], "is an option of a served device"),
        (["--serve", "0", "--json"], "a served device has commands for that"),
        (["--serve", "0", "--memory", "65G"], "the monitor follows up to 64 GiB"),
        (["--serve", "127.0.0.1:1x"], "must be a port, or HOST:PORT"),
    ],
)
def test_options_that_contradict_exit_with_2(guest: list[str], options: list[str], message: str) -> None:
    done = subprocess.run(
        command(guest, *options),
        capture_output=True,
        text=True,
        timeout=scaled_timeout(30),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2 and message in done.stderr, done.stderr


class Session:
    """Answers hello, echoes, and fails at a request for a clear."""

    def __init__(self, error: Exception | None = None) -> None:
        self.sent, self.error, self.out = 0, error, deque[Message]()

    def take(self, payload: bytes) -> None:
        try:
            message = host_requests().decode(payload)
        except LaterVersionError as later:
            self._answer("nak", request=later.sequence, error=later.error)
        except ProtocolError:
            return
        else:
            if message.name == "clear" and self.error:
                raise self.error
            body = HELLO if message.name == "ask_hello" else {"values": [], "payload": message.payload}
            self._answer("hello" if body is HELLO else "ack", request=message.sequence, **body)

    def _answer(self, name: str, **values: Any) -> None:
        self.sent += 1
        self.out.append(device_messages().new(name, sequence=self.sent, **values))

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
        with Device(server.url, timeout_s=scaled_timeout(5)) as device:
            assert device.hello.driver == "test"
            assert device.echo_test(4).failed == 0
            assert device.link_counts.lost == 0


def test_a_client_that_vanishes_and_damaged_frames_harm_nothing(server: MessageServer) -> None:
    with socket.create_connection(address(server)) as client:
        client.sendall(b"\0garbage\0" + frame(b"no request") + b"half a fra")
    with socket.create_connection(address(server)) as client:
        good = frame(host_requests().encode(host_requests().new("ask_hello", sequence=7)))
        client.sendall(good[:3])
        client.sendall(good[3:])
        client.settimeout(scaled_timeout(5))
        splitter, found = FrameSplitter(device_messages().max_bytes), list[bytes]()
        while not found:
            found += splitter.feed(client.recv(4096))
        assert device_messages().decode(found[0]).request == 7


def test_requests_of_a_later_version_are_refused_by_their_number(server: MessageServer) -> None:
    option = host_requests().encode(host_requests().new("clear", sequence=8)) + b"\x05"
    unknown = (4711).to_bytes(4, "little") + (7).to_bytes(4, "little")
    with Device(server.url, timeout_s=scaled_timeout(5)) as device:
        answers = []
        for payload in (unknown, option):
            device._link._write(frame(payload))
            answers.append(device._link.receive(scaled_timeout(5)))
    assert [(a.name, a.request, a.error) for a in answers] == [
        ("nak", 7, "unknown"),
        ("nak", 8, "bad_argument"),
    ]


def test_a_host_of_an_older_protocol_gets_a_hello_in_its_words(server: MessageServer) -> None:
    with socket.create_connection(address(server)) as client:
        client.sendall(b"\0" + old_frame(old_hello_request()))
        client.settimeout(scaled_timeout(5))
        assert client.recv(4096) == old_frame(old_hello())


@pytest.mark.parametrize("error", [DeviceGoneError("it ended"), RuntimeError("a bug")])
def test_what_ends_a_session_ends_the_server_and_a_bug_is_kept(error: Exception) -> None:
    failures = list[str]()
    server = MessageServer(
        ("localhost", 0), lambda url: Session(error), failed=lambda: failures.append("failed")
    )
    with (
        pytest.raises(DeviceGoneError),
        Device(server.url, timeout_s=scaled_timeout(5)) as device,
    ):
        device.request("clear")
    server.close()
    gone = isinstance(error, DeviceGoneError)
    assert (server.failure, failures) == ((None, []) if gone else (error, ["failed"]))


def test_a_port_in_use_is_named(server: MessageServer) -> None:
    with pytest.raises(UserError, match="cannot serve"):
        MessageServer(address(server), lambda url: Session(), failed=list)
