# SPDX-License-Identifier: BSD-2-Clause
"""The last epochs of a device as text for live readers: each epoch and window is encoded once for all."""

import json
from collections import deque
from typing import Any

from litemrc.feed.records import DeviceParameters, FeedEpoch, table_of
from litemrc.serve.epoch_json import Record, context_records, epoch_record

WINDOWS = (1, 5, 20, 100)


def encoded(record: Any) -> bytes:
    """Return JSON without white space."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode()


class EpochWriter:
    """The last epochs of a session of one device; the newest can be had as JSON with the curve of a window.

    Parameters
    ----------
    device
        its name.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self._parameters: DeviceParameters | None = None
        self._epochs: deque[FeedEpoch] = deque(maxlen=max(WINDOWS))
        self._record: Record = {}
        self._texts: dict[int, bytes] = {}

    def begin(self, parameters: DeviceParameters) -> None:
        """A session begins."""
        self._parameters = parameters
        self._epochs.clear()

    def add(self, epoch: FeedEpoch) -> None:
        """The next epoch is the newest from now on."""
        self._epochs.append(epoch)
        self._record, self._texts = {}, {}

    @property
    def empty(self) -> bool:
        """No epoch of the session has arrived."""
        return not self._epochs

    def newest(self, window: int) -> bytes:
        """Return the newest epoch; its curves are those of the last `window` epochs of equal sampling."""
        text = self._texts.get(window)
        if text is None:
            assert self._parameters
            epoch = self._epochs[-1]
            if not self._record:
                self._record = epoch_record(self.device, self._parameters, epoch)
            epochs = of_equal_scale(list(self._epochs)[-window:])
            whole = table_of(self._parameters, epochs) if window > 1 else None
            contexts = context_records(self._parameters, epoch, whole)
            counted = {"curve_epochs": len(epochs), "curve_first": epochs[0].arrived}
            text = self._texts[window] = encoded(self._record | counted | {"contexts": contexts})
        return text


def of_equal_scale(epochs: list[FeedEpoch]) -> list[FeedEpoch]:
    """Return the last epochs behind the last change of sampling: others have no curve in common with them."""
    scale = epochs[-1].scale_log2 if epochs else 0
    kept = len(epochs)
    while kept and epochs[kept - 1].scale_log2 == scale:
        kept -= 1
    return epochs[kept:]
