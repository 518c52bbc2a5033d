"""The devices that one server serves: their feeds, last epochs, labels and histories."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.history.history import Retention
from litemrc.feed.recent import Recent
from litemrc.serve.announcer import Announcer
from litemrc.serve.kept import KeptEpochs


@dataclass
class Served:
    """A device: its feed, and what is known of it.

    Attributes:
        labels: given by the user, such as rack: 3.
        recent: the last epochs, a listener of the feed.
        kept: its history; None: none is kept.
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

    Parameters:
        ports, labels: of each device, by its name.
        identifiers: what the gateware of a device must call itself, by its name.
        history, retention: as in `History`; None: none is kept.
        say: called with what the operator of the server should know.

    Raises:
        UserError: as `History`.
    """
    devices = []
    for name, url in ports.items():
        kept = KeptEpochs(history, name, retention, say) if history else None
        feed = Feed(url, replace(options, identifier=(identifiers or {}).get(name)), name=name)
        feed.listen(Announcer(name, say))
        devices.append(Served(name, feed, labels.get(name, {}), kept=kept))
    return Fleet(devices)
