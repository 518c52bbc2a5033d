"""Energy of a rank table: sums, means, and how its memory was operated."""

from dataclasses import replace

import pytest
from litemrc.energy.model import Energy
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import DomainEnergy, RankEnergy, operation, rank_energy
from litemrc.errors import UserError
from litemrc.ranks.activity import RankActivity
from litemrc.ranks.table import RankTable

from tests.host.rank_rows import PARAMETERS, rank_row

PART = find_part("MT41K64M16-187E:J")  # 1.35 V; IDD2N 23, IDD6 8 mA at 533.333 MHz


def domain(mj: float, awake_mj: float, seconds: float = 2.0) -> DomainEnergy:
    return DomainEnergy(RankActivity(), Energy({"x": mj}), Energy({"x": awake_mj}), seconds)


def test_mean_power_and_saving_are_0_where_nothing_passed():
    assert (domain(6, 8).mean_mw, domain(6, 8).saving) == (3, 0.25)
    assert (domain(0, 0, seconds=0.0).mean_mw, domain(0, 0).saving) == (0, 0)


@pytest.mark.parametrize(
    ("mj", "awake_mj", "decimals"),
    [(0, 0, 0), (123.4, 5, 1), (5, 1234, 0), (12345, 1, 0), (1, 0.5, 3), (0.099, 0, 5)],
)
def test_decimals_show_four_digits_of_the_larger_sum(mj, awake_mj, decimals):
    assert RankEnergy(PART, None, [], domain(mj, awake_mj)).decimals == decimals


def test_all_domains_together_are_their_sum():
    rows = [rank_row(0, 0, active_standby=500), rank_row(0, 1, self_refresh=800)]
    found = rank_energy(RankTable.from_rows(rows, **PARAMETERS), PART)
    for name in ("energy", "awake"):
        parts = [getattr(each, name).total for each in found.domains]
        assert min(parts) > 0
        assert getattr(found.total, name).total == pytest.approx(sum(parts))
    assert [each.seconds for each in (found.total, *found.domains)] == [1e-3] * 3


def test_a_table_says_how_its_memory_was_operated():
    """MR2's 2 keeps a quarter; 1 MHz times 4 phases; of two virtual domains each has half a rank."""
    table = RankTable.from_rows([rank_row(0, 0), rank_row(0, 1)], **PARAMETERS | {"partial": 2, "chips": 3})
    use = operation(table)
    assert (use.clock_hz, use.dram_clock_hz, use.chips, use.burst_length) == (1e6, 4e6, 3, 8)
    assert (use.fast_exit, use.kept, use.share, use.supply) == (False, 0.25, 1.0, 1.0)
    assert operation(table, partial_as_whole=True).kept == 1
    assert operation(table, fast_exit=True).fast_exit
    assert operation(replace(table, virtual=True)).share == 0.5


def test_unless_asked_exits_are_slow_and_partial_self_refresh_is_not_taken_for_whole():
    """Power-down: 12 mA with slow exit, 15 with fast. The part has no current of partial self-refresh."""
    rows = [rank_row(0, 0, power_down=1000), rank_row(0, 1)]
    table = RankTable.from_rows(rows, **PARAMETERS)
    slow, fast = (rank_energy(table, PART, **given).domains[0] for given in ({}, {"fast_exit": True}))
    assert fast.energy.total == pytest.approx(slow.energy.total * 15 / 12)
    rows = [rank_row(0, 0, self_refresh_partial=900), rank_row(0, 1)]
    table = RankTable.from_rows(rows, **PARAMETERS | {"partial": 1})
    with pytest.raises(UserError, match="IDD6 with"):
        rank_energy(table, PART)
