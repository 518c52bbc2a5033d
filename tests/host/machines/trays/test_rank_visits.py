"""Ranks under visits: by hand, and the native core against the model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.golden.ranks.visits import RankVisitsModel
from litemrc.native.rank_timing import NEVER, RankTiming
from litemrc.native.rank_visits import COUNTERS, RankVisits

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


def native(visits, timing, interleaved, pause=0):
    ranks = RankVisits(4, timing, interleaved)
    columns = np.array(visits).T
    half = len(visits) // 2
    ranks.visit(*(column[:half] for column in columns))
    ranks.visit(*(column[half:] for column in columns))
    ranks.pause(pause)
    ranks.finish()
    return ranks


def model(visits, timing, interleaved, pause=0):
    ranks = RankVisitsModel(4, timing, interleaved)
    for visit in visits:
        ranks.visit(*visit)
    ranks.pause(pause)
    ranks.finish()
    return ranks


def rows(ranks):
    return [[[getattr(rank, name) for name in COUNTERS] for rank in sample] for sample in ranks.samples()]


@settings(max_examples=200, deadline=None)
@given(VISITS, TIMINGS, st.booleans(), st.integers(0, 300))
def test_the_core_counts_what_the_model_counts(visits, timing, interleaved, pause):
    found, expected = (each(visits, timing, interleaved, pause) for each in (native, model))
    assert found.now == expected.now
    assert found.counters().tolist() == rows(expected)


@settings(max_examples=50, deadline=None)
@given(VISITS, TIMINGS, st.booleans())
def test_every_clock_of_every_rank_is_in_one_state(visits, timing, interleaved):
    ranks = native(visits, timing, interleaved)
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


def test_visits_that_cannot_be_are_refused():
    ranks = RankVisits(4, TIMING)
    for visit in ((0, 1, 4, 1, 0), (0, 1, 0, 0, 0)):
        with pytest.raises(ValueError):
            ranks.visit(*(np.array([number]) for number in visit))
