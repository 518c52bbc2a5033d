# SPDX-License-Identifier: BSD-2-Clause
"""The curve that forgets: as the golden model of the simulated machine has it, and by hand."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.policies.allocation.demand import AgedCurve
from litemrc_studies.zhou2004.golden.aged_curve import AgedCurve as GoldenCurve

GROUPS, GROUP_PAGES, EPOCH = 16, 8, 1000
HALF_LIFE = 2 * EPOCH
CLOCKS = 5000


def epoch(rng):
    """The hits of each group, and misses, of n accesses."""
    return rng.multinomial(EPOCH, rng.dirichlet(np.ones(GROUPS + 1)))


def test_it_forgets_as_the_golden_model_does():
    """Six epochs at most: then no count has become so small that the golden model leaves it out."""
    rng = np.random.default_rng(7)
    aged, golden = AgedCurve(HALF_LIFE), GoldenCurve(GROUPS, decay=0.5 ** (EPOCH / HALF_LIFE))
    for number in range(1, 7):
        counts = epoch(rng)
        aged.add(HitCounters(counts[:-1], int(counts[-1]), GROUP_PAGES, EPOCH), CLOCKS)
        golden.add(counts.tolist(), now=number * CLOCKS)
        np.testing.assert_allclose(aged.miss_ratio, golden.miss_ratios, rtol=0, atol=1e-12)
        assert aged.reference_rate == pytest.approx(golden.reference_rate)


def test_half_is_left_after_the_half_life():
    """Two epochs of 4 accesses, half-life 4: hits [4, 0], then [0, 4]: 2 and 4 of 6 remain."""
    aged = AgedCurve(half_life=4)
    aged.add(HitCounters(np.array([4, 0]), 0, group_pages=1, accesses=4), cycles=10)
    aged.add(HitCounters(np.array([0, 4]), 0, group_pages=1, accesses=4), cycles=10)
    np.testing.assert_allclose(aged.miss_ratio, [4 / 6, 0])
    assert aged.reference_rate == pytest.approx(6 / (5 + 10))


def test_a_sleeping_process_keeps_the_curve_and_loses_the_rate():
    aged = AgedCurve(half_life=4)
    aged.add(HitCounters(np.array([3, 1]), 0, group_pages=1, accesses=4), cycles=10)
    aged.add(None, cycles=30)
    np.testing.assert_allclose(aged.miss_ratio, [1 / 4, 0])
    assert aged.reference_rate == pytest.approx(4 / 40)


def refaulting(hits, misses, refaults):
    return HitCounters.of(hits, misses, 1, refaults=refaults)


def test_refaults_extend_it_beyond_the_memory():
    """Half-life 8. 8 accesses: 4 hits, 4 misses. Then 2 hits and 6 misses, 4 of them refaults in group 3."""
    aged = AgedCurve(half_life=8)
    aged.add(refaulting([4, 0], 4, []), cycles=10)
    assert aged.sizes_pages.tolist() == [1, 2]
    aged.add(refaulting([2, 0], 6, [0, 0, 0, 4]), cycles=10)
    assert (aged.sizes_pages.tolist(), aged.memory_groups) == ([1, 2, 3, 4], 2)
    # Hits 4/2 + 2 and 4; misses 4/2 + 6 - 4; 12 accesses.
    assert (aged.miss_ratio.tolist(), aged.accesses) == ([8 / 12, 8 / 12, 8 / 12, 4 / 12], 12)
    aged.add(refaulting([8, 0], 0, []), cycles=10)
    assert aged.miss_ratio.tolist() == [4 / 14, 4 / 14, 4 / 14, 2 / 14], "it keeps its groups"


def test_refaults_counted_before_their_misses_are_right_in_the_end():
    aged = AgedCurve(half_life=1e18)
    aged.add(refaulting([5], 1, [0, 4]), cycles=10)
    assert aged.miss_ratio.tolist() == [1 / 6, 0], "9 of 6 accesses cannot hit"
    aged.add(refaulting([5], 9, [0, 2]), cycles=10)
    assert aged.miss_ratio.tolist() == [10 / 20, 4 / 20]
    early = AgedCurve(half_life=1e18)
    early.add(refaulting([0], 0, [0, 4]), cycles=10)
    assert early.miss_ratio.tolist() == [1, 1], "no access yet"
    early.add(refaulting([5], 5, []), cycles=10)
    assert early.miss_ratio.tolist() == [5 / 10, 1 / 10]
