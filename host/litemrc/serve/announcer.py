"""Says when a session with a device begins, and the first reason why none does."""

from collections.abc import Callable

from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedLost


class Announcer:
    """A listener; further tries to open a lost link fail in silence until one succeeds.

    Parameters:
        say: called with a line.
    """

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self._name, self._say = name, say
        self._failed = False
        self._sessions = 0

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if isinstance(event, FeedLost) and not self._failed:
            self._failed = True
            self._say(f"{self._name}: {event.reason}; the server tries again")
        elif isinstance(event, DeviceParameters):
            self._sessions += 1
            if self._failed:
                again = " again" if self._sessions > 1 else ""
                self._say(f"{self._name}: the device is there{again}")
            self._failed = False
