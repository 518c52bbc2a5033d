"""Says when a session with a device begins, and why it ended; seldom where both happen again and again."""

import time
from collections.abc import Callable

from litemrc.feed.backoff import SOUND_S
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedLost

_FIRST_INTERVAL_S, _MOST_INTERVAL_S = 60.0, 3600.0


class Announcer:
    """A listener; further tries to open a lost link fail in silence until one succeeds.

    A session that is lost soon after the last one was is reported after an interval that doubles each time.

    Parameters:
        say: called with a line.
        clock: of seconds.
    """

    def __init__(
        self, name: str, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._say, self._clock = name, say, clock
        self._lost = False  # the last line said so
        self._begun: float | None = None  # time of the last session's beginning; None: it is over
        self._sessions = 0
        self._silent = 0  # losses since the last line
        self._interval_s = self._due = 0.0

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if isinstance(event, FeedLost):
            self._note_loss(event.reason)
        elif isinstance(event, DeviceParameters):
            self._sessions += 1
            self._begun = self._clock()
            if self._lost:
                again = " again" if self._sessions > 1 else ""
                self._say(f"{self._name}: the device is there{again}")
            self._lost = False

    def _note_loss(self, reason: str) -> None:
        now = self._clock()
        if self._begun is not None and now - self._begun >= SOUND_S:
            self._interval_s = self._due = 0.0
        if self._begun is not None or not self._sessions:
            self._silent += 1
        self._begun = None
        if self._lost or now < self._due:
            return
        times = f" ({self._silent} sessions were lost since the last report)" if self._silent > 1 else ""
        self._say(f"{self._name}: {reason}; the server tries again{times}")
        self._lost, self._silent = True, 0
        self._interval_s = min(max(2 * self._interval_s, _FIRST_INTERVAL_S), _MOST_INTERVAL_S)
        self._due = now + self._interval_s
