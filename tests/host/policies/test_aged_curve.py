"""The curve that forgets: as the golden model of the simulated machine has it, and by hand."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.golden.machines.aged_curve import AgedCurve as GoldenCurve
from litemrc.policies.allocation.aged_curve import AgedCurve

GROUPS, GROUP_PAGES, EPOCH = 16, 8, 1000
HALF_LIFE = 2 * EPOCH
CLOCKS = 5000


def epoch(rng):
    """The hits of each group, and misses, of so many accesses."""
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
