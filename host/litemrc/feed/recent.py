"""The last epochs of a feed, for those who show them."""

import threading
from collections import deque
from collections.abc import Sequence

from litemrc.epochs.table import EpochTable
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost

EPOCHS = 1200  # a minute at 20 epochs in a second


class Recent:
    """A listener that keeps the epochs of the current session; any thread may ask it.

    Parameters:
        most: epochs kept.

    Attributes:
        parameters: of the session whose epochs it has; None before the first.
        lost: why there is no session now; None while one runs.
        arrived: epochs of all sessions so far.
    """

    def __init__(self, most: int = EPOCHS) -> None:
        self.parameters: DeviceParameters | None = None
        self.lost: FeedLost | None = None
        self.arrived = 0
        self._epochs: deque[FeedEpoch] = deque(maxlen=most)
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        with self._lock:
            if isinstance(event, DeviceParameters):
                self.parameters, self.lost = event, None
                self._epochs.clear()
            elif isinstance(event, FeedLost):
                self.lost = event
            elif isinstance(event, FeedEpoch):
                self.arrived += 1
                self._epochs.append(event)

    def last(self, count: int | None = None) -> list[FeedEpoch]:
        """Return the last `count` epochs, oldest first; None: all that are kept."""
        with self._lock:
            epochs = list(self._epochs)
        return epochs if count is None else epochs[max(len(epochs) - count, 0) :]

    def table(self, epochs: Sequence[FeedEpoch]) -> EpochTable | None:
        """Return epochs of the current session as a table, reads and writes together; None before the first.

        Names of contexts are those of the last epoch that has them.
        """
        if self.parameters is None:
            return None
        rows = [row for epoch in epochs if epoch.session == self.parameters.session for row in epoch.rows]
        names = {context: name for epoch in epochs for context, name in epoch.names.items()}
        return self.parameters.table(rows, names).together()
