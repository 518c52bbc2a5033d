# SPDX-License-Identifier: BSD-2-Clause
"""Power states of a rank, and the activity of a power domain, which energies are computed from.

Names and numbers of states and counters are equal to the hardware's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum

# MR2's partial-array field: the part of the array that keeps its data (JESD79-3, table of MR2).
KEPT = (1.0, 1 / 2, 1 / 4, 1 / 8, 3 / 4, 1 / 2, 1 / 4, 1 / 8)


class PowerState(IntEnum):
    """Power states of a domain, numbered as in the hardware."""

    ACTIVE_STANDBY = 0  # CKE high, a row is open
    PRECHARGE_STANDBY = 1  # CKE high, all rows are closed
    POWER_DOWN = 2
    SELF_REFRESH = 3
    SELF_REFRESH_PARTIAL = 4


class MeterWord(IntEnum):
    """Counters of a domain, in the order of the hardware's register window."""

    READS = 0
    WRITES = 1
    ACTIVATES = 2
    REFRESHES = 3
    ACTIVE_STANDBY = 4  # clocks in each PowerState
    PRECHARGE_STANDBY = 5
    POWER_DOWN = 6
    SELF_REFRESH = 7
    SELF_REFRESH_PARTIAL = 8
    ENTERED_POWER_DOWN = 9
    ENTERED_SELF_REFRESH = 10
    ENTERED_SELF_REFRESH_PARTIAL = 11
    WAKE_UPS = 12  # begun by an access
    WAKING = 13  # clocks
    IDLE = 14  # clocks behind the last access, at the snapshot; goes on over snapshots
    TOP_PAGES = 15  # pages of the working set, at the snapshot


# Names in tables, and of the components of energy.
LABELS = dict(
    zip(
        PowerState,
        ("active standby", "precharge standby", "power-down", "self-refresh", "self-refresh, partial"),
        strict=True,
    )
)
COUNTERS = tuple(word.name.lower() for word in MeterWord)  # of a domain, in the order of the meter's window


@dataclass(frozen=True)
class RankActivity:
    """Activity of a power domain over some time: the counters of the meter that can be added.

    Attributes
    ----------
    reads, writes, activates, refreshes
        commands.
    active_standby ... self_refresh_partial: cycles in each `PowerState`; their sum is the time.
    entered_power_down ... entered_self_refresh_partial: entries into each low-power state.
    wake_ups
        wake-ups caused by an access.
    waking
        cycles of waking, which are also counted as precharge standby.
    """

    reads: float = 0
    writes: float = 0
    activates: float = 0
    refreshes: float = 0
    active_standby: float = 0
    precharge_standby: float = 0
    power_down: float = 0
    self_refresh: float = 0
    self_refresh_partial: float = 0
    entered_power_down: float = 0
    entered_self_refresh: float = 0
    entered_self_refresh_partial: float = 0
    wake_ups: float = 0
    waking: float = 0

    def __add__(self, other: "RankActivity") -> "RankActivity":
        return RankActivity(*(getattr(self, name) + getattr(other, name) for name in ADDING))

    @property
    def clocks(self) -> float:
        """Cycles in all states."""
        return sum(self.residency(state) for state in PowerState)

    @property
    def accesses(self) -> float:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def entries(self) -> float:
        """Entries into low-power states."""
        return self.entered_power_down + self.entered_self_refresh + self.entered_self_refresh_partial

    def residency(self, state: PowerState) -> float:
        """Cycles in a state."""
        return getattr(self, state.name.lower())

    def share(self, state: PowerState) -> float:
        """Share of the time in a state; 0 if no time passed."""
        return self.residency(state) / self.clocks if self.clocks else 0.0

    @classmethod
    def of_counters(cls, counters: Sequence[int]) -> "RankActivity":
        """Return the activity of one domain from its counters, in the order of `COUNTERS`."""
        return cls(*(counters[COUNTERS.index(name)] for name in ADDING))

    @classmethod
    def sum(cls, activities: Iterable["RankActivity"]) -> "RankActivity":
        """Return the sum of the activities, of none as well."""
        total = cls()
        for activity in activities:
            total += activity
        return total

    @classmethod
    def of_slices(cls, slices: Sequence["RankActivity"]) -> "RankActivity":
        """Return the activity of a rank from its slices; each also counts the events of the whole rank."""
        own = cls.sum(slices)
        return replace(slices[0], **{name: getattr(own, name) for name in OF_A_SLICE})


OF_A_SLICE = ("reads", "writes", "activates", "wake_ups")  # counted for each slice, not for the whole rank
ADDING = tuple(field.name for field in fields(RankActivity))  # counters that add up over time
