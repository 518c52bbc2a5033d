# SPDX-License-Identifier: BSD-2-Clause
"""Energy against arithmetic by hand, an integral over clocks, and DRAMPower; energy of rank tables."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.energy.model import RDRAM_COMPONENTS, SDRAM_COMPONENTS, Energy, Operation, always_awake, energy
from litemrc.energy.parts.files import find_part, known_parts
from litemrc.energy.parts.part import Rail, SdramPart
from litemrc.energy.rank_energy import DomainEnergy, RankEnergy, operation, rank_energy
from litemrc.errors import UserError
from litemrc.ranks.activity import ADDING, PowerState, RankActivity
from litemrc.ranks.table import RankTable

from tests.host.rank_rows import PARAMETERS, rank_row
from tests.host.rank_traces import activity_of, integrate, random_trace

DDR3 = find_part("MT41K256M16-125:E")  # 1.35 V, 800 MHz, loops of 39, 28 and 208 clocks
RDRAM = find_part("RDRAM-zhou2004")
AT_ITS_CLOCK = Operation(clock_hz=800e6, dram_clock_hz=800e6, fast_exit=True)
MICROSECONDS = Operation(clock_hz=1e6, dram_clock_hz=800e6, fast_exit=True)
complete = [part for part in known_parts() if part.complete]
counts = st.integers(0, 10**6)
activities = st.builds(RankActivity, **dict.fromkeys(ADDING, counts)).map(
    lambda activity: replace(activity, self_refresh_partial=0, entered_self_refresh_partial=0)
)
PART = find_part("MT41K64M16-187E:J")  # 1.35 V; IDD2N 23, IDD6 8 mA at 533.333 MHz


def test_a_trace_worked_by_hand():
    # 1 ms in all: rows open for 200 us, closed for 300 us, power-down for 500 us; IDDs of the data sheet's
    # table 20: IDD0 66, 2N 32, 2P1 32, 3N 47, 4R 235, 4W 171, 5B 235 mA.
    activity = RankActivity(
        reads=1000,
        writes=500,
        activates=100,
        refreshes=64,
        active_standby=200,
        precharge_standby=300,
        power_down=500,
        entered_power_down=3,
    )
    found = energy(DDR3, activity, MICROSECONDS)
    expected = {
        "active standby": 47 * 1.35 * 200e-6,  # 12.69 uJ
        "precharge standby": 32 * 1.35 * 300e-6,  # 12.96 uJ
        "power-down": 32 * 1.35 * 500e-6,  # 21.6 uJ
        "self-refresh": 0,
        "self-refresh, partial": 0,
        # 66 x 39 - 47 x 28 - 32 x 11 = 906 mA clocks beyond standby, of 1.25 ns
        "activate": 100 * 906 * 1.25e-9 * 1.35,  # 0.1529 uJ
        "read": 1000 * (235 - 47) * 4 * 1.25e-9 * 1.35,  # 1.269 uJ
        "write": 500 * (171 - 47) * 4 * 1.25e-9 * 1.35,  # 0.4185 uJ
        "refresh": 64 * (235 - 32) * 260e-9 * 1.35,  # 4.560 uJ
        "self-refresh entry": 0,
    }
    assert found.components == pytest.approx(expected)
    # 12.69 + 12.96 + 21.6 + 0.15288750 + 1.269 + 0.4185 + 4.560192 uJ
    assert found.total == pytest.approx(53.6505795e-3)


def test_a_trace_with_self_refresh_worked_by_hand():
    # 64 ms of self-refresh in two stays of two chips, at half the part's clock and 1.485 V of 1.35 V (1.1).
    activity = RankActivity(precharge_standby=1000, self_refresh=64_000, entered_self_refresh=2, refreshes=1)
    use = replace(MICROSECONDS, dram_clock_hz=400e6, chips=2, supply=1.1)
    found = energy(DDR3, activity, use)
    volts = 2 * 1.35 * 1.21  # two chips, and TN-41-01's square of the supply: 3.267 V
    expected = {
        "precharge standby": 32 * 0.5 * 1e-3 * volts,  # half the clock, half the current: 52.272 uJ
        "self-refresh": 20 * 64e-3 * volts,  # follows no clock: 4.18176 mJ
        "refresh": (235 - 32) * 260e-9 * volts,  # times itself: 0.17243 uJ
        "self-refresh entry": 2 * (235 - 20) * 260e-9 * volts,  # begins with a refresh: 0.36525 uJ
    }
    assert {name: mj for name, mj in found.components.items() if mj} == pytest.approx(expected)
    assert found.total == pytest.approx(4.234569684)


def test_an_rdram_chip_by_table_4_of_zhou2004():
    # 1000 accesses: 900 find the chip in standby, 60 in nap, 40 in powerdown; 1 ms of nap, 5 ms of powerdown.
    activity = RankActivity(
        reads=700,
        writes=300,
        active_standby=100,
        precharge_standby=400,
        power_down=1000,
        self_refresh=5000,
        entered_power_down=60,
        entered_self_refresh=40,
        wake_ups=100,
    )
    found = energy(RDRAM, activity, MICROSECONDS)
    # Of 500 us awake: 60 us of accesses, 900 x 6 ns + 60 x 60 ns + 40 x 600 ns = 33 us of ways back.
    assert found.components == pytest.approx(
        {
            "active": 300 * 60e-6,
            "standby": 180 * (500 - 60 - 33) * 1e-6,
            "nap": 30 * 1e-3,
            "powerdown": 3 * 5e-3,
            "wake-up": (900 * 6 * 240 + 60 * 60 * 160 + 40 * 600 * 150) * 1e-9,
        }
    )
    assert tuple(found.components) == RDRAM_COMPONENTS


def test_a_record_faster_than_an_rdram_chip_is_refused():
    with pytest.raises(UserError, match=r"1,000 accesses .* take 0\.066 ms .* 0\.0157 ms more"):
        energy(RDRAM, RankActivity(reads=1000, precharge_standby=50.345), MICROSECONDS)  # 15.655 us


def test_an_rdram_chip_may_be_busy_all_the_time_it_is_awake():
    """3 accesses of 60 ns, each from standby in 6 ns: 198 ns, to which floating point adds a little."""
    found = energy(RDRAM, RankActivity(reads=3, precharge_standby=198), Operation(1e9, 1e9))
    assert found.components["active"] == pytest.approx(300 * 180e-9)
    assert found.components["standby"] == 0


def test_ways_back_of_an_rdram_chip_are_those_of_its_accesses_and_its_sleep():
    """Two wake-ups from nap, one of them without an access: no way back from standby, two from nap."""
    activity = RankActivity(reads=1, precharge_standby=1000, entered_power_down=2, wake_ups=2)
    assert energy(RDRAM, activity, MICROSECONDS).components["wake-up"] == pytest.approx(2 * 60 * 160e-9)
    with pytest.raises(UserError, match="RDRAM has no partial self-refresh"):
        energy(RDRAM, RankActivity(self_refresh_partial=1), MICROSECONDS)


def test_two_rails_add_up():
    lpddr3 = find_part("EDF8132A1MC-1600")
    found = energy(lpddr3, RankActivity(self_refresh=1000, precharge_standby=1000), MICROSECONDS)
    assert found.components["self-refresh"] == pytest.approx((0.5 * 1.8 + 1.8 * 1.2) * 1e-3)
    assert found.components["precharge standby"] == pytest.approx((0.8 * 1.8 + 26 * 1.2) * 1e-3)


@given(seed=st.integers(0, 10**6))
def test_the_integral_of_the_current_over_every_clock_is_the_same(seed):
    trace, end = random_trace(seed, DDR3)
    integral = integrate(trace, end, DDR3)
    found = energy(DDR3, activity_of(trace, end), AT_ITS_CLOCK)
    assert found.total == pytest.approx(integral, rel=1e-9)


def test_drampower_finds_the_same_but_for_what_is_said():
    """Recorded from DRAMPower 4.1 with its memspecs/MICRON_2Gb_DDR3-1600_16bit_D.xml, in pJ."""
    trace = [
        *[(100, "ACT", 0), (106, "ACT", 1), (112, "RD", 0), (116, "RD", 0), (120, "WR", 1), (140, "ACT", 2)],
        *[(150, "RD", 2), (160, "PRE", 0), (170, "PRE", 1), (190, "PREA", 0), (220, "REF", 0)],
        *[(400, "PDN", 0), (1000, "PUP", 0), (1100, "ACT", 3), (1110, "WR", 3), (1150, "PRE", 3)],
        *[(1300, "SREN", 0), (9300, "SREX", 0), (10000, "REF", 0), (10300, "ACT", 5), (10310, "RD", 5)],
        (10340, "PRE", 5),
    ]
    part = find_part("MT41J128M16-125E:D")
    activity = activity_of(trace, 15659)  # where it ends the trace
    found = {name: 1e9 * mj for name, mj in energy(part, activity, AT_ITS_CLOCK).components.items()}
    drampower = {
        "activate": 17062.50 + 6375.00,  # its ACT and PRE
        "read": 6750.00,
        "write": 3525.00,
        "power-down": 45000.00,
        "standby and refresh": 35100.00 + 523136.25 + 81600.00,
        "self-refresh": 217920.00 + 9956.25 + 225.00,
    }
    for name in ("activate", "read", "write", "power-down"):
        assert found[name] == pytest.approx(drampower[name]), name
    # A clock of this part costs 1.25 ns x 1.5 V = 1.875 pJ per mA. DRAMPower has the banks open for all but
    # tRP (10 clocks) of a refresh: there IDD3N - IDD2N = 3 mA less than IDD5B flow.
    standby = found["active standby"] + found["precharge standby"] + found["refresh"]
    assert standby - drampower["standby and refresh"] == pytest.approx(2 * 10 * 3 * 1.875)
    # And the refresh in which self-refresh begins costs it IDD5B - IDD3N and a power-down current below.
    asleep = found["self-refresh"] + found["self-refresh entry"]
    refresh = 128 * 215 - (128 * (215 - 45) + 118 * 45 + 10 * 12)
    assert asleep - drampower["self-refresh"] == pytest.approx(refresh * 1.875)
    assert sum(drampower.values()) == pytest.approx(946650.00)  # its total
    assert sum(found.values()) == pytest.approx(946650.00, rel=0.001)


@given(activities, activities)
def test_energy_adds_up_over_time(first, second):
    whole = energy(DDR3, first + second, MICROSECONDS)
    parts = energy(DDR3, first, MICROSECONDS) + energy(DDR3, second, MICROSECONDS)
    assert whole.components == pytest.approx(parts.components)


@given(activities, st.sampled_from(ADDING), st.integers(1, 1000))
def test_energy_is_linear_in_every_count(activity, name, more):
    if name.endswith("partial"):
        return

    def at(times):
        changed = replace(activity, **{name: getattr(activity, name) + times * more})
        return energy(DDR3, changed, MICROSECONDS).total

    assert at(2) - at(1) == pytest.approx(at(1) - at(0), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("part", complete, ids=lambda part: part.name)
def test_the_deeper_a_state_the_less_it_costs(part):
    use = Operation(clock_hz=1e6, dram_clock_hz=1e6 * getattr(part, "clock_mhz", 400), fast_exit=True)
    costs = [
        energy(part, RankActivity(**{state.name.lower(): 1000}), use).total
        for state in PowerState
        if state != PowerState.SELF_REFRESH_PARTIAL
    ]
    active, standby, power_down, self_refresh = costs
    assert active >= standby > self_refresh
    if part.name != "MT41K256M16-107:E":  # whose IDD2P1 is 37 mA, its IDD2N 35 mA
        assert standby >= power_down


@given(activities)
def test_always_awake_does_the_same_work_in_the_same_time(activity):
    awake = always_awake(DDR3, activity, MICROSECONDS)
    assert awake.clocks == activity.clocks
    assert (awake.accesses, awake.activates) == (activity.accesses, activity.activates)
    assert (awake.entries, awake.wake_ups, awake.waking) == (0, 0, 0)
    assert always_awake(RDRAM, activity, MICROSECONDS).refreshes == activity.refreshes
    assert awake.refreshes == pytest.approx(activity.refreshes + activity.self_refresh / 7.8125)
    asleep = sum(awake.residency(state) for state in PowerState if state >= PowerState.POWER_DOWN)
    assert asleep == 0


def test_partial_self_refresh_spares_refreshes_as_well():
    activity = RankActivity(self_refresh_partial=1000, entered_self_refresh_partial=2)
    awake = always_awake(DDR3, activity, MICROSECONDS)
    assert (awake.precharge_standby, awake.self_refresh_partial, awake.entries) == (1000, 0, 0)
    assert awake.refreshes == pytest.approx(128)  # 1 ms of 7.8125 us


@pytest.mark.parametrize("part", [DDR3, RDRAM], ids=lambda part: part.name)
def test_chips_that_work_together_cost_so_many_times_as_much(part):
    activity = RankActivity(reads=10, active_standby=500, power_down=100, self_refresh=100)
    one = energy(part, activity, MICROSECONDS).total
    assert energy(part, activity, replace(MICROSECONDS, chips=4)).total == pytest.approx(4 * one)


@pytest.mark.parametrize(
    ("part", "deepest"),
    [
        (DDR3, {"self_refresh_partial": 100, "entered_self_refresh_partial": 5}),
        (RDRAM, {"power_down": 100, "entered_power_down": 5}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_slices_of_a_rank_cost_together_what_the_rank_costs(part, deepest):
    device = RankActivity(
        refreshes=64, precharge_standby=500, self_refresh=400, entered_self_refresh=2, **deepest
    )
    slices = [replace(device, reads=reads, activates=reads // 10) for reads in (0, 10, 20, 70)]
    use = replace(MICROSECONDS, share=1 / 4)
    together = sum((energy(part, each, use) for each in slices[1:]), energy(part, slices[0], use))
    whole = energy(part, replace(device, reads=100, activates=10), MICROSECONDS)
    assert together.components == pytest.approx(whole.components)


def test_partial_self_refresh_costs_what_the_part_of_the_array_does():
    currents = DDR3.rails[0].currents
    part = replace(DDR3, rails=(Rail(1.35, currents, {0.5: 13, 0.25: 9}),))
    activity = RankActivity(self_refresh_partial=1000, entered_self_refresh_partial=1)
    for kept, ma in ((1, 20), (0.5, 13), (0.25, 9)):
        found = energy(part, activity, replace(MICROSECONDS, kept=kept))
        assert found.components["self-refresh, partial"] == pytest.approx(ma * 1.35e-3)
        assert found.components["self-refresh entry"] == pytest.approx((235 - ma) * 1.35 * 260e-9)
    with pytest.raises(UserError, match=r"IDD6 with 0\.125 of the array refreshed is not known"):
        energy(part, activity, replace(MICROSECONDS, kept=0.125))


def test_slow_exit_takes_the_other_power_down_current():
    activity = RankActivity(power_down=1000)
    assert energy(DDR3, activity, MICROSECONDS).total == pytest.approx(32 * 1.35e-3)
    assert energy(DDR3, activity, Operation(1e6, 800e6)).total == pytest.approx(18 * 1.35e-3)


def test_a_current_nobody_knows_is_an_error_only_where_it_is_needed():
    part = SdramPart(
        "X", "DDR3", 1024, 16, 800, 39, 28, 88, 7812.5, (Rail(1.5, {"idd2n": 40}, where="x.toml: vdd"),)
    )
    assert energy(part, RankActivity(precharge_standby=1000), MICROSECONDS).total == pytest.approx(0.06)
    with pytest.raises(UserError, match="IDD6 is not known") as caught:
        energy(part, RankActivity(self_refresh=1), MICROSECONDS)
    assert caught.value.where == "x.toml: vdd.idd6"


def test_nothing_costs_nothing():
    assert energy(DDR3, RankActivity(), MICROSECONDS).components == dict.fromkeys(SDRAM_COMPONENTS, 0)
    assert energy(RDRAM, RankActivity(), MICROSECONDS).components == dict.fromkeys(RDRAM_COMPONENTS, 0)


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
