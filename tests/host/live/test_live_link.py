# SPDX-License-Identifier: BSD-2-Clause
"""A link that is lost or not there, how soon an epoch is on the screen, and programs run while watching."""

import asyncio
import os
import pty
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from litemrc.device.running import Run
from litemrc.epochs.files import read_epochs
from litemrc.errors import UserError
from litemrc.live.app import LiveApp

from tests.host.live.live_sessions import NARROW, WIDE, connected, shown, text, until
from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import told
from tests.timeouts import scaled_timeout, wait_until

COMMAND = [sys.executable, "-m", "litemrc.cli.main", "live", "--port"]
UPDATE_S = 0.2  # the promise: an epoch is on the screen that soon
RUNS = [Run("zipf"), Run("loop", 3, 2)]


def test_a_lost_link_is_shown_with_reason_and_tries_and_found_again(tmp_path: Path) -> None:
    async def session() -> None:
        with paced(rate=20) as device:
            port = int(device.url.rpartition(":")[2])
            with connected(device, tmp_path) as connection:
                async with shown(connection) as (app, pilot):
                    await pilot.press("r")
                    await until(lambda: connection.recorder.epochs >= 3, "a recording")
                    device.closing.set()
                    await until(lambda: "LINK LOST" in text(app) and "2 failed" in text(app), "the tries", 20)
                    assert device.url in text(app).replace("\n", "")
                    before = connection.recent.arrived
                    with paced(port, rate=20):
                        await until(lambda: connection.recent.arrived > before + 3, "epochs", 30)
                        await until(lambda: "LINK LOST" not in text(app), "the end of the message")
                        await until(lambda: connection.recorder.epochs > before, "the recording goes on")
                    connection.recorder.stop()
                    tables = [read_epochs(f / "epochs.parquet") for f in connection.recorder.folders]
                    assert tables[0].interrupted

    asyncio.run(session())


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_an_epoch_is_on_the_screen_within_200_ms_at_20_a_second(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """8 contexts, ranks, hot pages and heat map; one of five seconds must be quiet enough."""

    async def session() -> None:
        with paced(rate=20, hot_on=True) as device, connected(device, tmp_path) as connection:
            async with shown(connection, size) as (app, _):
                medians = []
                while len(medians) < 5 and not (medians and medians[-1] < UPDATE_S):
                    app.latencies.clear()
                    await until(lambda: len(app.latencies) >= 20, "epochs on the screen", 30)
                    medians.append(statistics.median(app.latencies))
        assert 0 < medians[-1] < UPDATE_S, medians

    asyncio.run(session())


def test_screens_are_limited_whatever_the_rate_of_epochs(tmp_path: Path) -> None:
    async def session() -> None:
        with paced(rate=20) as device, connected(device, tmp_path) as connection:
            async with shown(connection) as (app, _):
                device.rate = 100
                drawn = []
                draw = LiveApp._draw
                app._draw = lambda: (drawn.append(connection.recent.arrived), draw(app))[1]
                # The first is drawn again for each change of its size.
                await until(lambda: len(drawn) > 3, "screens", 30)
                drawn.clear()
                before = connection.recent.arrived
                began = time.monotonic()
                await until(lambda: connection.recent.arrived > before + 60, "epochs", 30)
                seconds, screens = time.monotonic() - began, len(drawn)  # the app draws on until it has ended
        assert screens <= 10 * seconds + 2, f"{screens} screens in {seconds:.1f} s"

    asyncio.run(session())


def test_the_first_failure_to_open_the_port_ends_the_program() -> None:
    controller, terminal = pty.openpty()
    try:
        done = subprocess.run(
            [*COMMAND, "socket://127.0.0.1:1"],
            stdin=terminal, stdout=terminal, stderr=terminal, timeout=scaled_timeout(60), check=False,
        )  # fmt: skip
        said = os.read(controller, 65536).decode()
    finally:
        os.close(controller)
        os.close(terminal)
    assert done.returncode == 2
    assert "error: " in said and "127.0.0.1:1" in said and "remedy:" in said
    assert "\033[?1049h" not in said, "the screen of the program was not opened"


def test_a_pipe_is_refused_and_collect_named() -> None:
    done = subprocess.run(
        [*COMMAND, "socket://127.0.0.1:1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=scaled_timeout(60), check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr and "litemrc collect --port" in done.stderr


@pytest.mark.parametrize(("signal_name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_saves_the_recording_and_restores_page_messages(
    tmp_path: Path, signal_name: str, code: int
) -> None:
    """SIGHUP is what a program gets whose ssh connection is lost."""
    controller, terminal = pty.openpty()
    screen = bytearray()

    def read() -> None:
        try:
            while piece := os.read(controller, 65536):
                screen.extend(piece)
        except OSError:  # the terminal is closed
            return

    with paced(rate=20) as device:
        process = subprocess.Popen(
            [*COMMAND, device.url, "-o", str(tmp_path)], stdin=terminal, stdout=terminal, stderr=terminal,
            env=os.environ | {"TERM": "xterm-256color"},
        )  # fmt: skip
        threading.Thread(target=read, daemon=True).start()
        try:
            wait_until(lambda: b"miss ratio" in screen, 30, "the screen")
            os.write(controller, b"r")
            wait_until(lambda: b"REC 3" in screen, 30, "the recording")
            process.send_signal(getattr(signal, signal_name))
            assert process.wait(scaled_timeout(30)) == code
            wait_until(lambda: not device.accessed_on, 10, "the page messages")
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
            os.close(controller)
    (table,) = (read_epochs(path) for path in tmp_path.glob("live-*/epochs.parquet"))
    assert table.interrupted and table.epoch.size >= 3 * 8
    assert b"recorded " in screen and b" epochs, 0 lost, in " in screen


def ended(device: PacedDevice, workload: int, context: int) -> None:
    """Have the device say that a program has ended."""
    device.also.append(told("event", kind="workload_done", workload=workload, context=context, cycles=9))


def runs(device: PacedDevice) -> int:
    return device.requests.count("run")


def test_the_next_program_starts_when_one_has_ended(tmp_path: Path) -> None:
    with paced(rate=20, system="") as device, connected(device, tmp_path) as connection:
        connection.programs.start(RUNS).result(scaled_timeout(10))
        assert device.settings["run"]["workload"] == 0
        ended(device, 0, 1)
        wait_until(lambda: runs(device) == 2, 10, "the second program")
        started = device.settings["run"]
        assert (started["workload"], started["context"], started["scale"]) == (1, 3, 2)
        ended(device, 1, 3)
        before = connection.recent.arrived
        wait_until(lambda: connection.recent.arrived > before + 5, 10, "more epochs")
        assert runs(device) == 2


def test_a_program_that_ended_while_the_link_was_lost_is_followed_by_the_next(tmp_path: Path) -> None:
    """The paced device says in hello that nothing runs."""
    with paced(rate=20, system="") as device, connected(device, tmp_path) as connection:
        connection.programs.start(RUNS).result(scaled_timeout(10))
        connection.restart()
        wait_until(lambda: runs(device) == 2, 10, "the second program")


def test_a_program_that_the_device_has_not_is_refused_before_any_starts(tmp_path: Path) -> None:
    with paced(rate=20) as device, connected(device, tmp_path) as connection:
        with pytest.raises(UserError, match="no program 'sort'"):
            connection.programs.start([Run("zipf"), Run("sort")]).result(scaled_timeout(10))
        assert runs(device) == 0
