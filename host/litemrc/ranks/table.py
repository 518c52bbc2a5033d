# SPDX-License-Identifier: BSD-2-Clause
"""The rank table: counters of the rank meter, one row for each epoch and power domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.epochs.columns import exact_column, repeated_rows, rows_between
from litemrc.errors import UserError
from litemrc.ranks.activity import ADDING, COUNTERS, KEPT, PowerState, RankActivity

COLUMNS: dict[str, np.dtype] = {
    "epoch": np.dtype("u4"),
    "domain": np.dtype("u1"),
    "clocks": np.dtype("u4"),
    **dict.fromkeys(COUNTERS, np.dtype("u4")),
    "state": np.dtype("u1"),
    "working": np.dtype("bool"),
    "live_pages": np.dtype("u4"),
    "overflow": np.dtype("bool"),
}
AWAKE = 0  # in the column `state`, beside the low ones of `PowerState`


# The rows of an epoch: a structured array with the columns as its fields, and all counters in one.
_PLAIN = tuple(name for name in COLUMNS if name not in COUNTERS)
ROW = np.dtype([*((name, COLUMNS[name]) for name in _PLAIN), ("counters", "u4", (len(COUNTERS),))])
RankRows = NDArray[np.void]
NO_RANKS: RankRows = np.zeros(0, ROW)


def columns_of(rows: RankRows) -> dict[str, Any]:
    """Return the columns that rows have."""
    counters = {name: rows["counters"][:, place] for place, name in enumerate(COUNTERS)}
    return {name: counters[name] if name in counters else rows[name] for name in COLUMNS}


@dataclass(frozen=True, kw_only=True, eq=False)
class RankTable:
    """Counters of a run of epochs, and what they are of.

    Attributes
    ----------
    clock_hz
        frequency of the cycles counted.
    phases
        DRAM cycles in one of these cycles.
    domains
        power domains; virtual: they are equal address slices of one rank, and each counts the
        cycles, refreshes and entries of the rank.
    chips
        side by side in a rank; part: their name, empty if unknown.
    partial
        what partial self-refresh keeps, as in MR2: 0 all, 1 half, 2 a quarter, 3 an eighth ...
    epoch
        uint32[n], number of the epoch.
    domain
        uint8[n]; a pair (epoch, domain) occurs once, and an epoch has rows of all domains or none.
    clocks
        uint32[n], cycles of the epoch; the same in all rows of an epoch.
    reads ... top_pages: uint32[n] each, the counters named in `COUNTERS`.
    state
        uint8[n], at the end: 0 awake, else a low `PowerState`.
    working
        bool[n], a page of the working set lay in the domain at the end.
    live_pages
        uint32[n], pages in use at the end.
    overflow
        bool[n], a counter saturated: residencies do not add up to `clocks` in this row.
    interrupted
        the collection was stopped before its end.

    Raises
    ------
    ValueError
        a column of wrong shape or range, or counters that contradict each other.
    """

    clock_hz: int
    phases: int
    domains: int
    virtual: bool
    chips: int
    part: str
    partial: int
    epoch: NDArray[np.uint32]
    domain: NDArray[np.uint8]
    clocks: NDArray[np.uint32]
    reads: NDArray[np.uint32]
    writes: NDArray[np.uint32]
    activates: NDArray[np.uint32]
    refreshes: NDArray[np.uint32]
    active_standby: NDArray[np.uint32]
    precharge_standby: NDArray[np.uint32]
    power_down: NDArray[np.uint32]
    self_refresh: NDArray[np.uint32]
    self_refresh_partial: NDArray[np.uint32]
    entered_power_down: NDArray[np.uint32]
    entered_self_refresh: NDArray[np.uint32]
    entered_self_refresh_partial: NDArray[np.uint32]
    wake_ups: NDArray[np.uint32]
    waking: NDArray[np.uint32]
    idle: NDArray[np.uint32]
    top_pages: NDArray[np.uint32]
    state: NDArray[np.uint8]
    working: NDArray[np.bool_]
    live_pages: NDArray[np.uint32]
    overflow: NDArray[np.bool_]
    interrupted: bool = False

    def __post_init__(self) -> None:
        if min(self.clock_hz, self.phases, self.domains, self.chips) < 1:
            raise ValueError("clock_hz, phases, domains and chips must be positive")
        if self.partial not in range(len(KEPT)):
            raise ValueError(f"partial is {self.partial}, no value of MR2")
        for name, dtype in COLUMNS.items():
            object.__setattr__(self, name, exact_column(name, getattr(self, name), dtype))
            if getattr(self, name).shape != (self.epoch.size,):
                raise ValueError(f"column {name} has not the {self.epoch.size} rows of the others")
        self._check_rows()

    def _check_rows(self) -> None:
        def refuse(bad: NDArray[np.bool_], why: str) -> None:
            if bad.any():
                row = int(np.argmax(bad))
                raise ValueError(f"row {row} (epoch {self.epoch[row]}, domain {self.domain[row]}): {why}")

        refuse(self.domain >= self.domains, f"there are only {self.domains} domains")
        refuse(~np.isin(self.state, (AWAKE, 2, 3, 4)), "no such state")
        resident = sum(getattr(self, state.name.lower()).astype(np.uint64) for state in PowerState)
        refuse((resident != self.clocks) & ~self.overflow, "residencies differ from the clocks that passed")
        refuse(repeated_rows(self.epoch, self.domain), "an earlier row has the same epoch and domain")
        _, first, epoch, rows = np.unique(
            self.epoch, return_index=True, return_inverse=True, return_counts=True
        )
        refuse(rows[epoch] != self.domains, f"the epoch has not the rows of all {self.domains} domains")
        refuse(self.clocks != self.clocks[first][epoch], "clocks differ from other rows of this epoch")

    @classmethod
    def from_rows(cls, parts: Sequence[RankRows], **parameters: Any) -> "RankTable":
        """Build a table from the rows of epochs, or of none; `parameters` are the other attributes."""
        return cls(**columns_of(np.concatenate([NO_RANKS, *parts])), **parameters)

    @property
    def epochs(self) -> NDArray[np.uint32]:
        """Numbers of the epochs, in order, each once; where one is missing, it was lost."""
        return np.unique(self.epoch)

    @property
    def seconds(self) -> float:
        """How long all epochs together were."""
        return float(self.clocks[self.domain == 0].sum(dtype=np.uint64)) / self.clock_hz

    @property
    def kept(self) -> float:
        """Part of the array that partial self-refresh keeps."""
        return KEPT[self.partial]

    def of_domain(self, domain: int, name: str) -> NDArray:
        """A column of one domain, in the order of the epochs."""
        rows = np.flatnonzero(self.domain == domain)
        return getattr(self, name)[rows[np.argsort(self.epoch[rows])]]

    def activity(self, domain: int) -> RankActivity:
        """What happened in a domain over all epochs."""
        rows = self.domain == domain
        return RankActivity(*(int(getattr(self, name)[rows].sum(dtype=np.uint64)) for name in ADDING))

    def activities(self) -> list[RankActivity]:
        """What happened in each domain over all epochs."""
        return [self.activity(domain) for domain in range(self.domains)]

    def total_activity(self) -> RankActivity:
        """What happened in all domains together; slices of a rank share its clocks, refreshes and entries."""
        activities = self.activities()
        return RankActivity.of_slices(activities) if self.virtual else RankActivity.sum(activities)

    def between(self, start: int | None, stop: int | None) -> "RankTable":
        """The rows of epochs `start` up to, not including, `stop`; None: no limit on that side.

        Raises
        ------
        UserError
            there are epochs, but none of these.
        """
        kept = rows_between(self.epoch, start, stop)
        if self.epoch.size and not kept.any():
            raise UserError(
                "no epoch in the range given",
                remedy=f"there are epochs {self.epoch.min()} to {self.epoch.max()}",
            )
        return replace(self, **{name: getattr(self, name)[kept] for name in COLUMNS})
