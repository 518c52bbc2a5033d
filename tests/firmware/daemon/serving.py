# SPDX-License-Identifier: BSD-2-Clause
"""A daemon under test: its command line, its host, and its programs."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.link.protocol import Message

from tests.firmware.daemon.cable import Cable
from tests.firmware.daemon.fake_driver import CONTEXTS, GROUPS, FakeDriver, Row
from tests.host.epoch_rows import each_row
from tests.timeouts import scaled_timeout

CONFIG = """
# programs of the tests
quick = /bin/sh -c "exit 0"
sleep = /bin/sleep {scale}
fail  = /bin/sh -c "exit {scale}"
tree [children] = /bin/sh -c "sleep {scale} & wait"
"""


def receive(device: Device, count: int) -> list[Message]:
    """The next messages."""
    messages = [device.receive(scaled_timeout(5)) for _ in range(count)]
    assert None not in messages
    return messages


def next_log(device: Device) -> str:
    """The line of the next message of the log."""
    messages = iter(lambda: device.receive(scaled_timeout(5)), None)
    return next(message.line for message in messages if message.name == "log")


def rows_of(number: int) -> dict[int, Row]:
    """Counters that differ from epoch to epoch, of as many contexts as the monitor has."""
    return {
        context: Row(
            misses=number + context + 1,
            touched=context + 1,
            hits=[(number * 31 + context * g) % 997 for g in range(GROUPS)],
        )
        for context in range(CONTEXTS)
    }


def counted(collector: Collector) -> list[tuple]:
    """Epoch, context and counters of each row."""
    rows = each_row(collector.counts)
    return [(row.epoch, row.context, row.misses, row.touched, tuple(row.hits)) for row in rows]


EMPTY = (0, 0, 0, 0, (0,) * GROUPS)  # epoch 0 without an access


def sent(first: int, epochs: int) -> list[tuple]:
    """The same, of the epochs that the driver finished."""
    return [
        (number, context, row.misses, row.touched, tuple(row.hits))
        for number in range(first, first + epochs)
        for context, row in rows_of(number).items()
    ]


MEMORY = {"high": "max", "low": "0", "max": "max", "current": "0", "reclaim": ""}


def make_group(group: Path, **texts: str) -> Path:
    """Make a cgroup with the memory controller, whose files only their owner, this user, may write."""
    group.mkdir(parents=True)
    for name, text in (MEMORY | texts).items():
        (group / f"memory.{name}").write_text(text and f"{text}\n")
    return group


@dataclass
class Daemon:
    """A running daemon, with its driver, cable, process and log."""

    driver: FakeDriver
    cable: Cable
    process: subprocess.Popen
    log: Path
    status: int = 0  # with which it must end

    @contextmanager
    def host(self, seconds: float = 10) -> Iterator[Device]:
        """The host package at the other end of the cable."""
        with Device(self.cable.url, timeout_s=scaled_timeout(seconds)) as device:
            device.waiting()  # the hello of its start
            yield device

    def said(self) -> str:
        """The log."""
        return self.log.read_text()

    def end(self) -> None:
        """End it by SIGTERM."""
        self.process.terminate()
        assert self.process.wait(timeout=scaled_timeout(10)) == 0

    def ended(self) -> str:
        """Wait until it has failed; return its log."""
        self.status = 1
        assert self.process.wait(timeout=scaled_timeout(10)) == 1
        return self.said()


def environment_of(driver: FakeDriver) -> dict[str, str]:
    # Leak detection needs ptrace, which the daemon forbids; the daemon allocates memory at its start only.
    return {**os.environ, "STANDIN_LOG": str(driver.orders_log), "ASAN_OPTIONS": "detect_leaks=0"}


def arguments_of(driver: FakeDriver, tty: str, config: Path) -> list[str]:
    options = {
        "tty": tty,
        "device": driver.device,
        "sysfs": driver.sysfs,
        "cgroup": driver.cgroup,
        "config": config,
        "pace": 0,
    }
    if os.geteuid() == 0:
        options["user"] = "65534:65534"
        options["program-user"] = "65533:65533"
    return [f"--{name}={value}" for name, value in options.items()]
