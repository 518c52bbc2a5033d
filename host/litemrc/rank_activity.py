"""What a rank meter counts of a power domain: names, states, and the sums that energies are made of."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import IntEnum


class PowerState(IntEnum):
    """The state a power domain's clocks are counted under; the numbers are those of the registers."""

    ACTIVE_STANDBY = 0  # CKE high, a row is open
    PRECHARGE_STANDBY = 1  # CKE high, all rows are closed; entering a low state and waking, too
    POWER_DOWN = 2  # precharge power-down
    SELF_REFRESH = 3
    SELF_REFRESH_PARTIAL = 4  # a part of the array keeps its data, the rest loses them

    @property
    def label(self) -> str:
        """For people, and of the energy that is spent in it."""
        return _LABELS[self]


_LABELS = ("active standby", "precharge standby", "power-down", "self-refresh", "self-refresh, partial")
# The counters of a domain, in the order of the meter's window.
COUNTERS = (
    *("reads", "writes", "activates", "refreshes"),
    *(state.name.lower() for state in PowerState),
    *("entered_power_down", "entered_self_refresh", "entered_self_refresh_partial"),
    *("wake_ups", "waking", "idle", "top_pages"),
)
# MR2's partial-array field: the part of the array that keeps its data (JESD79-3, table of MR2).
KEPT = (1.0, 1 / 2, 1 / 4, 1 / 8, 3 / 4, 1 / 2, 1 / 4, 1 / 8)


@dataclass(frozen=True, slots=True)
class RankActivity:
    """What happened in a power domain over some time; whatever adds up of the meter's counters.

    Attributes:
        reads, writes, activates, refreshes: commands.
        active_standby ... self_refresh_partial: clocks in each `PowerState`; their sum is the time.
        entered_power_down ... entered_self_refresh_partial: how often a low state was entered.
        wake_ups: how often an access had to wake the domain.
        waking: clocks of waking, which count as precharge standby, too.
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
        """Clocks in all states together."""
        return sum(self.residency(state) for state in PowerState)

    @property
    def accesses(self) -> float:
        """Reads and writes together."""
        return self.reads + self.writes

    def residency(self, state: PowerState) -> float:
        """Clocks in a state."""
        return getattr(self, state.name.lower())

    @classmethod
    def sum(cls, activities: Iterable["RankActivity"]) -> "RankActivity":
        """All of them together, of nothing at all too."""
        total = cls()
        for activity in activities:
            total += activity
        return total


ADDING = tuple(field.name for field in fields(RankActivity))  # counters that add up over time
