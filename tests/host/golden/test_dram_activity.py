# SPDX-License-Identifier: BSD-2-Clause
"""Commands by hand: what they do to rows, states and counters."""

import pytest
from litemrc.golden.ranks.dram_activity import A10, Command, DRAMActivity, Slices
from litemrc.golden.ranks.meter import MeterWord, PowerState, RankMeterModel
from litemrc.golden.ranks.working_pages import WorkingPages


def meter_of(domains: int) -> RankMeterModel:
    return RankMeterModel(domains, WorkingPages(16, 4, 1, domains))


def words(row: list[int]) -> dict[str, int]:
    return {word.name: row[word] for word in MeterWord if row[word]}


def test_two_ranks_by_hand() -> None:
    meter = meter_of(2)
    activity = DRAMActivity(meter, ranks=2)
    activity.command(10, Command.ACTIVATE, rank=1, bank=3, address=7)
    activity.command(12, Command.READ, rank=1, bank=3, address=0)
    activity.command(13, Command.WRITE, rank=1, bank=3, address=A10)  # closes its row
    activity.command(20, Command.ACTIVATE, rank=1, bank=0, address=1)
    activity.command(21, Command.ACTIVATE, rank=1, bank=1, address=1)
    activity.command(25, Command.PRECHARGE, rank=1, bank=0)  # bank 1 stays open
    activity.command(30, Command.PRECHARGE, rank=1, address=A10)
    activity.command(31, Command.REFRESH, rank=1)
    activity.sleep(40, 1, PowerState.SELF_REFRESH)
    activity.command(45, Command.REFRESH, rank=1)  # it sleeps
    activity.awake(70, 1)
    snapshot = meter.snapshot(100)
    assert words(snapshot.counters[1]) == {
        "READS": 1,
        "WRITES": 1,
        "ACTIVATES": 3,
        "REFRESHES": 1,
        "ACTIVE_STANDBY": (13 - 10) + (30 - 20),
        "PRECHARGE_STANDBY": 10 + (20 - 13) + (40 - 30) + (100 - 70),
        "SELF_REFRESH": 70 - 40,
        "ENTERED_SELF_REFRESH": 1,
        "IDLE": 100 - 14,
    }
    assert words(snapshot.counters[0]) == {"PRECHARGE_STANDBY": 100, "IDLE": 100}


@pytest.mark.parametrize(
    ("bank_row_column", "bank", "row", "domain"),
    [
        (True, 5, 0, 2),  # bank 5 of 8: slice 5 // 2
        (True, 7, 3, 3),
        (False, 7, 0b0111, 1),  # row 7 of 16: slice 7 // 4
        (False, 0, 0b1100, 3),
    ],
)
def test_a_row_lies_in_a_slice_of_the_addresses(
    bank_row_column: bool, bank: int, row: int, domain: int
) -> None:
    assert Slices(4, 3, 4, bank_row_column).slice_of(bank, row) == domain


def test_slices_share_states_and_refreshes_and_nothing_else() -> None:
    meter = meter_of(2)
    activity = DRAMActivity(meter, 1, Slices(2, 1, 4, bank_row_column=True))
    activity.command(1, Command.ACTIVATE, 0, bank=1, address=2)
    activity.command(2, Command.READ, 0, bank=1)
    activity.command(3, Command.REFRESH, 0)
    first, second = meter.snapshot(5).counters
    states = {"ACTIVE_STANDBY": 2, "PRECHARGE_STANDBY": 3, "REFRESHES": 1}
    assert words(first) == {**states, "IDLE": 5}
    assert words(second) == {**states, "READS": 1, "ACTIVATES": 1, "IDLE": 2}


def test_domains_that_are_neither_ranks_nor_slices_are_refused() -> None:
    with pytest.raises(ValueError, match="4 domains"):
        DRAMActivity(meter_of(4), ranks=2)
    with pytest.raises(ValueError, match="slices of a single rank"):
        DRAMActivity(meter_of(4), 2, Slices(4, 3, 4))
