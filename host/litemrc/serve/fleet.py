"""The devices that one server serves: their feeds, last epochs, labels and histories."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from litemrc.errors import UserError
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.history.history import Retention
from litemrc.feed.recent import Recent
from litemrc.serve.kept import KeptEpochs

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
ONLY_NAME = "device"  # of a bare URL
_NAMED = re.compile(rf"({NAME.pattern})=(.+)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


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
        return self.recent.parameters is not None and self.recent.lost is None

    @property
    def failure(self) -> str | None:
        """Why no session runs; None while one does, or before the first try has ended."""
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


def parse_ports(texts: list[str]) -> dict[str, str]:
    """Return URLs by name of `NAME=URL` texts; a single bare URL has the name "device".

    Raises:
        UserError: a name is missing, given twice, or has other characters than letters, digits and `_.-`.
    """
    ports: dict[str, str] = {}
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, url = named.groups() if named else (ONLY_NAME, text)
        if not named and len(texts) > 1:
            what = "of several devices each needs a name of letters, digits and _.-"
            raise UserError(what, where=f"--port {text}", remedy=f"write --port NAME={text}")
        if name in ports:
            raise UserError(f"two devices are called {name}", where=f"--port {text}", remedy="rename one")
        ports[name] = url
    return ports


def parse_labels(texts: list[str], names: list[str]) -> dict[str, dict[str, str]]:
    """Return the labels of each device of `NAME:KEY=VALUE` texts.

    Raises:
        UserError: it is not written like that, or no device has that name.
    """
    labels: dict[str, dict[str, str]] = {name: {} for name in names}
    for text in texts:
        name, colon, pair = text.partition(":")
        key, equals, value = pair.partition("=")
        if not (colon and equals and value and _LABEL.fullmatch(key)) or len(value) > 200:
            remedy = "write NAME:KEY=VALUE; a key has letters, digits and _"
            raise UserError("not a label of a device", where=f"--label {text}", remedy=remedy)
        if key == "name":
            what = "the label `name` has a meaning already: contexts of that name are merged by it"
            raise UserError(what, where=f"--label {text}", remedy="call it otherwise")
        if name not in labels:
            what = f"no device is called {name}"
            raise UserError(what, where=f"--label {text}", remedy=f"there are: {', '.join(names)}")
        labels[name][key] = value
    return labels


def open_fleet(
    ports: Mapping[str, str],
    labels: Mapping[str, Mapping[str, str]],
    options: FeedOptions,
    *,
    history: Path | None = None,
    retention: Retention | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Fleet:
    """Return devices with their listeners; no feed has started.

    Parameters:
        ports, labels: of each device, by its name.
        history, retention, say: as in `History`; None: none is kept.

    Raises:
        UserError: as `History`.
    """
    devices = []
    for name, url in ports.items():
        kept = KeptEpochs(history, name, retention, say) if history else None
        devices.append(Served(name, Feed(url, options, name=name), labels.get(name, {}), kept=kept))
    return Fleet(devices)
