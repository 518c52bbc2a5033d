# SPDX-License-Identifier: BSD-2-Clause
"""What the panels show of a feed, as numbers: of the last epoch, and summed over a window of epochs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.device.contexts import Budget
from litemrc.epochs.columns import joined_rows
from litemrc.epochs.split import owning_contexts
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic import Traffic, traffic_sum
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.ranks.activity import COUNTERS, PowerState, RankActivity

WINDOWS = (1, 5, 20, 100)  # epochs that are summed
_HISTORY = 120  # epochs of histories and of the heat map
_RATE_EPOCHS = 21
_SLEEPING = (PowerState.POWER_DOWN, PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL)
_ASLEEP = [COUNTERS.index(state.name.lower()) for state in _SLEEPING]


@dataclass(frozen=True)
class Settings:
    """Settings of the device, as it answered last.

    Attributes
    ----------
    epoch_unit, epoch_length
        of an epoch; length 0: epochs do not end by themselves.
    freeze
        nothing is counted; frozen: nothing is counted since a single shot.
    budgets
        by context, of those that have one.
    idle
        nothing runs on the device: no program, and no operating system.
    """

    epoch_unit: str = ""
    epoch_length: int = 0
    freeze: bool = False
    frozen: bool = False
    budgets: Mapping[int, Budget] = field(default_factory=dict)
    idle: bool = False


@dataclass(frozen=True)
class ContextView:
    """A context: counters of the window, and its working sets.

    Attributes
    ----------
    context, name
        its number, and what runs in it.
    curve
        over the window; `accesses` and `misses` are those of the curve.
    working_set
        pages accessed in the last epoch.
    history
        pages accessed in each epoch, oldest first; 0: none.
    budget
        None: it has none.
    """

    context: int
    name: str
    curve: Curve
    working_set: int
    history: tuple[int, ...]
    budget: Budget | None


@dataclass(frozen=True)
class RankView:
    """A rank: its row of the last epoch, and its activity over the window."""

    last: np.void
    activity: RankActivity
    history: tuple[float, ...]  # share of the cycles asleep, of each epoch

    @property
    def asleep(self) -> float:
        """Share of the cycles in a low-power state, over the window."""
        return sum(map(self.activity.share, _SLEEPING))


class View:
    """The last epochs of a feed, as the panels show them; what no panel asks for is not computed.

    Parameters
    ----------
    recent
        the epochs.
    settings
        of the device.
    window
        epochs that are summed, at most.
    chosen
        contexts that are shown; None: all.
    tries
        that failed since the link was lost.
    """

    def __init__(
        self,
        recent: Recent,
        settings: Settings,
        *,
        window: int = 1,
        chosen: frozenset[int] | None = None,
        tries: int = 0,
    ) -> None:
        self.parameters: DeviceParameters | None = recent.parameters
        self.lost: FeedLost | None = recent.lost
        self.arrived, self.settings, self.window, self.tries = recent.arrived, settings, window, tries
        self.epochs: Sequence[FeedEpoch] = recent.last(max(_HISTORY, window))
        self._recent, self._chosen = recent, chosen

    @property
    def last(self) -> FeedEpoch | None:
        """The last epoch; None before the first one of the session."""
        return self.epochs[-1] if self.epochs else None

    @cached_property
    def summed(self) -> Sequence[FeedEpoch]:
        """The epochs of the window; those before a change of sampling are left out."""
        if not self.epochs:
            return []
        scale = self.epochs[-1].scale_log2
        newest_first = takewhile(lambda each: each.scale_log2 == scale, reversed(self.epochs[-self.window :]))
        return list(newest_first)[::-1]

    @cached_property
    def rate(self) -> float | None:
        """Epochs that arrive in a second; None: not known."""
        times = [epoch.arrived for epoch in self.epochs[-_RATE_EPOCHS:]]
        return (len(times) - 1) / (times[-1] - times[0]) if times and times[-1] > times[0] else None

    @cached_property
    def table(self) -> EpochTable | None:
        """The counters of the window; None before the first epoch."""
        return self._recent.table(self.summed) if self.summed else None

    @property
    def dropped(self) -> int:
        """Accesses lost in the window before they could be counted."""
        return sum(int(epoch.rows["dropped"][0]) for epoch in self.summed)

    @cached_property
    def traffic(self) -> Traffic | None:
        """The DRAM commands of the window; None: the device does not count them."""
        return traffic_sum([epoch.traffic for epoch in self.summed if epoch.traffic])

    @property
    def bandwidths(self) -> list[float]:
        """Bytes read and written in a second, of each epoch in which they are known."""
        counted = [epoch.traffic for epoch in self.epochs if epoch.traffic]
        return [found for each in counted if (found := each.bandwidth_of(each.accesses)) is not None]

    @cached_property
    def _working_sets(self) -> NDArray[np.int64]:
        """int64[epochs, contexts], pages accessed; -1: the context has no row. Writes are their owners'."""
        assert self.parameters
        sizes = np.full((len(self.epochs), self.parameters.contexts), -1)
        if self.epochs:
            rows = joined_rows([epoch.rows for epoch in self.epochs])
            place = np.repeat(np.arange(len(sizes)), [epoch.rows.size for epoch in self.epochs])
            owner = owning_contexts(rows["context"], rows["split"], self.parameters.contexts)
            sizes[place, owner] = 0
            np.add.at(sizes, (place, owner), (rows["touched"] << rows["scale_log2"]).astype(np.int64))
        return sizes

    @cached_property
    def known(self) -> list[int]:
        """Contexts with accesses in one of the last epochs, in order; also those that are not chosen."""
        return np.flatnonzero((self._working_sets >= 0).any(axis=0)).tolist() if self.epochs else []

    @cached_property
    def contexts(self) -> list[ContextView]:
        """The chosen contexts with accesses in one of the last epochs."""
        if self.table is None:
            return []
        histories = np.maximum(self._working_sets[-_HISTORY:], 0)
        names = {context: name for epoch in self.epochs for context, name in epoch.names.items()}
        return [
            ContextView(
                context,
                names.get(context) or self.table.name_of(context),
                self.table.curve(context),
                int(histories[-1, context]),
                tuple(histories[:, context].tolist()),
                self.settings.budgets.get(context),
            )
            for context in self.known
            if self._chosen is None or context in self._chosen
        ]

    @cached_property
    def ranks(self) -> list[RankView]:
        """The ranks, as of the last epoch."""
        whole = [epoch.ranks for epoch in self.epochs if epoch.ranks.size]
        if not whole:
            return []
        rows = np.stack(whole)  # [epochs, ranks]
        summed = rows["counters"][-self.window :].sum(axis=0, dtype=np.uint64)
        asleep = rows["counters"][..., _ASLEEP].sum(axis=2) / np.maximum(rows["clocks"], 1)
        return [
            RankView(
                row,
                RankActivity.of_counters(summed[row["domain"]].tolist()),
                tuple(asleep[:, row["domain"]].tolist()),
            )
            for row in whole[-1]
        ]
