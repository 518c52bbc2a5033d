# SPDX-License-Identifier: BSD-2-Clause
"""Rank tables in memory and as files: counters that contradict each other are refused."""

from dataclasses import fields, replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc.epochs.files import read_epochs, write_epochs
from litemrc.errors import UserError
from litemrc.ranks.activity import COUNTERS, PowerState, RankActivity
from litemrc.ranks.files import read_ranks, write_ranks
from litemrc.ranks.table import COLUMNS, RankTable
from litemrc_gateware.ranks.registers import MeterWord
from litemrc_gateware.ranks.registers import PowerState as PowerStateOfRegisters

from tests.host.rank_rows import PARAMETERS, rank_row


@pytest.fixture
def table() -> RankTable:
    """Two domains over 2 ms: domain 0 works, domain 1 sleeps from the middle of the first on."""
    return RankTable.from_rows(
        [
            rank_row(3, 0, reads=10, writes=5, activates=2, active_standby=400, wake_ups=1, waking=6),
            rank_row(3, 1, self_refresh=600, entered_self_refresh=1, state=3, working=False),
            rank_row(4, 0, reads=20, active_standby=700, power_down=100, top_pages=64),
            rank_row(4, 1, self_refresh=1000, precharge_standby=0, state=3, working=False, idle=2000),
        ],
        **PARAMETERS,
    )


def test_counters_and_states_are_those_of_the_gateware():
    assert [word.name.lower() for word in MeterWord] == list(COUNTERS)
    assert {state.name: state.value for state in PowerStateOfRegisters} == dict(PowerState.__members__)


def test_sums_are_over_the_epochs_of_a_domain(table):
    assert table.activity(0) == RankActivity(
        reads=30,
        writes=5,
        activates=2,
        active_standby=1100,
        precharge_standby=800,
        power_down=100,
        wake_ups=1,
        waking=6,
    )
    assert table.activity(1).residency(PowerState.SELF_REFRESH) == 1600
    assert table.total_activity() == table.activity(0) + table.activity(1)
    assert table.seconds == 0.002
    assert table.epochs.tolist() == [3, 4]
    assert table.of_domain(0, "top_pages").tolist() == [0, 64]
    assert table.between(4, None).activity(0).reads == 20
    with pytest.raises(UserError, match="no epoch in the range"):
        table.between(5, None)


def test_slices_of_a_rank_share_its_clocks_and_entries():
    shared = {"self_refresh": 600, "entered_self_refresh": 1, "refreshes": 7}
    rows = [rank_row(0, 0, reads=3, wake_ups=1, **shared), rank_row(0, 1, writes=4, activates=2, **shared)]
    table = RankTable.from_rows(rows, **PARAMETERS | {"virtual": True})
    own = {"reads": 3, "writes": 4, "activates": 2, "wake_ups": 1}
    assert table.total_activity() == RankActivity(precharge_standby=400, **shared, **own)


def test_the_part_of_the_array_kept_is_that_of_mr2(table):
    kept = [replace(table, partial=value).kept for value in range(8)]
    assert kept == [1, 1 / 2, 1 / 4, 1 / 8, 3 / 4, 1 / 2, 1 / 4, 1 / 8]


def test_rows_in_any_order_make_the_same_columns(table):
    backwards = replace(table, **{name: getattr(table, name)[::-1] for name in COLUMNS})
    assert backwards.of_domain(1, "self_refresh").tolist() == [600, 1000]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"clocks": [1000, 1000, 999, 999]}, "residencies differ"),
        ({"domain": [0, 2, 0, 1]}, "only 2 domains"),
        ({"domain": [0, 0, 0, 1]}, "an earlier row has the same"),
        ({"epoch": [3, 3, 4, 5]}, "not the rows of all 2 domains"),
        ({"state": [0, 3, 0, 1]}, "no such state"),
        ({"reads": [-1, 0, 0, 0]}, "no uint32"),
        ({"reads": [1, 0, 0]}, "has not the 4 rows"),
        ({"partial": 8}, "no value of MR2"),
        ({"chips": 0}, "must be positive"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(table, change, why):
    with pytest.raises(ValueError, match=why):
        replace(table, **change)


def test_clocks_of_an_epoch_are_the_same_in_all_domains(table):
    changed = {
        "clocks": [1000, 1001, 1000, 1000],
        "precharge_standby": np.add(table.precharge_standby, [0, 1, 0, 0]),
    }
    with pytest.raises(ValueError, match="clocks differ from other rows"):
        replace(table, **changed)


def test_a_saturated_counter_may_break_the_sum(table):
    replace(table, clocks=[1000, 1000, 999, 999], overflow=[False, False, True, True])


def test_what_was_written_is_read(tmp_path, table):
    write_ranks(tmp_path / "ranks.parquet", table)
    read = read_ranks(tmp_path / "ranks.parquet")
    for field in fields(RankTable):
        assert np.array_equal(getattr(read, field.name), getattr(table, field.name)), field.name
    for name, dtype in COLUMNS.items():
        assert getattr(read, name).dtype == dtype
    schema = pq.read_schema(tmp_path / "ranks.parquet")
    assert (
        schema.field("waking").metadata[b"unit"] == b"clocks of waking; they count as precharge standby, too"
    )


def test_a_table_without_rows_survives(tmp_path):
    write_ranks(tmp_path / "ranks.parquet", RankTable.from_rows([], **PARAMETERS))
    assert read_ranks(tmp_path / "ranks.parquet").seconds == 0


def test_a_wrong_bit_and_another_kind_are_refused(tmp_path, table, epoch_table):
    path = tmp_path / "ranks.parquet"
    write_ranks(path, table)
    good = path.read_bytes()
    for position in range(0, len(good), 97):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        path.write_bytes(bad)
        with pytest.raises(UserError):
            read_ranks(path)
    path.write_bytes(good)
    with pytest.raises(UserError, match="not an epoch table: its columns are epoch, domain"):
        read_epochs(path)
    write_epochs(path, epoch_table)
    with pytest.raises(UserError, match="not a rank table"):
        read_ranks(path)
