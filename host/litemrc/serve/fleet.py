# SPDX-License-Identifier: BSD-2-Clause
"""The devices that one server serves: feeds, last epochs, labels, histories, and notes of their sessions."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from litemrc.feed.backoff import SOUND_S
from litemrc.feed.feed import Event, Feed, FeedOptions
from litemrc.feed.history.history import Retention
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedLost
from litemrc.serve.kept import KeptEpochs

_FIRST_INTERVAL_S, _MOST_INTERVAL_S = 60.0, 3600.0


class Announcer:
    """A listener; further tries to open a lost link fail in silence until one succeeds.

    A session that is lost soon after the last one was is reported after an interval that doubles each time.

    Parameters
    ----------
    say
        called with a line.
    clock
        of seconds.
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


@dataclass
class Served:
    """A device: its feed, and what is known of it.

    Attributes
    ----------
    labels
        given by the user, such as rack: 3.
    recent
        the last epochs, a listener of the feed.
    kept
        its history; None: none is kept.
    """

    name: str
    feed: Feed
    labels: Mapping[str, str] = field(default_factory=dict)
    recent: Recent = field(default_factory=Recent)
    kept: KeptEpochs | None = None

    def __post_init__(self) -> None:
        self.feed.listen(self.recent)
        if self.kept:
            self.feed.listen(self.kept)

    def close(self) -> None:
        """End the session, then the history, which so has its last epoch."""
        self.feed.close()
        if self.kept:
            self.kept.close()

    @property
    def connected(self) -> bool:
        """A session runs."""
        return self.recent.parameters is not None and self.failure is None

    @property
    def failure(self) -> str | None:
        """Why no session runs; None while one does, or before the first try has ended."""
        try:
            self.feed.check()
        except Exception as error:
            return f"the server failed: {error!r} (report this as a bug, and start it again)"
        return self.recent.lost.reason if self.recent.lost else None


class Fleet(Mapping[str, Served]):
    """Devices by name, in the order in which they were given."""

    def __init__(self, devices: list[Served]) -> None:
        self._devices = {device.name: device for device in devices}

    def __getitem__(self, name: str) -> Served:
        return self._devices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._devices)

    def __len__(self) -> int:
        return len(self._devices)

    def start(self) -> None:
        """Start all feeds."""
        for device in self.values():
            device.feed.start()

    def close(self, within_s: float) -> None:
        """End all sessions; a feed that waits for a silent device longer than that ends with the process."""
        deadline = time.monotonic() + within_s
        closing = {
            device.name: threading.Thread(target=device.close, name=f"close {device.name}", daemon=True)
            for device in self.values()
        }
        for thread in closing.values():
            thread.start()
        for thread in closing.values():
            thread.join(max(deadline - time.monotonic(), 0))


def open_fleet(
    ports: Mapping[str, str],
    labels: Mapping[str, Mapping[str, str]],
    options: FeedOptions,
    *,
    identifiers: Mapping[str, str] | None = None,
    history: Path | None = None,
    retention: Retention | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Fleet:
    """Return devices with their listeners; no feed has started.

    Parameters
    ----------
    ports, labels
        of each device, by its name.
    identifiers
        what the gateware of a device must call itself, by its name.
    history, retention
        as in `History`; None: none is kept.
    say
        called with what the operator of the server should know.

    Raises
    ------
    UserError
        as `History`.
    """
    devices = []
    for name, url in ports.items():
        kept = KeptEpochs(history, name, retention, say) if history else None
        feed = Feed(url, replace(options, identifier=(identifiers or {}).get(name)), name=name)
        feed.listen(Announcer(name, say))
        devices.append(Served(name, feed, labels.get(name, {}), kept=kept))
    return Fleet(devices)
