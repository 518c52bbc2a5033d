"""What a rank meter counts of a power domain: names, and the sums that energies are made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from litemrc.ranks.states import MeterWord, PowerState

# For people, and of the energy that is spent in a state.
LABELS = dict(
    zip(
        PowerState,
        ("active standby", "precharge standby", "power-down", "self-refresh", "self-refresh, partial"),
        strict=True,
    )
)
COUNTERS = tuple(word.name.lower() for word in MeterWord)  # of a domain, in the order of the meter's window
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

    @property
    def entries(self) -> float:
        """Entries into low states."""
        return self.entered_power_down + self.entered_self_refresh + self.entered_self_refresh_partial

    def residency(self, state: PowerState) -> float:
        """Clocks in a state."""
        return getattr(self, state.name.lower())

    def share(self, state: PowerState) -> float:
        """Part of the time in a state; 0 of no time at all."""
        return self.residency(state) / self.clocks if self.clocks else 0.0

    @classmethod
    def of_counters(cls, counters: Sequence[int]) -> "RankActivity":
        """Of the counters of one domain, in the order of `COUNTERS`."""
        return cls(*(counters[COUNTERS.index(name)] for name in ADDING))

    @classmethod
    def sum(cls, activities: Iterable["RankActivity"]) -> "RankActivity":
        """All of them together, of nothing at all too."""
        total = cls()
        for activity in activities:
            total += activity
        return total

    @classmethod
    def of_slices(cls, slices: Sequence["RankActivity"]) -> "RankActivity":
        """A rank's, of its slices', which each count what the rank does as a whole."""
        own = cls.sum(slices)
        return replace(slices[0], **{name: getattr(own, name) for name in OF_A_SLICE})


OF_A_SLICE = ("reads", "writes", "activates", "wake_ups")  # what slices of a rank do not share
ADDING = tuple(field.name for field in fields(RankActivity))  # counters that add up over time
