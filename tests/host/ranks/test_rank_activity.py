# SPDX-License-Identifier: BSD-2-Clause
"""Counters and activities of power domains: their order, their sums, and rows at the edges."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.ranks import activity
from litemrc.ranks.activity import ADDING, COUNTERS, KEPT, LABELS, MeterWord, PowerState, RankActivity
from litemrc.ranks.files import write_ranks
from litemrc.ranks.table import COLUMNS, RankTable
from litemrc_gateware.ranks import registers
from litemrc_gateware.ranks import registers as gateware

from tests.host.rank_rows import PARAMETERS, rank_row

# 1, 2, 4 ... so that every sum of them is another number.
ACTIVITY = RankActivity(*(1 << place for place in range(len(ADDING))))


def test_states_and_counters_have_the_numbers_of_the_gateware():
    assert {state.name: state.value for state in PowerState} == {s.name: s.value for s in gateware.PowerState}
    assert {word.name: word.value for word in MeterWord} == {w.name: w.value for w in gateware.MeterWord}
    assert [LABELS[state] for state in PowerState][2:] == [
        "power-down", "self-refresh", "self-refresh, partial",
    ]  # fmt: skip


def test_the_part_of_the_array_that_keeps_its_data_is_that_of_mr2():
    assert KEPT == (1, 0.5, 0.25, 0.125, 0.75, 0.5, 0.25, 0.125)  # JESD79-3, table of MR2


def test_nothing_has_happened_at_first():
    assert vars(RankActivity()) == dict.fromkeys(ADDING, 0)
    assert RankActivity.sum([]) == RankActivity() and RankActivity().share(PowerState.POWER_DOWN) == 0


def test_activities_add_up_counter_by_counter():
    assert vars(ACTIVITY + ACTIVITY) == {name: 2 << place for place, name in enumerate(ADDING)}
    assert RankActivity.sum([ACTIVITY] * 3) == ACTIVITY + ACTIVITY + ACTIVITY
    assert ACTIVITY.accesses == 1 + 2
    assert ACTIVITY.clocks == sum(1 << place for place in range(4, 9))
    assert ACTIVITY.entries == sum(1 << place for place in range(9, 12))
    for place, state in enumerate(PowerState):
        assert ACTIVITY.residency(state) == 16 << place
        assert ACTIVITY.share(state) == (16 << place) / ACTIVITY.clocks


def test_slices_add_their_own_counters_and_share_those_of_the_rank():
    whole = RankActivity.of_slices([ACTIVITY, ACTIVITY, replace(ACTIVITY, refreshes=0)])
    own = ("reads", "writes", "activates", "wake_ups")
    assert {name: getattr(whole, name) // getattr(ACTIVITY, name) for name in ADDING} == {
        name: 3 if name in own else 1 for name in ADDING
    }


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({}, True),
        ({"clocks": 999}, False),
        ({"clocks": 1001}, False),
        ({"clocks": 999, "overflow": True}, True),
    ],
)
def test_residencies_of_a_row_are_its_clocks(change, right):
    counters = {name: 200 if 4 <= place < 9 else 1 << 20 for place, name in enumerate(COUNTERS)}
    rows = [rank_row(0, domain, **{"clocks": 1000} | counters | change) for domain in (0, 1)]
    if right:
        table = RankTable.from_rows(rows, **PARAMETERS)
        assert table.live_pages.tolist() == [0, 0] and table.waking.tolist() == [1 << 20] * 2
        return
    with pytest.raises(ValueError, match="residencies differ"):
        RankTable.from_rows(rows, **PARAMETERS)


@pytest.fixture
def table():
    rows = [rank_row(epoch, domain, reads=epoch) for epoch in (3, 4, 5) for domain in (0, 1)]
    return RankTable.from_rows(rows, **PARAMETERS)


@pytest.mark.parametrize("name", ["clock_hz", "phases", "domains", "chips"])
def test_numbers_of_parts_are_positive(table, name):
    with pytest.raises(ValueError, match="must be positive"):
        replace(table, **{name: 0})
    if name != "domains":
        assert getattr(replace(table, **{name: 1}), name) == 1


@pytest.mark.parametrize("state", [0, 2, 3, 4])
def test_a_domain_is_awake_or_in_a_low_state(table, state):
    assert replace(table, state=[state] * 6).state.tolist() == [state] * 6
    for wrong in (1, 5):
        with pytest.raises(ValueError, match=r"row 5 \(epoch 5, domain 1\): no such state"):
            replace(table, state=[0] * 5 + [wrong])
    with pytest.raises(ValueError, match="no value of MR2"):
        replace(table, partial=-1)


def test_clocks_that_are_too_few_are_refused_as_well(table):
    with pytest.raises(ValueError, match="residencies differ"):
        replace(table, clocks=[1001] * 6)


def test_seconds_are_those_of_one_domain_and_columns_have_their_types(table):
    assert (table.seconds, table.interrupted, table.kept) == (0.003, False, 1)
    assert {name: getattr(table, name).dtype for name in COLUMNS} == COLUMNS
    assert COLUMNS["epoch"] == COLUMNS["reads"] == np.uint32 and COLUMNS["domain"] == np.uint8
    assert len(COLUMNS) == 7 + len(COUNTERS)


def test_a_range_of_epochs_includes_its_first_and_not_its_last(table):
    assert table.between(3, 5).epochs.tolist() == [3, 4]
    assert table.between(None, 4).epochs.tolist() == [3] and table.between(5, None).epochs.tolist() == [5]
    with pytest.raises(UserError, match="no epoch in the range") as refused:
        table.between(6, None)
    assert refused.value.remedy == "there are epochs 3 to 5"
    empty = RankTable.from_rows([], **PARAMETERS)
    assert empty.between(1, 2).epochs.size == 0


def test_the_file_has_a_version_and_a_unit_for_every_column(table, tmp_path):
    write_ranks(tmp_path / "r.parquet", table)
    schema = pq.read_schema(tmp_path / "r.parquet")
    described = json.loads(schema.metadata[b"litemrc"])
    assert (described["kind"], described["version"], described["units"]["clock_hz"]) == (
        "rank table",
        1,
        "Hz",
    )
    units = {field.name: field.metadata[b"unit"].decode() for field in schema}
    assert (units["reads"], units["power_down"]) == ("commands", "clocks in this state")
    assert units["entered_self_refresh"] == "entries into this state"
    assert units["wake_ups"] == "accesses that had to wake the domain"


@pytest.mark.parametrize("name", ["PowerState", "MeterWord"])
def test_numbers_are_those_of_the_gateware(name):
    numbers = {word.name: word.value for word in getattr(activity, name)}
    assert numbers == {word.name: word.value for word in getattr(registers, name)}
