# SPDX-License-Identifier: BSD-2-Clause
"""The smallest budget for a goal of slowdown: by arithmetic, and beside an LRU memory of that size."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.policies.rightsizing.rightsize import FaultCost, Window, rightsize, slowdowns
from litemrc.policies.rightsizing.senpai import SenpaiRule, TmoRule

GROUP = 16
EXACT = FaultCost(1e-3, 1e-3, 1e-3)


def window(*epochs: HitCounters, unknown=None, seconds=10.0, open_group=7) -> Window:
    return Window.of(epochs, unknown or [0] * len(epochs), [seconds] * len(epochs), open_group=open_group)


def counters(hits, misses=0, refaults=(), **more) -> HitCounters:
    return HitCounters.of(hits, misses, GROUP, refaults=refaults, **more)


def test_slowdown_is_the_refaults_of_that_size_over_the_work():
    """10 s with 500 refaults of 1 ms: 9.5 s of work."""
    observed = window(counters([9000, 400, 100, 0], 600, refaults=[0, 0, 0, 300, 200]))
    expected = np.array([1000, 600, 500, 200, 0, 0, 0, 0]) * 1e-3 / 9.5
    assert slowdowns(observed, 1e-3) == pytest.approx(expected)


@pytest.mark.parametrize(("goal", "groups"), [(0.2, 1), (0.1, 2), (0.06, 3), (0.05, 4), (0.02, 5), (1e-9, 5)])
def test_the_smallest_size_that_reaches_the_goal(goal, groups):
    observed = window(counters([9000, 400, 100, 0], 600, refaults=[0, 0, 0, 300, 200]))
    found = rightsize(observed, EXACT, goal)
    assert found.pages == groups * GROUP
    assert found.slowdown <= goal
    assert found.end_pages == 8 * GROUP and found.beyond == 0
    assert (found.refaults, found.work_seconds) == (500, pytest.approx(9.5))
    assert found.pages_band == (found.pages, found.pages), "one epoch, one cost"


def test_refaults_of_unknown_distance_and_beyond_the_end_are_refaults_of_every_size():
    deep = window(counters([9000, 0, 0, 0], 400, refaults=[0] * 7 + [100]), seconds=1.1)
    found = rightsize(deep, EXACT, 0.05)
    assert (found.pages, found.beyond, found.slowdown) == (None, 100, pytest.approx(0.1))
    assert found.pages_band == (None, None)
    unknown = window(counters([9000, 0, 0, 0], 400), unknown=[100], seconds=1.1)
    found = rightsize(unknown, EXACT, 0.05)
    assert (found.pages, found.beyond, found.refaults) == (None, 100, 100)
    assert rightsize(unknown, EXACT, 0.2).pages == GROUP


def test_sampled_hits_stand_for_more_pages_and_accesses_and_refaults_do_not():
    """1 page of 4 is sampled: 100 hits stand for 400, groups for 64 pages; 300 refaults are 300."""
    sampled = HitCounters.of([900, 100], 75, 4 * GROUP, refaults=[0, 0, 300], scale_log2=2)
    observed = Window.of([sampled], [0], [10.3], open_group=3)
    assert observed.refaults.sum() == 300
    assert slowdowns(observed, 1e-3) == pytest.approx([0.07, 0.03, 0, 0])
    assert rightsize(observed, EXACT, 0.03).pages == 128


def test_the_band_covers_epochs_that_differ_and_the_spread_of_the_cost():
    epochs = [counters([9000, deep, 0, 0]) for deep in (0, 1000)] * 8
    found = rightsize(window(*epochs, seconds=5), EXACT, 0.15)
    low, high = found.slowdown_band
    assert found.pages == GROUP and found.slowdown == pytest.approx(0.1)
    # 16 draws of 0 or 1,000 refaults in 5 s: mean 0.1, standard error 0.1 / 4.
    assert 0.03 < low < 0.08 and 0.12 < high < 0.17
    assert found.pages_band == (GROUP, GROUP) or found.pages_band == (GROUP, 2 * GROUP)
    steady = window(*[counters([9000, 500, 0, 0])] * 16, seconds=5)
    low, high = rightsize(steady, FaultCost(1e-3, 0.5e-3, 2e-3), 0.15).slowdown_band
    assert 0.05 <= low < 0.08 and 0.13 < high <= 0.2


def programs():
    """Reference strings: a loop, Zipf's law, a loop with a rare second one, and phases."""
    rng = np.random.default_rng(4)
    zipf = rng.choice(600, 30_000, p=(weights := 1 / np.arange(1, 601)) / weights.sum())
    rare = np.where(rng.random(30_000) < 0.02, 200 + np.arange(30_000) % 300, np.arange(30_000) % 150)
    phases = np.concatenate([np.arange(15_000) % 200, 300 + np.arange(15_000) % 90])
    return {"loop": np.arange(30_000) % 333, "zipf": zipf, "rare": rare, "phases": phases}


