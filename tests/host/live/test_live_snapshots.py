# SPDX-License-Identifier: BSD-2-Clause
"""The screens of fixed epochs, as pictures: `pytest --snapshot-update` writes them anew, to be looked at."""

from pathlib import Path

import pytest
from litemrc.feed.records import FeedLost
from litemrc.live import app as live_app
from litemrc.live.app import LiveApp
from litemrc.live.connection import Connection

from tests.host.live.live_epochs import COUNTING, PARAMETERS, RATE, PlayedFeed, feed_epochs
from tests.host.live.live_sessions import NARROW, WIDE, until

EPOCHS = 120


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is that of the last epoch: no epoch is late."""

    class Clock:
        monotonic = staticmethod(live_app.time.monotonic)
        time = staticmethod(lambda: EPOCHS / RATE)

    monkeypatch.setattr(live_app, "time", Clock)
    monkeypatch.delenv("COLORFGBG", raising=False)


def program(tmp_path: Path, *events: object) -> LiveApp:
    """The program after these events."""
    connection = Connection("socket://localhost:4711", tmp_path, lambda: PlayedFeed(list(events)))
    connection.feed.start()
    return LiveApp(connection, 20)


async def settle(pilot) -> None:
    """Wait until the settings are shown."""
    app = pilot.app
    await until(lambda: app.settings.epoch_length > 0 and app._next_draw is None, "the settings")
    await pilot.pause()


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_the_overview(snap_compare, tmp_path: Path, size: tuple[int, int]) -> None:
    events = [PARAMETERS, *feed_epochs(EPOCHS)]
    assert snap_compare(program(tmp_path, *events), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_the_overview_of_a_device_that_counts_dram_commands(
    snap_compare, tmp_path: Path, size: tuple[int, int]
) -> None:
    events = [COUNTING, *feed_epochs(EPOCHS, banks=8)]
    assert snap_compare(program(tmp_path, *events), terminal_size=size, run_before=settle)


def test_without_colour(snap_compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    events = [PARAMETERS, *feed_epochs(EPOCHS)]
    assert snap_compare(program(tmp_path, *events), terminal_size=NARROW, run_before=settle)


def test_a_lost_link(snap_compare, tmp_path: Path) -> None:
    lost = FeedLost(
        0.0, "socket://localhost:4711: the port was lost (check the cable; the device may be off)"
    )
    app = program(tmp_path, PARAMETERS, *feed_epochs(3), lost)
    assert snap_compare(app, terminal_size=NARROW, run_before=settle)
