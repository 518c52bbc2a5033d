# SPDX-License-Identifier: BSD-2-Clause
"""A daemon that may open no more files: clients wait, it does not spin, and goes on when files are free."""

import resource
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.firmware.daemon.serving import Daemon
from tests.firmware.daemon.socket_clients import CLIENTS
from tests.timeouts import scaled_timeout, wait_until

FILES = 50  # it has 45 open without clients
SECONDS = 1.5
SPIN = 0.1  # of a processor: 250 ms pass between two tries
SAID = "a client of the socket waits: accept: Too many open files"


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon], path: Path) -> Daemon:
    """A daemon that has files for fewer clients than it serves."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))  # noqa: E731
    return start_daemon(f"--socket={path}", preexec_fn=limit)


def seconds_of_processor(pid: int) -> float:
    """User and system time so far; fields 14 and 15 of proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def connect(path: Path) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(scaled_timeout(10))
    client.connect(str(path))
    return client


def exhaust(daemon: Daemon, path: Path) -> list[socket.socket]:
    """Connect clients until one waits, the last one."""
    before, clients = daemon.said().count(SAID), []
    while daemon.said().count(SAID) == before:
        assert len(clients) < CLIENTS, "it has files for all of them"
        clients.append(connect(path))
        clients[-1].settimeout(0.5)
        try:
            clients[-1].recv(1)  # the byte that ends what a console wrote
        except TimeoutError:
            wait_until(lambda: daemon.said().count(SAID) > before)
        clients[-1].settimeout(scaled_timeout(10))
    return clients


def test_a_daemon_without_files_waits_says_so_once_and_goes_on(daemon, driver, path):
    *served, waiting = exhaust(daemon, path)
    begun = seconds_of_processor(daemon.process.pid)
    time.sleep(SECONDS)
    assert seconds_of_processor(daemon.process.pid) - begun < SPIN * SECONDS

    with daemon.host() as serial:
        assert serial.echo_test(4).failed == 0, "the serial host is served meanwhile"
    assert daemon.said().count("accept:") == 1
    served[0].close()
    assert waiting.recv(1), "the client that waited is served"
    for client in [*served, waiting]:
        client.close()


def test_the_next_time_without_files_is_said_again(daemon, path):
    for times in (1, 2):
        clients = exhaust(daemon, path)
        clients[0].close()
        assert clients[-1].recv(1)
        assert daemon.said().count("accept:") == times
        for client in clients:
            client.close()
