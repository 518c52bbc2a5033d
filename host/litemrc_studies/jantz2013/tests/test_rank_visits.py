# SPDX-License-Identifier: BSD-2-Clause
"""Ranks under visits, equal to the golden model, and the hardware that they are part of."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.energy.model import Operation
from litemrc.energy.parts.files import find_part
from litemrc.errors import UserError
from litemrc_studies.jantz2013.golden import RankVisitsModel
from litemrc_studies.jantz2013.machine.hardware import NEVER, Background, Controller, Hardware, RankTiming
from litemrc_studies.jantz2013.machine.placing import Placer
from litemrc_studies.jantz2013.machine.rank_visits import COUNTERS, RankVisits
from litemrc_studies.jantz2013.machine.result import TrayRun

PART = find_part("MT41J256M8-187E:D")  # 533.333 MHz; tXPDLL 24 ns, tXSDLL 512 clocks
TIMING = RankTiming(10, 40, 3, 20, 64)
VISITS = st.lists(
    st.tuples(
        st.integers(0, 90), st.integers(0, 30), st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)
    ).filter(lambda visit: visit[3] + visit[4] > 0),
    min_size=1,
    max_size=25,
)
TIMINGS = st.builds(
    RankTiming,
    st.sampled_from((0, 10, 40, NEVER)),
    st.sampled_from((5, 10, 40, NEVER)),
    st.integers(0, 9),
    st.integers(0, 30),
    st.sampled_from((7, 64, 1000)),
)
BACKGROUNDS = st.none() | st.builds(
    Background, st.integers(1, 60), st.integers(0, 40), st.integers(0, (1 << 64) - 1)
)


def test_a_machine_is_a_socket_of_eight_ranks_by_default():
    """Of 2 GiB, 8 chips and 100 ms a sample, as in jantz2013/trays.md and jantz2013/page.md."""
    hardware = Hardware(PART)
    assert (hardware.chips, hardware.trays, hardware.nodes, hardware.mapping) == (8, 8, 1, "sequential")
    assert hardware.pages * 4096 == 8 * 2 << 30
    assert hardware.timing == RankTiming(NEVER, 53_333, 13, 512, 53_333_300)
    assert hardware.clock_hz == pytest.approx(533.333e6)
    assert hardware.operation == Operation(hardware.clock_hz, hardware.clock_hz, chips=8)
    assert (Placer().period_s, Placer().copy_bytes_s) == (1.0, 4e9)


@pytest.mark.parametrize(
    ("power_down", "mhz", "down_exit"),
    [("off", 533.333, 13), ("slow", 533.333, 13), ("fast", 533.333, 4), ("fast", 300, 3), ("fast", 800, 6)],
)
def test_thresholds_and_exits_are_clocks_of_the_memory(power_down, mhz, down_exit):
    """Slow: 24 ns are 12.8 clocks. Fast: JESD79-3's longest tXP, of 7.5 ns and 3 clocks the longer."""
    part = replace(PART, clock_mhz=mhz)
    hardware = Hardware(part, controller=Controller(power_down, 50.0, 2_000.0), sample_ns=0.01)
    timing = hardware.timing
    assert timing.power_down_exit == down_exit
    assert timing.power_down_after == (NEVER if power_down == "off" else round(50e-3 * mhz))
    assert timing.self_refresh_after == round(2 * mhz)
    assert timing.sample == 1  # at least
    assert hardware.operation.fast_exit == (power_down == "fast")
    assert hardware.seconds(round(mhz)) == pytest.approx(1e-6, rel=1e-3)


def test_a_part_whose_exits_are_not_known_is_refused():
    for name in ("power_down", "self_refresh"):
        part = replace(PART, **{f"{name}_exit_ns": None})
        with pytest.raises(UserError, match=f"the exit latency of {name} is unknown"):
            _ = Hardware(part).timing


