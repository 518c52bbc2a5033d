# SPDX-License-Identifier: BSD-2-Clause
"""Counters from a record of the DFI, and a device's rank counters against it: every wrong one is named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.checks.rank_record import (
    COMMANDS,
    RECORDED,
    Command,
    compare_with_record,
    read_record,
    snapshots_of,
)
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import rank_energy
from litemrc.errors import UserError
from litemrc.golden.ranks.dram_activity import Slices
from litemrc.ranks.activity import ADDING, COUNTERS, RankActivity
from litemrc.ranks.table import RankTable

from tests.host.rank_rows import PARAMETERS, rank_row
from tests.host.rank_traces import activity_of, random_trace

PART = find_part("MT41K256M16-125:E")
QUARTERS = Slices(4, bank_bits=3, row_bits=9)  # of 128 rows of all banks
NAMES = {
    "ACT": Command.ACTIVATE,
    "PRE": Command.PRECHARGE,
    "RD": Command.READ,
    "WR": Command.WRITE,
    "REF": Command.REFRESH,
    "PDN": Command.NONE,
    "PUP": Command.NONE,
    "SREN": Command.REFRESH,
    "SREX": Command.NONE,
}


def record(*rows, rank=0):
    """Rows (clock, command, cke, bank, address) of a rank, the last ones left out as 1, 0, 0."""
    full = [(*row, *(1, 0, 0)[len(row) - 2 :]) for row in rows]
    return np.array([(clock, 0, rank, *rest) for clock, *rest in full], COMMANDS)


def recorded(trace, rank=0):
    rows = [(clock, NAMES[name], name not in ("PDN", "SREN"), bank, 5) for clock, name, bank in sorted(trace)]
    return record(*rows, rank=rank)


def activities(snapshot):
    return [RankActivity.of_counters(counters) for counters in snapshot.counters]


def test_a_rank_counted_by_hand():
    rows = record(
        (10, Command.ACTIVATE, 1, 3, 77),
        (14, Command.READ, 1, 3, 8),
        (18, Command.WRITE, 1, 3, 8 | 1 << 10),  # with auto-precharge
        (30, Command.REFRESH),
        (50, Command.NONE, 0),  # power-down
        (80, Command.NONE, 1),
        (90, Command.MODE, 1, 2, 0b001),  # half of the array
        (95, Command.REFRESH, 0),
        (195, Command.NONE, 1),
    )
    (snapshot,) = snapshots_of(rows, 1, end=200, activity_clocks=0)
    assert snapshot.clocks == 200
    assert activities(snapshot) == [
        RankActivity(
            reads=1,
            writes=1,
            activates=1,
            refreshes=1,
            active_standby=8,  # 10 to 18
            precharge_standby=10 + 32 + 15 + 5,
            power_down=30,
            self_refresh_partial=100,
            entered_power_down=1,
            entered_self_refresh_partial=1,
        )
    ]


def test_only_the_partial_array_field_of_mr2_makes_self_refresh_partial():
    def asleep(*modes):
        rows = [(10 + place, Command.MODE, 1, bank, value) for place, (bank, value) in enumerate(modes)]
        (snapshot,) = snapshots_of(record(*rows, (50, Command.REFRESH, 0)), 1, end=100)
        (activity,) = activities(snapshot)
        return activity.self_refresh, activity.self_refresh_partial

    assert asleep((2, 0b101)) == (0, 50)
    assert asleep((2, 0b101), (2, 0b000)) == (50, 0)
    assert asleep((2, 0b11_1000)) == (50, 0)  # CAS write latency
    assert asleep((1, 0b101)) == (50, 0)  # another register


def test_a_refresh_finds_all_rows_closed():
    rows = record((10, Command.ACTIVATE), (20, Command.REFRESH), (30, Command.NONE, 0))
    (snapshot,) = snapshots_of(rows, 1, end=40, activity_clocks=0)
    assert activities(snapshot) == [
        RankActivity(
            activates=1,
            refreshes=1,
            active_standby=10,
            precharge_standby=20,
            power_down=10,
            entered_power_down=1,
        )
    ]


def test_a_snapshot_comes_before_all_else_of_its_clock():
    rows = record((10, Command.ACTIVATE), (20, Command.SNAPSHOT), (20, Command.READ), (30, Command.PRECHARGE))
    first, second = snapshots_of(rows, 1, end=40, activity_clocks=0)
    assert (first.clocks, second.clocks) == (20, 20)
    assert activities(first) == [RankActivity(activates=1, active_standby=10, precharge_standby=10)]
    assert activities(second) == [RankActivity(reads=1, active_standby=10, precharge_standby=10)]


def test_the_meter_sees_commands_a_clock_later_than_the_clock_enable():
    rows = record(
        (10, Command.ACTIVATE),
        (20, Command.PRECHARGE),
        (30, Command.SNAPSHOT),
        (30, Command.NONE, 0),
        (39, Command.NONE, 1),
        (44, Command.REFRESH),
        (45, Command.SNAPSHOT),
    )
    first, second, third = snapshots_of(rows, 1, end=50)
    assert activities(first) == [RankActivity(activates=1, active_standby=10, precharge_standby=20)]
    assert activities(second) == [RankActivity(power_down=9, entered_power_down=1, precharge_standby=6)]
    assert activities(third) == [RankActivity(refreshes=1, precharge_standby=5)]


def test_a_record_is_read_back(tmp_path):
    rows = record((10, Command.ACTIVATE), (20, Command.PRECHARGE))
    np.save(tmp_path / "ddr3.npy", rows)
    assert np.array_equal(read_record(tmp_path / "ddr3.npy"), rows)
    np.save(tmp_path / "other.npy", rows["clock"])
    for name, why in (("other.npy", "its columns are None"), ("none.npy", "No such file")):
        with pytest.raises(UserError, match=why):
            read_record(tmp_path / name)


def test_slices_share_the_rank_but_for_their_own_rows():
    rows = record(
        (10, Command.ACTIVATE, 1, 0, 128),
        (12, Command.ACTIVATE, 1, 1, 511),
        (15, Command.READ, 1, 0, 0),
        (16, Command.WRITE, 1, 1, 0),
        (20, Command.PRECHARGE, 1, 0, 1 << 10),
        (30, Command.REFRESH, 0),
    )
    (snapshot,) = snapshots_of(rows, 4, slices=QUARTERS, end=50, activity_clocks=0)
    found = activities(snapshot)
    shared = dict(active_standby=10, precharge_standby=20, self_refresh=20, entered_self_refresh=1)
    own = [{}, {"reads": 1, "activates": 1}, {}, {"writes": 1, "activates": 1}]
    assert found == [RankActivity(**shared, **each) for each in own]


@given(seeds=st.lists(st.integers(0, 10**6), min_size=2, max_size=2), cut=st.integers(1, 2000))
def test_another_way_of_counting_finds_the_same_for_every_rank(seeds, cut):
    traces = [random_trace(seed, PART) for seed in seeds]
    end = max(end for _, end in traces)
    rows = np.concatenate([recorded(trace, rank) for rank, (trace, _) in enumerate(traces)])
    rows = rows[np.argsort(rows["clock"], kind="stable")]
    (snapshot,) = snapshots_of(rows, 2, end=end, activity_clocks=0)
    assert activities(snapshot) == [activity_of(trace, end) for trace, _ in traces]
    # And a snapshot in between loses and doubles nothing, except that an entry counts where it happened.
    marked = np.concatenate([record((min(cut, end - 1), Command.SNAPSHOT)), rows])
    marked = marked[np.argsort(marked["clock"], kind="stable")]
    halves = [activities(each) for each in snapshots_of(marked, 2, end=end, activity_clocks=0)]
    assert [sum(domain, RankActivity()) for domain in zip(*halves, strict=True)] == activities(snapshot)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((10, Command.READ), "READ of bank 0, which is closed"),
        ((10, Command.WRITE, 0), "CKE falls with WRITE"),
    ],
)
def test_commands_that_cannot_be_are_refused(row, why):
    with pytest.raises(ValueError, match=f"clock 1[01]: {why}"):
        snapshots_of(record(row), 1, end=20)


def test_ranks_and_rows_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="clock 11: rank 1 of 1"):
        snapshots_of(record((10, Command.REFRESH), rank=1), 4, slices=QUARTERS)
    with pytest.raises(ValueError, match="event of domain 4"):
        snapshots_of(record((10, Command.ACTIVATE, 1, 0, 512)), 4, slices=QUARTERS)
    with pytest.raises(ValueError, match="CKE falls over open rows"):
        snapshots_of(record((10, Command.ACTIVATE), (20, Command.NONE, 0)), 1)


def test_activities_of_counters_are_by_name():
    assert RankActivity.of_counters(range(16)) == RankActivity(**dict(zip(ADDING, range(14), strict=True)))


@pytest.fixture
def snapshots():
    """Two ranks of random commands in three snapshots and what follows them."""
    traces = [random_trace(seed, PART) for seed in (3, 14)]
    end = max(end for _, end in traces)
    rows = [recorded(trace, rank) for rank, (trace, _) in enumerate(traces)]
    marks = recorded([(end * part // 4, "PUP", 0) for part in (1, 2, 3)])
    marks["command"] = Command.SNAPSHOT
    record = np.concatenate([marks, *rows])
    return snapshots_of(record[np.argsort(record["clock"], kind="stable")], 2, end=end)


@pytest.fixture
def table(snapshots) -> RankTable:
    """What a device that counts rightly sends of the second to the last of them."""
    return RankTable.from_rows(
        [
            rank_row(epoch, domain, snapshot.clocks, **dict(zip(COUNTERS, counters, strict=True)))
            for epoch, snapshot in enumerate(snapshots)
            if epoch
            for domain, counters in enumerate(snapshot.counters)
        ],
        **PARAMETERS,
    )


def test_a_device_that_counts_rightly_is_found_equal(table, snapshots):
    found = compare_with_record(table, snapshots)
    assert found.equal
    assert (found.counters, found.first_difference) == (3 * 2 * (1 + len(RECORDED)), "")
    assert rank_energy(found.recorded, PART).total == rank_energy(table, PART).total


@pytest.mark.parametrize("name", RECORDED)
def test_any_wrong_counter_is_found(table, snapshots, name):
    column = getattr(table, name).copy()
    column[3] += 1
    wrong = replace(table, overflow=np.ones(6, bool), **{name: column})
    found = compare_with_record(wrong, snapshots)
    assert not found.equal
    assert found.differences == 1
    was = column[3] - 1
    assert found.first_difference == f"epoch 2, domain 1, {name}: {was + 1:,} instead of {was:,}"
    assert getattr(found.recorded, name)[3] == was


def test_a_table_longer_than_the_record_is_refused(table, snapshots):
    with pytest.raises(ValueError, match="the record has 3 snapshots, but the device sent epoch 3"):
        compare_with_record(table, snapshots[:3])


def test_nothing_compared_is_not_equal(snapshots):
    assert not compare_with_record(RankTable.from_rows([], **PARAMETERS), snapshots).equal
