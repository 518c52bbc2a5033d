"""A device's rank counters, and the energy made of them, against the record of what reached its DRAM."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from litemrc.golden.ranks.meter import RankSnapshot
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import COLUMNS, RankTable

RECORDED = COUNTERS[: COUNTERS.index("wake_ups")]  # the rest does not show in a record of commands


@dataclass(frozen=True)
class RankComparison:
    """Counters compared one by one.

    Attributes:
        counters: compared.
        differences: of these, how many differ.
        first_difference: the first one, for people; empty without one.
        recorded: the table with the record's counters in the place of the device's: what energy is compared
            with.
    """

    counters: int
    differences: int
    first_difference: str
    recorded: RankTable

    @property
    def equal(self) -> bool:
        """Something was compared, and nothing differs."""
        return self.counters > 0 and not self.differences


def compare_with_record(table: RankTable, snapshots: Sequence[RankSnapshot]) -> RankComparison:
    """Compare the epochs of a table with the record's snapshots; epoch n is the n-th, from 0.

    Raises:
        ValueError: the record has fewer snapshots than the table has epochs.
    """
    last = int(table.epochs[-1]) if table.epochs.size else -1
    if last >= len(snapshots):
        raise ValueError(f"the record has {len(snapshots)} snapshots, but the device sent epoch {last}")
    columns = {name: getattr(table, name).copy() for name in COLUMNS}
    compared, differences, first = 0, 0, ""
    for row, (epoch, domain) in enumerate(zip(table.epoch.tolist(), table.domain.tolist(), strict=True)):
        snapshot = snapshots[epoch]
        expected = {"clocks": snapshot.clocks}
        expected |= {
            name: snapshot.counters[domain][place] for place, name in enumerate(COUNTERS) if name in RECORDED
        }
        for name, value in expected.items():
            found = int(columns[name][row])
            compared += 1
            if found != value:
                differences += 1
                where = f"epoch {epoch}, domain {domain}, {name}"
                first = first or f"{where}: {found:,} instead of {value:,}"
            columns[name][row] = value
    return RankComparison(compared, differences, first, replace(table, **columns))
