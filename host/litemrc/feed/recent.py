# SPDX-License-Identifier: BSD-2-Clause
"""The last epochs of a feed, for those who show them."""

import threading
import time
from collections import deque
from collections.abc import Sequence

from litemrc.epochs.table import EpochTable
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost, table_of

_RATED = 20  # epochs whose rate is that of the device
_STOPPED, _STOPPED_S = 3, 2.0  # usual times, and seconds at least, without an epoch: they have stopped
EPOCHS = 1200  # a minute at 20 epochs in a second
_FEWEST = 100  # the longest window of a curve
_BITMAP_BYTES = 320 << 20  # of all epochs with two bits for each frame; 2^20 frames: 1,280 epochs


class Recent:
    """A listener that keeps the epochs of the current session; any thread may ask it.

    Parameters
    ----------
    most
        epochs kept; fewer of a device with many frames, so that their bits fit into memory.

    Attributes
    ----------
    parameters
        of the session whose epochs it has; None before the first.
    lost
        why there is no session now; None while one runs.
    arrived
        epochs of all sessions so far.
    """

    def __init__(self, most: int = EPOCHS) -> None:
        self.parameters: DeviceParameters | None = None
        self.lost: FeedLost | None = None
        self.arrived = 0
        self._most = most
        self._epochs: deque[FeedEpoch] = deque(maxlen=most)
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        with self._lock:
            if isinstance(event, DeviceParameters):
                self.parameters, self.lost = event, None
                fitting = _BITMAP_BYTES // (event.frames // 4 + 1) if event.accessed else self._most
                self._epochs = deque(maxlen=min(max(fitting, _FEWEST), self._most))
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

    @property
    def rate(self) -> float | None:
        """Epochs in a second, over the last of the session; None: fewer than two, or they have stopped."""
        arrived = [epoch.arrived for epoch in self.last(_RATED)]
        if len(arrived) < 2 or arrived[-1] <= arrived[0]:
            return None
        interval = (arrived[-1] - arrived[0]) / (len(arrived) - 1)
        return None if time.time() - arrived[-1] > max(_STOPPED * interval, _STOPPED_S) else 1 / interval

    def table(self, epochs: Sequence[FeedEpoch]) -> EpochTable | None:
        """Return epochs of the current session as `table_of`; None before the first."""
        if self.parameters is None:
            return None
        return table_of(self.parameters, [each for each in epochs if each.session == self.parameters.session])
