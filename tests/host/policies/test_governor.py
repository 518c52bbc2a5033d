# SPDX-License-Identifier: BSD-2-Clause
"""The decision at the end of an epoch, against hand arithmetic."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError
from litemrc.policies.allocation.demand import AgedCurve
from litemrc.policies.allocation.governor import Governor, GovernorParameters

GROUP = 16


def counted(hits: list[int], misses: int = 0) -> HitCounters:
    return HitCounters.of(hits, misses, GROUP)


def governor(budgets: dict[int, int] | None = None, **parameters: object) -> Governor:
    given = {"memory_pages": 64, "delta_pages": GROUP, "minimum_pages": 0, "gain": 0.0} | parameters
    return Governor(GovernorParameters(**given), budgets)


def test_counters_weigh_half_after_a_half_life():
    curve = AgedCurve(half_life=10)
    curve.add(counted([6, 2], 2), 100)
    # 10 accesses later the first ten are worth five: hits 3 + 0, 1 + 5, misses 1 + 5.
    curve.add(counted([0, 5], 5), 300)
    assert curve.accesses == 15
    assert curve.miss_ratio.tolist() == [12 / 15, 6 / 15]
    assert curve.sizes_pages.tolist() == [16, 32]
    assert curve.reference_rate == 15 / (50 + 300)


def test_an_idle_process_keeps_its_curve_and_its_rate_falls():
    curve = AgedCurve(half_life=10)
    curve.add(counted([6, 2], 2), 100)
    for epoch in (None, counted([0, 0])):
        curve.add(epoch, 100)
    assert curve.miss_ratio.tolist() == [0.4, 0.2]
    assert curve.reference_rate == 10 / 300


def test_other_groups_begin_anew():
    curve = AgedCurve(half_life=10)
    curve.add(counted([6, 2], 2), 100)
    curve.add(HitCounters.of([3, 1], 0, 2 * GROUP), 50)
    assert curve.miss_ratio.tolist() == [0.25, 0]
    assert (curve.sizes_pages.tolist(), curve.reference_rate) == ([32, 64], 4 / 50)


def test_a_curve_never_rises_whatever_is_added():
    rng = np.random.default_rng(3)
    curve = AgedCurve(half_life=1000)
    for _ in range(300):
        curve.add(counted(rng.integers(0, 200, 64).tolist(), int(rng.integers(0, 50))), 1000)
        ratio = curve.miss_ratio
        assert (np.diff(ratio) <= 0).all() and 0 <= ratio[-1] <= ratio[0] <= 1


def test_budgets_follow_hits_a_clock():
    # A loop of three groups that hits 90 times an epoch, and a curve that gains 40, 20, 10, 5 hits.
    epoch = {1: counted([0, 0, 90], 10), 2: counted([40, 20, 10, 5], 25)}
    decision = governor().decide(epoch, 1000)
    # Four groups: the loop's 90 and the first 40.
    assert decision.budgets == decision.target == {1: 48, 2: 16}
    assert decision.moved
    # Without budgets all 200 accesses would miss; 130 are saved.
    assert decision.gain == pytest.approx(130 / 200)


def test_the_process_that_refers_more_often_gets_the_memory():
    epoch = {1: counted([0, 9], 1), 2: counted([0, 8000], 2000)}  # hit ratios 0.9 and 0.8
    assert governor(memory_pages=32).decide(epoch, 1000).budgets == {1: 0, 2: 32}


def test_a_sleeper_keeps_its_memory_until_others_would_make_more_of_it():
    asleep = governor(memory_pages=32)
    assert asleep.decide({1: counted([0, 100]), 2: counted([0, 30], 70)}, 1000).budgets == {1: 32, 2: 0}
    # 1 sleeps: its rate falls as 100 / 1000 n. 2 hits 30 times in 1000 clocks: more than 100 / n with n = 4.
    for n in (2, 3):
        assert asleep.decide({2: counted([0, 30], 70)}, 1000).budgets == {1: 32, 2: 0}, n
    assert asleep.decide({2: counted([0, 30], 70)}, 1000).budgets == {1: 0, 2: 32}


def test_budgets_move_only_for_a_significant_gain():
    # With 32 pages each, 1 misses 10 of 100 and 2 50. Giving 16 more to 2 saves it 10 and costs 1 7: 3 of the
    # 50 of the one that gets more, 6 %.
    epoch = {1: counted([83, 7], 10), 2: counted([30, 20, 10], 40)}
    still = governor({1: 32, 2: 32}, gain=0.061).decide(epoch, 1000)
    assert (still.moved, still.budgets, still.target) == (False, {1: 32, 2: 32}, {1: 16, 2: 48})
    assert still.gain == pytest.approx(0.06)
    moved = governor({1: 32, 2: 32}, gain=0.059).decide(epoch, 1000)
    assert (moved.moved, moved.budgets) == (True, {1: 16, 2: 48})


def test_budgets_move_when_they_would_have_paid_for_the_pages_that_move():
    # Giving 16 pages of 1 to 2 saves 3 misses an epoch. At 0.5 misses a page that is paid for in three.
    epoch = {1: counted([83, 7], 10), 2: counted([30, 20, 10], 40)}
    waiting = governor({1: 32, 2: 32}, half_life=1e9, move_misses=0.5)
    decisions = [waiting.decide(epoch, 1000) for _ in range(4)]
    assert [decision.moved for decision in decisions] == [False, False, True, False]
    assert [decision.reasons[1].limited_by for decision in decisions] == ["gain", "gain", "none", "none"]
    assert decisions[2].budgets == {1: 16, 2: 48}


def test_savings_of_a_target_that_stopped_to_be_better_are_forgotten():
    # In the second epoch nobody would gain: 1 hits as often in its second group as 2 would in its third.
    better, equal = {1: counted([83, 7], 10), 2: counted([30, 20, 10], 40)}, {1: counted([0, 100], 0)}
    waiting = governor({1: 32, 2: 32}, half_life=1, move_misses=0.5)
    moved = [waiting.decide(epoch, 1000).moved for epoch in (better, better, equal, better, better, better)]
    assert moved == [False, False, False, False, False, True]


def test_misses_that_no_memory_would_save_make_no_gain_small():
    # 1 misses 10,000 times whatever it has; 2 saves 5 of its 10 by one group more.
    epoch = {1: counted([0], 10_000), 2: counted([50, 40, 5], 5)}
    decision = governor({1: 32, 2: 32}, gain=0.4).decide(epoch, 1000)
    assert (decision.gain, decision.budgets) == (pytest.approx(0.5), {1: 0, 2: 48})


def test_budgets_go_in_steps_and_arrive():
    epoch = {1: counted([1, 0, 0, 0], 99), 2: counted([10, 10, 10, 10], 60)}
    stepping = governor({1: 64, 2: 0}, step_pages=16, memory_pages=64)
    seen = [stepping.decide(epoch, 1000).budgets for _ in range(5)]
    assert seen == [{1: 48, 2: 16}, {1: 32, 2: 32}, {1: 16, 2: 48}, {1: 0, 2: 64}, {1: 0, 2: 64}]
    assert not stepping.decide(epoch, 1000).moved


def test_budgets_also_grow_in_steps_and_the_largest_gain_first():
    # 3 gains 60 hits by two groups more, 4 gains 20 by one; 1 and 2 gain nothing by what they have.
    epoch = {1: counted([0], 9), 2: counted([0], 9), 3: counted([0, 30, 30], 40), 4: counted([20, 0, 0], 80)}
    decision = governor({1: 32, 2: 32, 3: 0, 4: 0}, step_pages=16).decide(epoch, 1000)
    assert decision.target == {1: 0, 2: 0, 3: 48, 4: 16}
    assert decision.budgets == {1: 16, 2: 16, 3: 16, 4: 16}
    decision = governor({1: 64, 2: 0, 3: 0, 4: 0}, step_pages=16).decide(epoch, 1000)
    assert decision.budgets == {1: 48, 2: 0, 3: 16, 4: 0}


def test_budgets_that_cannot_be_are_mended_at_once_whatever_is_gained():
    epoch = {1: counted([50, 30, 10, 5], 5), 2: counted([0, 0, 0, 0], 1)}
    parameters = {"minimum_pages": 16, "gain": 0.9, "step_pages": 16}
    assert governor({1: 60, 2: 4}, **parameters).decide(epoch, 1000).budgets == {1: 48, 2: 16}
    assert governor({1: 64, 2: 64}, **parameters).decide(epoch, 1000).budgets == {1: 48, 2: 16}


def test_memory_nobody_needs_stays_free_and_minimums_are_kept():
    decision = governor(minimum_pages=20).decide({1: counted([9, 0, 0]), 2: counted([0, 0, 0], 5)}, 1000)
    assert decision.budgets == {1: 32, 2: 32}
    decision = governor(minimum_pages=0).decide({1: counted([9, 0, 0]), 2: counted([0, 0, 0], 5)}, 1000)
    assert decision.budgets == {1: 16, 2: 0}


def test_a_newcomer_gets_its_minimum_at_once_even_if_nothing_is_gained():
    running = governor({1: 64}, minimum_pages=16, gain=0.5, step_pages=16)
    assert running.decide({1: counted([50, 30, 10, 5], 5)}, 1000).budgets == {1: 64}
    decision = running.decide({1: counted([50, 30, 10, 5], 5), 2: counted([0, 0, 0, 0], 1)}, 1000)
    assert (decision.budgets, decision.moved) == ({1: 48, 2: 16}, True)
    running.forget(2)
    # Its 16 pages are free again. They would save 5 of the other's 10 misses, and not more than half of them.
    assert running.decide({1: counted([50, 30, 10, 5], 5)}, 1000).budgets == {1: 48}
    eager = governor({1: 48}, gain=0.1)
    assert eager.decide({1: counted([50, 30, 10, 5], 5)}, 1000).budgets == {1: 64}


def test_budgets_never_exceed_the_memory_whatever_comes():
    rng = np.random.default_rng(9)
    for trial in range(20):
        step = None if trial % 2 else 16
        running = governor({0: 200}, memory_pages=200, minimum_pages=10, step_pages=step, gain=0.05)
        for _ in range(40):
            contexts = rng.choice(8, rng.integers(0, 6), replace=False).tolist()
            epoch = {c: counted(rng.integers(0, 30, 16).tolist(), int(rng.integers(0, 30))) for c in contexts}
            if rng.random() < 0.2:
                running.forget(int(rng.integers(8)))
            decision = running.decide(epoch, 1000)
            assert sum(decision.budgets.values()) <= 200
            assert all(pages >= 10 for pages in decision.budgets.values())
            assert decision.budgets.keys() >= set(contexts)
            assert 1 <= decision.n_mrc <= 16


def test_n_mrc_loses_at_most_epsilon_of_all_accesses():
    # Beyond 1, 2, 3 of 4 groups lie 21, 1 and 0 of 1's hits, none of 2's: 2.1 % and 0.1 % of 1000 accesses.
    epoch = {1: counted([74, 20, 1, 0], 5), 2: counted([900, 0, 0, 0])}
    for epsilon, groups in ((0.03, 1), (0.0211, 1), (0.0209, 2), (0.0011, 2), (0.0009, 3), (0, 3)):
        assert governor(epsilon=epsilon).decide(epoch, 1000).n_mrc == groups
    assert governor().decide({}, 1000).n_mrc == 1


def test_n_mrc_keeps_no_memory_awake_for_evicted_pages():
    refaulting = HitCounters.of([900, 0, 0, 0], 100, GROUP, refaults=[0, 0, 0, 0, 0, 90])
    assert governor(epsilon=0.01).decide({1: refaulting}, 1000).n_mrc == 1


def test_a_budget_grows_by_refaults_and_by_nothing_else():
    # 1 holds two groups and hits in none; a third and a fourth would give it 90 of its 100 misses.
    blind, seeing = (HitCounters.of([0, 0], 100, GROUP, refaults=tail) for tail in ([], [0, 0, 0, 90]))
    for epoch, pages in ((blind, 32), (seeing, 64)):
        assert governor({1: 32}).decide({1: epoch}, 1000).budgets == {1: pages}


def test_n_mrc_forgets_a_sleeper_as_its_rate_falls():
    running = governor(epsilon=0.0501, half_life=100)
    epoch = {1: counted([0, 0, 100]), 2: counted([100, 0, 0])}
    assert running.decide(epoch, 1000).n_mrc == 3
    sizes = [running.decide({2: counted([100, 0, 0])}, 1000).n_mrc for _ in range(20)]
    # 1's share of the accesses is 1 / (1 + n) after n epochs, 5 % at n = 19.
    assert sizes == [3] * 17 + [1] * 3


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("memory_pages", 0),
        ("delta_pages", 0),
        ("minimum_pages", -1),
        ("half_life", 0.5),
        ("gain", -0.1),
        ("step_pages", 0),
        ("step_pages", 17),
        ("epsilon", float("nan")),
        ("move_misses", -1),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_by_name(parameter, value):
    with pytest.raises(UserError, match=f"{parameter} of the governor cannot be {value}"):
        governor(**{parameter: value})


def test_minimums_of_too_many_contexts_are_refused():
    epoch = {context: counted([1, 1]) for context in range(3)}
    with pytest.raises(UserError, match="minimums need 96 pages, the memory has 64"):
        governor(minimum_pages=32).decide(epoch, 1000)
    with pytest.raises(ValueError, match="-1 cycles"):
        governor().decide({}, -1)


def test_a_limited_step_serves_the_largest_gain_first():
    # 3 never hits and gives one group a step. By a second group 1 gains 40 hits (10 to 50), 2 gains 30
    # (60 to 90): 1 is served, although 2 hits more often with what it has and with what it would get.
    epoch = {1: counted([10, 40], 50), 2: counted([60, 30], 10), 3: counted([0, 0], 100)}
    decision = governor({1: 16, 2: 16, 3: 32}, step_pages=16).decide(epoch, 1000)
    assert decision.target == {1: 32, 2: 32, 3: 0}
    assert decision.budgets == {1: 32, 2: 16, 3: 16}
