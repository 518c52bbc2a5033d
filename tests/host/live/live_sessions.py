# SPDX-License-Identifier: BSD-2-Clause
"""The program on a paced device over TCP, driven by Textual's pilot."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from litemrc.feed.feed import Feed, FeedOptions
from litemrc.live.app import LiveApp
from litemrc.live.connection import Connection
from textual.pilot import Pilot

from tests.host.paced_device import PacedDevice
from tests.timeouts import Deadline, scaled_timeout

NARROW, WIDE = (80, 24), (160, 48)


@contextmanager
def connected(device: PacedDevice, out: Path) -> Iterator[Connection]:
    """A connection whose first session has begun."""
    options = FeedOptions(timeout_s=scaled_timeout(3), pages=True, hot=True, if_there=True)
    connection = Connection(device.url, out, lambda: Feed(device.url, options))
    connection.feed.start()
    try:
        assert connection.feed.wait(scaled_timeout(10)) is None
        yield connection
    finally:
        connection.feed.close()
        connection.feed.check()


@asynccontextmanager
async def shown(
    connection: Connection, size: tuple[int, int] = NARROW
) -> AsyncIterator[tuple[LiveApp, Pilot]]:
    """The program on a connection, with the first epochs on its screen."""
    app = LiveApp(connection)
    async with app.run_test(size=size) as pilot:
        await until(lambda: connection.recent.arrived == 0 or "epoch " in text(app), "the first epoch")
        yield app, pilot


async def until(true: Callable[[], bool], what: str, seconds: float = 10) -> None:
    """Wait until a condition holds, while the program runs."""
    deadline = Deadline(seconds)
    while not true():
        assert not deadline.passed, f"{what} did not happen within {deadline.limit_s:.0f} s"
        await asyncio.sleep(0.02)


def text(app: LiveApp) -> str:
    """What is on the screen, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def said(app: LiveApp, words: str) -> Callable[[], bool]:
    """Whether a message has these words."""
    return lambda: any(words in message for message, _ in app.messages)
