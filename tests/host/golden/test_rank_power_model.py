# SPDX-License-Identifier: BSD-2-Clause
"""Ranks that sleep, cycle by cycle: examples by hand."""

import pytest
from litemrc.golden.ranks.meter import MeterWord, PowerState, RankMeterModel
from litemrc.golden.ranks.power import PowerSettings, RankPowerModel
from litemrc.golden.ranks.working_pages import WorkingPages

DOWN, DEEP, PARTIAL = PowerState.POWER_DOWN, PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL
REST, EXITS = 8, {DOWN: 3, DEEP: 128, PARTIAL: 128}


def power_of(settings: PowerSettings, *, slices: bool = False) -> RankPowerModel:
    meter = RankMeterModel(2, WorkingPages(16, 4, 1, 2))
    power = RankPowerModel(meter, REST, EXITS, slices=slices)
    power.settings = settings
    return power


def run(power: RankPowerModel, cycles: int, working: tuple[bool, bool] = (False, False)) -> None:
    for _ in range(cycles):
        power.tick(list(working))


def states(power: RankPowerModel) -> list[int]:
    return [power.state(domain) for domain in range(2)]


def test_dynamic_enters_power_down_then_self_refresh_and_wakes_by_an_access() -> None:
    meter_words = (MeterWord.PRECHARGE_STANDBY, MeterWord.POWER_DOWN, MeterWord.SELF_REFRESH)
    power = power_of(PowerSettings("dynamic", threshold_power_down=100, threshold_self_refresh=400))
    power.access(0, False)  # in cycle 0: idle from 1 on
    run(power, 1000)
    power.access(0, True)
    run(power, 50)
    meter = power._meter
    row = meter.snapshot(1050).counters[0]
    # Power-down from cycle 101, self-refresh from 401, awake from 1000.
    assert [row[word] for word in meter_words] == [101 + 50, 300, 599]
    assert (row[MeterWord.WAKE_UPS], row[MeterWord.WAKING]) == (1, 50)
    # The access is served at 1128; power-down 100 idle cycles later, at 1229.
    run(power, 1229 - 1050)
    assert power.state(0) == 0
    run(power, 1)
    assert power.state(0) == DOWN
    row = meter.snapshot(1230).counters[0]
    assert (row[MeterWord.WAKING], row[MeterWord.POWER_DOWN]) == (1128 - 1050, 1)


def test_static_sleeps_at_once_and_no_policy_wakes() -> None:
    power = power_of(PowerSettings("static", static_state=DEEP))
    power.access(1, False)
    run(power, 1 + REST)
    assert states(power) == [DEEP, 0]
    run(power, 1)
    assert states(power) == [DEEP, DEEP]
    power.settings = PowerSettings()
    run(power, 1000)
    assert states(power) == [DEEP, DEEP]


@pytest.mark.parametrize(("base", "works"), [("none", 0), ("static", DOWN)])
def test_mrc_sends_ranks_outside_the_working_set_to_sleep_and_others_by_their_base(base, works) -> None:
    power = power_of(PowerSettings("mrc", static_state=DOWN, mrc_state=DEEP, mrc_base=base))
    run(power, 50, working=(True, False))
    assert states(power) == [works, DEEP]


def test_slices_share_the_shallowest_state_of_all() -> None:
    power = power_of(PowerSettings("mrc", mrc_state=DEEP, mrc_base="none"), slices=True)
    run(power, 50, working=(True, False))
    assert states(power) == [0, 0]
    run(power, 50)
    assert states(power) == [DEEP, DEEP]
    power.access(0, False)
    run(power, 1)
    assert states(power) == [0, 0]


def test_a_command_lasts_until_an_access_and_data_are_kept_unless_all_of_it_may_be_lost() -> None:
    power = power_of(PowerSettings(partial=1))
    power.command(0, PARTIAL)
    power.command(1, PARTIAL)
    power.may_lose = [False, True]
    run(power, 10)
    assert states(power) == [DEEP, PARTIAL]
    power.access(0, False)
    power.command(1, DOWN)  # shallower: it wakes first
    run(power, 10)
    assert states(power) == [0, 0]
    run(power, 500)
    assert states(power) == [0, DOWN]
