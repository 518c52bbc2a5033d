# SPDX-License-Identifier: BSD-2-Clause
"""The rank meter: what each counter counts, and that no clock is lost between snapshots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.group_stack import Move
from litemrc.golden.ranks import meter as rank_meter
from litemrc.golden.ranks.meter import MeterWord, PowerState, RankMeterModel
from litemrc.golden.ranks.working_pages import WorkingPages
from litemrc_gateware.ranks import registers as rank_records

DOMAINS = 4


def meter_of(domains: int = DOMAINS, counter_bits: int = 32) -> RankMeterModel:
    return RankMeterModel(domains, WorkingPages(16, 4, 2, domains), counter_bits)


def words(row: list[int]) -> dict[str, int]:
    """The counters of a domain that are not 0."""
    return {word.name: row[word] for word in MeterWord if row[word]}


def test_a_domain_by_hand() -> None:
    meter = meter_of()
    meter.pages.move(Move(13, 0, None, 0))  # a page of domain 3
    meter.activate(10, 3)
    meter.enter(10, 3, PowerState.ACTIVE_STANDBY)
    meter.access(12, 3, write=False)
    meter.access(13, 3, write=True)
    meter.enter(20, 3, PowerState.PRECHARGE_STANDBY)
    meter.refresh(22, 3)
    meter.enter(25, 3, PowerState.POWER_DOWN)
    meter.wake(31, 3)
    meter.waking(31, 3, True)
    meter.enter(32, 3, PowerState.PRECHARGE_STANDBY)
    meter.waking(34, 3, False)
    snapshot = meter.snapshot(40)
    assert snapshot.clocks == 40
    assert words(snapshot.counters[3]) == {
        "READS": 1,
        "WRITES": 1,
        "ACTIVATES": 1,
        "REFRESHES": 1,
        "ACTIVE_STANDBY": 20 - 10,
        "PRECHARGE_STANDBY": 10 + (25 - 20) + (40 - 32),
        "POWER_DOWN": 32 - 25,
        "ENTERED_POWER_DOWN": 1,
        "WAKE_UPS": 1,
        "WAKING": 34 - 31,
        "IDLE": 40 - 14,
        "TOP_PAGES": 1,
    }
    assert words(snapshot.counters[0]) == {"PRECHARGE_STANDBY": 40, "IDLE": 40}
    assert snapshot.n_mrc == [4, 4]
    # All begin anew but IDLE, the states and the pages.
    assert words(meter.snapshot(50).counters[3]) == {"PRECHARGE_STANDBY": 10, "IDLE": 50 - 14, "TOP_PAGES": 1}


def test_a_low_state_across_a_snapshot_is_entered_once_and_its_clocks_are_parted() -> None:
    meter = meter_of(1)
    meter.enter(5, 0, PowerState.SELF_REFRESH)
    meter.waking(8, 0, True)
    assert words(meter.snapshot(10).counters[0]) == {
        "PRECHARGE_STANDBY": 5,
        "SELF_REFRESH": 5,
        "ENTERED_SELF_REFRESH": 1,
        "WAKING": 2,
        "IDLE": 10,
    }
    meter.enter(10, 0, PowerState.SELF_REFRESH)  # it is there already
    assert words(meter.snapshot(13).counters[0]) == {"SELF_REFRESH": 3, "WAKING": 3, "IDLE": 13}
    meter.enter(14, 0, PowerState.SELF_REFRESH_PARTIAL)
    assert words(meter.snapshot(15).counters[0]) == {
        "SELF_REFRESH": 1,
        "SELF_REFRESH_PARTIAL": 1,
        "ENTERED_SELF_REFRESH_PARTIAL": 1,
        "WAKING": 2,
        "IDLE": 15,
    }


def test_counters_saturate_and_say_so_but_for_idle() -> None:
    meter = meter_of(1, counter_bits=4)
    finished = meter.snapshot(15)
    assert not finished.overflow and finished.counters[0][MeterWord.PRECHARGE_STANDBY] == 15
    finished = meter.snapshot(31)
    assert finished.overflow and finished.counters[0][MeterWord.PRECHARGE_STANDBY] == 15
    finished = meter.snapshot(32)
    assert not finished.overflow and finished.counters[0][MeterWord.IDLE] == 15


EVENTS = st.lists(
    st.tuples(
        st.integers(0, 9),  # clocks since the one before
        st.integers(0, DOMAINS - 1),
        st.sampled_from(["access", "activate", "refresh", "wake", "waking", "snapshot", *PowerState]),
        st.booleans(),
    ),
    max_size=200,
)


@given(EVENTS)
def test_every_clock_is_in_one_state_of_one_snapshot(events) -> None:
    meter, clock, snapshots, done = meter_of(), 0, [], {}
    for elapsed, domain, what, flag in events:
        clock += elapsed
        done[what] = done.get(what, 0) + 1
        if what == "snapshot":
            snapshots.append(meter.snapshot(clock))
        elif isinstance(what, PowerState):
            meter.enter(clock, domain, what)
        elif what in ("access", "waking"):
            getattr(meter, what)(clock, domain, flag)
        else:
            getattr(meter, what)(clock, domain)
    snapshots.append(meter.snapshot(clock + 5))
    assert sum(snapshot.clocks for snapshot in snapshots) == clock + 5
    for snapshot in snapshots:
        for row in snapshot.counters:
            residencies = row[MeterWord.ACTIVE_STANDBY : MeterWord.SELF_REFRESH_PARTIAL + 1]
            assert sum(residencies) == snapshot.clocks
            assert row[MeterWord.WAKING] <= snapshot.clocks
    sums = [sum(row[word] for s in snapshots for row in s.counters) for word in MeterWord]
    assert sums[MeterWord.READS] + sums[MeterWord.WRITES] == done.get("access", 0)
    assert sums[MeterWord.ACTIVATES] == done.get("activate", 0)
    assert sums[MeterWord.REFRESHES] == done.get("refresh", 0)
    assert sums[MeterWord.WAKE_UPS] == done.get("wake", 0)


def test_events_out_of_order_or_of_no_domain_are_refused() -> None:
    meter = meter_of()
    meter.access(7, 0, write=True)
    with pytest.raises(ValueError, match="last event was at cycle 7"):
        meter.activate(6, 0)
    with pytest.raises(ValueError, match=r"domains are 0\.\.3"):
        meter.refresh(8, 4)


def test_states_and_words_are_numbered_as_in_the_hardware() -> None:
    for ours, theirs in (
        (rank_meter.MeterWord, rank_records.MeterWord),
        (rank_meter.PowerState, rank_records.PowerState),
    ):
        assert {m.name: m.value for m in ours} == {m.name: m.value for m in theirs}
