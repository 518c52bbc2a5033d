# SPDX-License-Identifier: BSD-2-Clause
"""Energy of the domains of a rank table, and of the same work without low-power states."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from litemrc.energy.model import Energy, Operation, always_awake, energy
from litemrc.energy.parts.part import Part
from litemrc.ranks.activity import RankActivity
from litemrc.ranks.table import RankTable


@dataclass(frozen=True)
class DomainEnergy:
    """Energy of one domain, or of all.

    Attributes
    ----------
    activity
        commands and cycles in each state.
    energy
        of that activity.
    awake
        energy of the same work without low-power states.
    seconds
        duration.
    """

    activity: RankActivity
    energy: Energy
    awake: Energy
    seconds: float

    @property
    def mean_mw(self) -> float:
        """Mean power in mW; 0 if no time passed."""
        return self.energy.total / self.seconds if self.seconds else 0.0

    @property
    def saving(self) -> float:
        """Share of `awake` that was saved; below 0 if low-power states cost more than they saved."""
        return 1 - self.energy.total / self.awake.total if self.awake.total else 0.0


@dataclass(frozen=True)
class RankEnergy:
    """Energy of the domains of a rank table.

    Attributes
    ----------
    part
        the DRAM chips.
    use
        how they were operated.
    domains
        one entry each.
    total
        their sum.
    """

    part: Part
    use: Operation
    domains: Sequence[DomainEnergy]
    total: DomainEnergy

    @property
    def decimals(self) -> int:
        """Decimals of millijoules in tables, so that columns line up: four digits of the sum, or more."""
        largest = max(self.total.energy.total, self.total.awake.total)
        return max(0, 3 - floor(log10(largest))) if largest > 0 else 0


def rank_energy(
    table: RankTable, part: Part, *, fast_exit: bool = False, partial_as_whole: bool = False
) -> RankEnergy:
    """Return the energy of all epochs of a table.

    Parameters
    ----------
    fast_exit
        the DLL stays on in power-down (MR0 bit 12), which LiteDRAM does not ask for.
    partial_as_whole
        charge partial self-refresh as that of the whole array: an upper bound, where
        the data sheet has no current for it.

    Raises
    ------
    UserError
        as `energy`.
    """
    use = operation(table, fast_exit=fast_exit, partial_as_whole=partial_as_whole)

    def account(activity: RankActivity) -> DomainEnergy:
        awake = energy(part, always_awake(part, activity, use), use)
        return DomainEnergy(activity, energy(part, activity, use), awake, table.seconds)

    domains = [account(activity) for activity in table.activities()]
    first, *others = domains
    total = DomainEnergy(
        table.total_activity(),
        sum((each.energy for each in others), first.energy),
        sum((each.awake for each in others), first.awake),
        table.seconds,
    )
    return RankEnergy(part, use, domains, total)


def operation(table: RankTable, *, fast_exit: bool = False, partial_as_whole: bool = False) -> Operation:
    """Return how the memory of a table was operated; parameters as of `rank_energy`."""
    return Operation(
        clock_hz=table.clock_hz,
        dram_clock_hz=table.clock_hz * table.phases,
        chips=table.chips,
        fast_exit=fast_exit,
        kept=1.0 if partial_as_whole else table.kept,
        share=1 / table.domains if table.virtual else 1.0,
    )
