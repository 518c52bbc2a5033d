# SPDX-License-Identifier: BSD-2-Clause
"""The feed of the terminal program, its last epochs and its recording; the feed can begin anew."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from litemrc.feed.feed import Event, Feed
from litemrc.feed.programs import Programs
from litemrc.feed.recent import Recent
from litemrc.live.recorder import Recorder


class Listener(Protocol):
    """The program, as far as a connection calls it; in the feed's thread."""

    def heard(self, event: Event) -> None:
        """Take an event."""

    def told(self, text: str, wrong: bool) -> None:
        """Show a message."""


class Connection:
    """A device and what came from it.

    Parameters
    ----------
    url
        of the device.
    out
        folder of recordings.
    open_feed
        makes a feed of the device, not yet started.

    Attributes
    ----------
    feed
        the current one.
    recent, recorder, programs
        its listeners, which outlive it.
    program
        what else listens; None: nothing yet.
    """

    def __init__(self, url: str, out: Path, open_feed: Callable[[], Feed]) -> None:
        self.url, self.out = url, out
        self.program: Listener | None = None
        self.recent = Recent()
        self.recorder = Recorder(out, self.recent, url, self._told)
        self.programs = Programs(lambda: self.feed, self._told)
        self._open_feed = open_feed
        self.feed = self._listened()

    def restart(self) -> None:
        """End the session and begin another one; blocks until the old one has ended."""
        self.feed.close()
        self.feed = self._listened()
        self.feed.start()

    def _listened(self) -> Feed:
        feed = self._open_feed()
        for listener in (self.recent, self.recorder, self.programs, self._heard):
            feed.listen(listener)
        return feed

    def _heard(self, event: Event) -> None:
        if self.program:
            self.program.heard(event)

    def _told(self, text: str, wrong: bool) -> None:
        if self.program:
            self.program.told(text, wrong)