@pytest.mark.parametrize(("trays", "nodes"), [(1, 1), (64, 1), (6, 3), (6, 2)])
def test_nodes_have_equal_shares_of_the_ranks_in_order(trays, nodes):
    hardware = Hardware(PART, trays=trays, nodes=nodes, tray_pages=1024)
    of_node = trays // nodes
    assert [hardware.node(tray) for tray in range(trays)] == [tray // of_node for tray in range(trays)]


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"trays": 0}, "0 trays on 1 nodes"),
        ({"trays": 65}, "65 trays on 1 nodes"),
        ({"trays": 8, "nodes": 3}, "8 trays on 3 nodes"),
        ({"tray_pages": 0}, "trays of 0 pages"),
        ({"tray_pages": 1023}, "trays of 1023 pages"),
        ({"tray_pages": 1025}, "trays of 1025 pages"),
    ],
)
def test_machines_that_cannot_be_are_refused(wrong, what):
    with pytest.raises(UserError, match=what):
        Hardware(PART, **wrong)


def run(phases, seconds, rank_mw, self_refresh) -> TrayRun:
    """Only what means are made of."""
    none = dict.fromkeys(("zero_fills", "reloads", "recycled", "migrated", "outside"), 0)
    free = np.zeros(len(phases), np.int64)
    return TrayRun(
        *("x", sum(seconds), np.array(seconds), np.array(rank_mw), np.array(self_refresh), phases),
        *(free, (), {}),
        **none,
        waking_s=0.0,
    )


def test_means_are_over_the_samples_of_a_phase_and_loading_is_none():
    """Samples of 1, 1, 1, 2 and 1 s; two ranks."""
    result = run(
        ("", "load", "a", "b", "a"),
        [1.0, 1, 1, 2, 1],
        [[1, 1], [9, 9], [1, 2], [3, 4], [5, 6]],
        [[0, 0], [0, 0], [0.5, 1], [1, 1], [0, 0.5]],
    )
    assert result.samples_mw.tolist() == [2, 18, 3, 7, 11]
    assert result.phase_names == ("load", "a", "b")
    assert (result.mean_mw("a"), result.mean_mw("b")) == (7, 7)
    assert result.mean_mw() == (3 + 2 * 7 + 11) / 4
    assert result.awake("a") == (0.5 + 1.5) / 2
    assert result.awake() == (0.5 + 2 * 0 + 1.5) / 4
    assert [result.phase_seconds(phase) for phase in (None, "load", "b", "c")] == [4, 1, 2, 0]
    assert np.isnan([result.mean_mw("c"), result.awake("c")]).all()


def native(visits, timing, interleaved, pause=0, background=None):
    ranks = RankVisits(4, timing, interleaved, background)
    columns = np.array(visits).T
    half = len(visits) // 2
    ranks.visit(*(column[:half] for column in columns))
    ranks.visit(*(column[half:] for column in columns))
    ranks.pause(pause)
    ranks.finish()
    return ranks


def model(visits, timing, interleaved, pause=0, background=None):
    ranks = RankVisitsModel(4, timing, interleaved, background)
    for visit in visits:
        ranks.visit(*visit)
    ranks.pause(pause)
    ranks.finish()
    return ranks


def rows(ranks):
    return [[[getattr(rank, name) for name in COUNTERS] for rank in sample] for sample in ranks.samples()]


@settings(max_examples=200, deadline=None)
@given(VISITS, TIMINGS, st.booleans(), st.integers(0, 300), BACKGROUNDS)
def test_the_core_counts_what_the_model_counts(visits, timing, interleaved, pause, background):
    found, expected = (each(visits, timing, interleaved, pause, background) for each in (native, model))
    assert found.now == expected.now
    assert found.counters().tolist() == rows(expected)


@settings(max_examples=50, deadline=None)
@given(VISITS, TIMINGS, st.booleans(), BACKGROUNDS)
def test_every_clock_of_every_rank_is_in_one_state(visits, timing, interleaved, background):
    ranks = native(visits, timing, interleaved, background=background)
    states = ranks.counters()[:, :, 3:7].sum(axis=(0, 2))
    assert states.tolist() == [ranks.now] * 4


