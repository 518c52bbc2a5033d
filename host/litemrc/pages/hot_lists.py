# SPDX-License-Identifier: BSD-2-Clause
"""The hot pages of each epoch of a device, in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any


@dataclass(frozen=True)
class HotList:
    """The pages with the most accesses in an epoch.

    Attributes
    ----------
    epoch
        number of the epoch.
    accesses
        counted in the epoch.
    more
        more pages were hot than are listed.
    saturated
        a count reached the hardware's limit.
    frames
        page frames of the monitored memory, the largest count first.
    counts
        of each frame; lower bounds: accesses since the hardware admitted the page.

    Raises
    ------
    ValueError
        not a count for each frame, counts that ascend, a frame that is there twice, or more
        accesses than were counted.
    """

    epoch: int
    accesses: int
    more: bool
    saturated: bool
    frames: tuple[int, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.frames) != len(self.counts):
            raise ValueError(
                f"epoch {self.epoch}: {len(self.frames)} hot pages have {len(self.counts)} counts"
            )
        if list(self.counts) != sorted(self.counts, reverse=True):
            raise ValueError(f"epoch {self.epoch}: counts of hot pages ascend")
        if len(set(self.frames)) < len(self.frames):
            raise ValueError(f"epoch {self.epoch}: a hot page is listed twice")
        if sum(self.counts) > self.accesses:
            raise ValueError(
                f"epoch {self.epoch}: hot pages have {sum(self.counts)} of {self.accesses} accesses"
            )

    @property
    def share(self) -> float:
        """Accesses to the listed pages, of those counted."""
        return sum(self.counts) / self.accesses if self.accesses else 0.0


@dataclass(frozen=True, kw_only=True)
class HotLists:
    """The hot pages of a run of epochs.

    Attributes
    ----------
    page_bytes, base_address
        bytes of a page, and byte address of frame 0.
    settings
        what was counted and which pages are hot, by the names of `set_hot` in the link's schema.
    rows
        a list for each epoch, ascending; epochs of which a message was lost are missing.
    source
        what was observed: URL of a device.
    interrupted
        the run was stopped before its end.

    Raises
    ------
    ValueError
        epochs do not ascend.
    """

    page_bytes: int
    base_address: int
    settings: Mapping[str, Any]
    rows: tuple[HotList, ...]
    source: str = ""
    interrupted: bool = False

    def __post_init__(self) -> None:
        epochs = [row.epoch for row in self.rows]
        if any(one >= other for one, other in pairwise(epochs)):
            raise ValueError("epochs do not ascend")