@pytest.mark.parametrize("name", programs())
@pytest.mark.parametrize("resident_groups", [4, 64])
def test_an_lru_memory_of_that_size_is_as_slow_as_predicted_and_a_smaller_one_too_slow(name, resident_groups):
    """Observed with few pages the curve is mostly a tail of refaults, with many all are hits."""
    references, per_access, goal, group = programs()[name], 1e-4, 0.05, 16
    stack = LruStack()
    positions = [stack.access(page) for page in references.tolist()]
    reused = np.array([position for position in positions if position is not None])
    first = len(positions) - reused.size
    in_memory = reused < resident_groups * group
    hits = np.bincount(reused[in_memory] // group, minlength=64)
    tail = np.bincount(reused[~in_memory] // group, minlength=1)
    cost = 1e-3
    seconds = len(positions) * per_access + tail.sum() * cost
    epoch = HitCounters.of(hits, first + tail.sum(), group, refaults=tail)
    found = rightsize(Window.of([epoch], [0], [seconds], open_group=127), FaultCost(cost, cost, cost), goal)

    def slowdown(pages: int) -> float:
        return float((reused >= pages).sum() * cost / (len(positions) * per_access))

    assert slowdown(found.pages) == pytest.approx(found.slowdown) and found.slowdown <= goal
    assert slowdown(found.pages - group) > goal


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: FaultCost(1e-3, 2e-3, 3e-3), "cannot cost"),
        (lambda: FaultCost(0, 0, 0), "cannot cost"),
        (lambda: window(), "no epoch was counted"),
        (lambda: window(counters([1]), HitCounters.of([1], 0, 32)), "sampling changed"),
        (lambda: rightsize(window(counters([1])), EXACT, 0), "is no goal"),
        (lambda: rightsize(window(counters([1], 9000, [0, 9000]), seconds=8), EXACT, 0.1), "take longer"),
    ],
)
def test_what_cannot_be_is_refused(call, what):
    with pytest.raises(UserError, match=what):
        call()


def test_tmo_reclaims_a_share_that_falls_with_pressure_and_never_gives_back():
    rule = TmoRule(reclaim_ratio=0.0005, threshold=0.001, interval_s=6)
    # 6 s x 0.001 = 6 ms of waiting is the threshold.
    assert rule.reclaim(100_000, 0.0) == pytest.approx(50)
    assert rule.reclaim(100_000, 0.003) == pytest.approx(25)
    assert rule.reclaim(100_000, 0.006) == pytest.approx(0)
    assert rule.reclaim(100_000, 1.0) == 0


def test_senpai_probes_after_its_interval_and_by_the_square_of_the_error():
    rule = SenpaiRule(1000)
    # Without pressure err = 10,000 (at least 1 us is taken), far above coeff_probe: the largest probe.
    assert [rule.tick(0) for _ in range(7)] == [1000] * 6 + [990]
    # 4 ms in the next five seconds are err 2.5: (2.5 / 10)^2 x 0.01 = 0.000625 less.
    assert [rule.tick(0.0008) for _ in range(5)] == [990] * 5
    assert rule.tick(0) == pytest.approx(990 * (1 - 0.000625))


def test_senpai_backs_off_at_once():
    rule = SenpaiRule(1000)
    # 40 ms are 4 times the target: (4 / 20)^2 = 0.04 more; 400 ms are 40 times: no more than twice.
    assert rule.tick(0.040) == pytest.approx(1040)
    assert rule.tick(0.400) == pytest.approx(2080)


def test_a_limit_stays_a_limit():
    with pytest.raises(UserError, match="a limit cannot be 0"):
        SenpaiRule(0)
    rule = SenpaiRule(1.0)
    assert min(rule.tick(0) for _ in range(100)) == 1.0