def test_a_rank_sinks_and_wakes_by_hand():
    """Idle from clock 0; visited at 50 (self-refresh for 10 clocks, 20 to wake), served 70 to 75."""
    ranks = model([(50, 5, 1, 2, 1)], TIMING, False)
    assert ranks.now == 75
    first, second = (sample[1] for sample in ranks.samples())
    # 10 clocks of precharge standby, 30 of power-down, 10 of self-refresh, 14 of waking up to the sample.
    assert (first.precharge_standby, first.power_down, first.self_refresh) == (10 + 14, 30, 10)
    assert (first.entered_power_down, first.entered_self_refresh, first.wake_ups) == (1, 1, 1)
    assert (second.precharge_standby, second.active_standby) == (6, 5)
    assert (second.reads, second.writes, second.activates, first.reads) == (2, 1, 1, 0)
    other = [sample[0] for sample in ranks.samples()]
    assert (other[0].self_refresh, other[1].self_refresh) == (24, 11)


def test_lines_of_an_interleaved_page_lie_in_one_rank_after_the_other():
    """9 lines from rank 2 on, 6 of them reads: 2 3 0 1 2 3 read, 0 1 2 written."""
    sample = model([(0, 5, 2, 6, 3)], TIMING, True).samples()[0]
    assert [(rank.reads, rank.writes) for rank in sample] == [(1, 1), (1, 1), (2, 1), (2, 0)]
    assert [rank.activates for rank in sample] == [1, 1, 1, 1]


@pytest.mark.parametrize("field", ["power_down_after", "self_refresh_after", "self_refresh_exit"])
def test_a_model_that_sinks_otherwise_differs_from_the_core(field):
    """The property above finds a clock more in any of these."""
    visits = [(gap, 5, rank % 4, 1, 0) for rank, gap in enumerate((0, 9, 10, 11, 39, 40, 41, 80, 120, 60))]
    other = RankTiming(**{**TIMING.__dict__, field: getattr(TIMING, field) + 1})
    assert native(visits, TIMING, False).counters().tolist() != rows(model(visits, other, False))


def test_a_background_access_wakes_a_rank_and_the_program_does_not_wait_for_it():
    """A pause of 4,000 cycles and a mean gap of 20: about 200 accesses, one in 80 cycles of a rank.

    A rank wakes for 20 cycles, serves 4 and is idle for 40 before it sleeps again; with random times it
    sleeps for about exp(-64 / 80), 45 %, of the time.
    """
    alone, beside = (
        model([(0, 5, 1, 1, 0)], TIMING, False, 4000, background) for background in (None, Background(20, 4))
    )
    assert alone.now == 4005 <= beside.now <= 4005 + TIMING.self_refresh_exit + 4
    reads = [sum(sample[rank].reads for sample in beside.samples()) for rank in range(4)]
    assert 150 <= sum(reads) - 1 <= 250
    assert min(reads) > 30
    slept = [sum(r.self_refresh for sample in ranks.samples() for r in sample) for ranks in (alone, beside)]
    assert slept[0] == 3 * (4005 - 40) + 4000 - 40
    assert 0.4 < slept[1] / (4 * beside.now) < 0.5


def test_an_access_to_a_rank_that_serves_one_costs_no_wake_up():
    """The visit takes all 400 cycles; each access of others falls into it or into other ranks."""
    ranks = model([(0, 400, 2, 5, 0)], TIMING, False, 0, Background(9, 3, seed=4))
    served = [sample[2] for sample in ranks.samples()]
    assert sum(rank.wake_ups for rank in served) == 0
    assert sum(rank.active_standby for rank in served) >= 400
    assert sum(rank.reads for rank in served) > 5


def test_a_background_that_cannot_be_is_refused():
    for gap in (0, 1 << 31):
        with pytest.raises(ValueError, match="mean gap"):
            Background(gap, 1)


def test_visits_that_cannot_be_are_refused():
    ranks = RankVisits(4, TIMING)
    for visit in ((0, 1, 4, 1, 0), (0, 1, 0, 0, 0)):
        with pytest.raises(ValueError):
            ranks.visit(*(np.array([number]) for number in visit))
