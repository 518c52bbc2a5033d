# SPDX-License-Identifier: BSD-2-Clause
"""Clients of the Unix socket read beside the serial host: whole epochs, no settings, no delay for others."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError, LinkError, RequestRefusedError
from litemrc.device.governed import GovernedDevice
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import host_requests

from tests.firmware.daemon.fake_driver import CONTEXTS, FakeDriver
from tests.firmware.daemon.serving import (
    CONFIG,
    EMPTY,
    Daemon,
    counted,
    make_group,
    rows_of,
    sent,
)
from tests.firmware.daemon.socket_clients import CLIENTS, Forwarder, client_of
from tests.firmware.daemon.test_daemon_fuzz import any_request, mutated, whole
from tests.timeouts import scaled_timeout, wait_until

EPOCHS = 60
WAITING = 14  # epochs; the pipe in place of the driver holds 16
READS = ["ask_hello", "echo", *(name for name in host_requests().types if name.startswith("get_"))]


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon], path: Path) -> Daemon:
    return start_daemon(f"--socket={path}")


class Reader(threading.Thread):
    """Collects epochs of a device in a thread of its own."""

    def __init__(self, device: Device, epochs: int) -> None:
        super().__init__()
        self.collector, self._epochs, self.failed = Collector(device), epochs, None
        self.start()

    def run(self) -> None:
        try:
            for _ in self.collector.collect(epochs=self._epochs):
                pass
        except LinkError as error:
            self.failed = error

    def end(self) -> Collector:
        self.join(timeout=scaled_timeout(30))
        assert not self.is_alive() and self.failed is None, self.failed
        return self.collector


def finish(driver: FakeDriver, epochs: range, readers: list[Reader], ahead: int = 10) -> None:
    """Finish epochs, not further ahead of the slowest reader than an outbox holds."""
    for number in epochs:
        assert driver.finish_epoch(rows_of(number)) == number, "rows_of() is of this epoch"
        wait_until(
            lambda number=number: all(number - r.collector.epochs <= ahead + epochs.start for r in readers)
        )


def test_all_clients_get_the_epochs_of_a_serial_host_that_governs(start_daemon, driver, folder, path):
    group = make_group(folder / "cgroups" / "one")
    daemon = start_daemon(
        f"--cgroups={group.parent}", f"--socket={path}", config=CONFIG + "[govern] = /one\n"
    )
    clients = [client_of(path) for _ in range(CLIENTS)]
    with daemon.host() as serial:
        devices = [client.__enter__() for client in clients]
        collector = Collector(serial)
        readers = [Reader(device, 1 + EPOCHS) for device in devices]
        context = serial.request("follow_cgroup", context=0, path="/one").values[2]  # ends the running epoch
        governed = GovernedDevice(serial, lease_cycles=2**30, energy=False, dry_run=False)
        for _ in collector.collect(epochs=1):
            pass
        for number in range(1, 1 + EPOCHS):
            driver.finish_epoch(rows_of(number))
            for _ in collector.collect(epochs=1):
                pass
            governed.obey({context: 100 + number}, groups=1)
        collections = [reader.end() for reader in readers]
        for client in clients:
            client.__exit__(None, None, None)

    assert counted(collector) == [EMPTY, *sent(1, EPOCHS)]
    assert (group / "memory.low").read_text() == f"{(100 + EPOCHS) * 4096}\n"
    for each in collections:
        assert counted(each) == counted(collector)
        assert each.link_statistics["epoch_messages_lost"] == each.link_counts.lost == 0
        assert [(p.context, p.pid) for p in each.processes.processes] == [
            (p.context, p.pid) for p in collector.processes.processes
        ]


def test_a_client_that_stops_loses_epochs_of_its_own_only(daemon, driver, path):
    epochs = 800
    with daemon.host() as serial, client_of(path) as other, client_of(path) as stopped:
        slow = Collector(stopped)
        readers = [Reader(serial, epochs), Reader(other, epochs)]
        finish(driver, range(epochs), readers)
        for reader in readers:
            assert counted(reader.end()) == sent(0, epochs)
        messages = [*stopped.waiting()]
        while message := stopped.receive(0.5):
            messages.append(message)
        begin = driver.finish_epoch(rows_of(epochs))
        slow_again = Collector(stopped)
        driver.finish_epoch(rows_of(begin + 1))
        for _ in slow_again.collect(epochs=1):
            pass

    numbers = [message.epoch for message in messages]
    assert 2 < len(numbers) < epochs / 2, "it lost many, and got what its buffers held"
    assert numbers == sorted(set(numbers))
    assert stopped.link_counts.lost == 0, "no frame is missing: epochs are lost by their numbers"
    assert slow.link_statistics["epoch_messages_lost"] == 0
    assert counted(slow_again) == sent(begin + 1, 1)


def test_a_serial_host_that_stops_delays_no_client(daemon, driver, path):
    with daemon.host(), client_of(path) as client:
        daemon.cable.plugged = False
        readers = [Reader(client, 400)]
        finish(driver, range(200), readers)
        driver.follow(1, "following", os.getpid(), "pytest")  # ends an epoch without accesses
        finish(driver, range(201, 400), readers)
        collector = readers[0].end()
        daemon.cable.plugged = True

    assert counted(collector) == [*sent(0, 200), (200, *EMPTY[1:]), *sent(201, 199)]
    assert [(p.context, p.pid) for p in collector.processes.processes] == [(1, os.getpid())]


def test_several_epochs_at_once_reach_all_though_a_send_buffer_holds_fewer(start_daemon, driver, path):
    """Behind five, which are taken at once, the daemon waits a second; the others have ended by then."""
    with (
        start_daemon(f"--socket={path}", "--pace=1000").host() as serial,
        client_of(path) as client,
    ):
        readers = [Reader(serial, 5 + WAITING), Reader(client, 5 + WAITING)]
        finish(driver, range(5), readers, ahead=0)
        finish(driver, range(5, 5 + WAITING), [])
        for reader in readers:
            assert counted(reader.end()) == sent(0, 5 + WAITING)


def test_a_client_that_comes_between_begins_with_a_whole_epoch(daemon, driver, path):
    ended = threading.Event()

    def run() -> None:
        number = 0
        while not ended.wait(0.002):
            number = driver.finish_epoch(rows_of(number)) + 1

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(20):
            with client_of(path) as client:
                client.say_hello()
                client.waiting()
                first = client.receive(scaled_timeout(5))
            assert first.record.rows["context"].tolist() == list(range(CONTEXTS))
            assert first.epoch == client.hello.epoch
    finally:
        ended.set()
        thread.join()


def test_what_changes_anything_is_refused_on_the_socket(daemon, driver, path):
    dice, codec = random.Random(3), host_requests()
    requests = {}
    while requests.keys() != codec.types.keys():
        request = codec.decode(any_request(dice))
        requests.setdefault(request.name, request)
    with client_of(path) as client:
        orders = len(driver.orders())
        for name, request in requests.items():
            values = {f.name: getattr(request, f.name) for f in request.body if f.name != "sequence"}
            answer = client._ask(name, **values)
            assert (answer.name == "nak" and answer.error == "read_only") == (name not in READS), answer
        assert client.hello.read_only
        with pytest.raises(RequestRefusedError, match="a socket is for reading") as refused:
            client.request("clear")
    with daemon.host() as serial:
        assert not serial.hello.read_only

    assert refused.value.code == "read_only" and "serial port" in refused.value.remedy
    assert len(driver.orders()) == orders


def test_hostile_clients_give_no_order_and_disturb_nobody(daemon, driver, path):
    """100,000 requests, whole and mutated."""
    dice, codec = random.Random(4), host_requests()
    half = frame(codec.encode(codec.new("clear", sequence=1)))[:-3]
    with daemon.host() as serial, client_of(path) as client:
        orders = len(driver.orders())
        for _ in range(10):
            with socket.socket(socket.AF_UNIX) as hostile:
                hostile.connect(str(path))
                drain = threading.Thread(target=_drain, args=(hostile,))
                drain.start()
                for _ in range(100):
                    hostile.sendall(b"".join(dice.choice((whole, mutated))(dice) for _ in range(100)))
                hostile.sendall(half)
                hostile.shutdown(socket.SHUT_RDWR)
                drain.join()
        driver.finish_epoch(rows_of(0))
        for device in (serial, client):
            rows = device.receive(scaled_timeout(5)).record.rows
            assert rows["context"].tolist() == list(range(CONTEXTS))
        assert client.echo_test().failed == 0

    assert len(driver.orders()) == orders


def _drain(connected: socket.socket) -> None:
    try:
        while connected.recv(65536):
            pass
    except OSError:
        pass


def test_a_client_that_sends_and_never_reads_is_not_served_further(daemon, driver, path):
    codec = host_requests()
    with client_of(path) as client, socket.socket(socket.AF_UNIX) as greedy:
        greedy.connect(str(path))
        greedy.setblocking(False)
        echo, taken = frame(codec.encode(codec.new("echo", sequence=7, payload=bytes(128)))), 0
        with pytest.raises(BlockingIOError):
            while taken < 2**27:
                taken += greedy.send(echo)
                time.sleep(0)
        driver.finish_epoch(rows_of(0))
        assert client.receive(scaled_timeout(5)).name == "epoch"


def test_a_ninth_client_is_turned_away_until_one_leaves(daemon, path):
    clients = [client_of(path) for _ in range(CLIENTS)]
    for client in clients:
        client.__enter__()
    with pytest.raises(DeviceGoneError) as gone, client_of(path):
        pass
    assert "fewer than 8 clients" in gone.value.remedy
    clients.pop().__exit__(None, None, None)

    def comes() -> bool:
        try:
            with client_of(path) as client:
                return client.echo_test(4).failed == 0
        except DeviceGoneError:
            return False

    wait_until(comes)
    for client in clients:
        client.__exit__(None, None, None)
    assert daemon.said().count("a client of the socket was refused: 8 are connected") == 1


def test_a_client_that_comes_as_another_leaves_is_served(daemon, path):
    """Both while the daemon is stopped: the second gets the place and the file number of the first."""
    codec, state = host_requests(), Path(f"/proc/{daemon.process.pid}/stat")
    with socket.socket(socket.AF_UNIX) as second:
        with client_of(path) as first:
            assert first.echo_test(1).failed == 0
            daemon.process.send_signal(signal.SIGSTOP)
            wait_until(lambda: ") T " in state.read_text())
        second.connect(str(path))
        daemon.process.send_signal(signal.SIGCONT)
        second.settimeout(scaled_timeout(10))
        second.sendall(frame(codec.encode(codec.new("echo", sequence=7, payload=b"second"))))

        assert b"second" in second.recv(4096)


def test_clients_number_their_requests_and_the_daemon_its_frames_for_each_alone(daemon, path):
    request = host_requests().new("get_epoch", sequence=77)
    with client_of(path) as first, client_of(path) as second:
        for device in (first, second, first):
            device._link.send(request)
        answers = [device._link.receive(scaled_timeout(5)) for device in (first, first, second)]

    assert [(answer.request, answer.sequence) for answer in answers] == [(77, 2), (77, 3), (77, 2)]


@pytest.mark.parametrize("over_tcp", [False, True])
def test_the_command_line_collects_at_the_socket_and_through_a_forwarded_port(
    daemon, driver, folder, path, over_tcp
):
    """`ssh -L 1234:/run/litemrcd.sock` forwards the bytes of a TCP port."""
    ended = threading.Event()

    def run() -> None:
        number = 0
        while not ended.wait(0.01):
            number = driver.finish_epoch(rows_of(number)) + 1

    def collect(url: str) -> None:
        command = ["collect", "--port", url, "--epochs", "5", "--out", str(folder / "c.parquet")]
        done = subprocess.run(
            [sys.executable, "-m", "litemrc.cli.main", *command], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert f"5 epochs ({5 * CONTEXTS} rows) saved" in done.stdout
        assert "5 epochs received, 0 lost" in done.stdout

    thread = threading.Thread(target=run)
    thread.start()
    try:
        if over_tcp:
            with Forwarder(path) as forwarder:
                collect(forwarder.url)
        else:
            collect(f"unix://{path}")
    finally:
        ended.set()
        thread.join()
