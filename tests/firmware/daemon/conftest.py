# SPDX-License-Identifier: BSD-2-Clause
"""Build the daemon with sanitizers under build/daemon-test, once for all workers, and start it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.firmware.daemon.cable import Cable
from tests.firmware.daemon.fake_driver import FakeDriver
from tests.firmware.daemon.serving import CONFIG, Daemon, arguments_of, environment_of
from tests.products import alone_in, make
from tests.timeouts import scaled_timeout, wait_until

HERE = Path(__file__).parent
BUILD = HERE.parents[2] / "build" / "daemon-test"


@pytest.fixture(scope="session")
def litemrcd() -> Path:
    """The program under test; LITEMRCD in the environment names another (test_daemon_mutants.py)."""
    if mutant := os.environ.get("LITEMRCD"):
        return Path(mutant)
    with alone_in(BUILD):
        make(HERE, f"OUT={BUILD}")
    return BUILD / "litemrcd"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the daemon can read as an unprivileged user, too."""
    made = Path(tempfile.mkdtemp(prefix="litemrcd-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def path(folder: Path) -> Path:
    """Of the daemon's socket, where it has one."""
    return folder / "litemrcd.sock"


@pytest.fixture
def driver(folder: Path) -> Iterator[FakeDriver]:
    with FakeDriver(folder) as made:
        yield made


@pytest.fixture
def run(litemrcd: Path, driver: FakeDriver, folder: Path) -> Callable[..., tuple[int, str, str]]:
    """Run the daemon, which must end at once; return status, stderr and stdout."""

    def run(*more: str, config: str = "", arguments: list[str] | None = None) -> tuple[int, str, str]:
        (folder / "litemrcd.conf").write_text(config)
        if arguments is None:
            arguments = arguments_of(driver, "/dev/null", folder / "litemrcd.conf")
        command = [litemrcd, *arguments, *more]
        pipes = {"capture_output": True, "text": True, "env": environment_of(driver)}
        done = subprocess.run(command, timeout=scaled_timeout(10), **pipes)
        return done.returncode, done.stderr, done.stdout

    return run


@pytest.fixture
def refused(run: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Run a daemon that must refuse to start; return what it said."""

    def refused(*more: str, status: int = 2, **how: Any) -> str:
        ended, said, _ = run(*more, **how)
        assert ended == status, said
        return said

    return refused


@pytest.fixture
def start_daemon_on(litemrcd: Path, folder: Path) -> Iterator[Callable[..., Daemon]]:
    """Start a daemon on a driver. It must end with its expected status, at the latest by SIGTERM."""
    started: list[Daemon] = []

    def start(
        driver: FakeDriver, *more: str, config: str = CONFIG, program: Path = litemrcd, **popen: Any
    ) -> Daemon:
        (folder / "litemrcd.conf").write_text(config)
        log = folder / "log"
        cable = Cable().__enter__()
        arguments = [program, *arguments_of(driver, cable.tty, folder / "litemrcd.conf"), *more]
        with log.open("w") as stderr:
            process = subprocess.Popen(arguments, stderr=stderr, env=environment_of(driver), **popen)
        started.append(Daemon(driver, cable, process, log))
        wait_until(lambda: "serves" in log.read_text() or process.poll() is not None)
        return started[-1]

    yield start
    for daemon in started:
        daemon.process.terminate()
        status = daemon.process.wait(timeout=scaled_timeout(10))
        daemon.cable.__exit__()
        assert status == daemon.status, daemon.said()


@pytest.fixture
def start_daemon(driver: FakeDriver, start_daemon_on: Callable[..., Daemon]) -> Callable[..., Daemon]:
    """Start a daemon on the driver of the test."""
    return partial(start_daemon_on, driver)


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    return start_daemon()
