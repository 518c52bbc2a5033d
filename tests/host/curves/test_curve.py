"""Miss ratio curve arithmetic: worked example of the paper, simulated LRU memories of each size, algebra."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.curves.curve import Curve, merge, telling_sizes
from litemrc.golden.monitor.lru_stack import LruStack

COUNTER = st.integers(0, 2**32 - 1)
GROUPS = 6


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    return Curve.of_counters(
        draw(st.lists(COUNTER, min_size=GROUPS, max_size=GROUPS)),
        draw(COUNTER),
        group_pages=16,
        dropped=draw(COUNTER),
        context=draw(st.sampled_from([None, 1, 2])),
        overflow=draw(st.booleans()),
    )


def curve_of(trace: list[int], groups: int, group_pages: int) -> Curve:
    stack, hits, misses = LruStack(), [0] * groups, 0
    for page in trace:
        position = stack.access(page)
        if position is None:
            misses += 1
        else:
            hits[position // group_pages] += 1
    return Curve.of_counters(hits, misses, group_pages)


def test_worked_example_of_the_paper():
    # Zhou 2004, section 2.2, figure 2: references 1 3 1 1, groups of one page.
    # 1: miss, 3: miss, 1: position 1, 1: position 0. So hit = [1, 1, 0] and misses = 2 of 4:
    # MR(1) = 1 - 1/4, MR(2) = 1 - 2/4, MR(3) = 1 - 2/4.
    curve = curve_of([1, 3, 1, 1], groups=3, group_pages=1)
    assert curve.hits.tolist() == [1, 1, 0]
    assert (curve.accesses, curve.misses) == (4, 2)
    assert curve.sizes_pages.tolist() == [1, 2, 3]
    assert curve.miss_ratio.tolist() == [0.75, 0.5, 0.5]


@given(st.lists(st.integers(0, 11), min_size=1, max_size=80), st.sampled_from([1, 2, 3, 4]))
def test_curve_is_the_miss_ratio_of_lru_memories_of_each_size(trace, group_pages):
    curve = curve_of(trace, 12 // group_pages, group_pages)
    for pages, ratio in zip(curve.sizes_pages, curve.miss_ratio, strict=True):
        memory: OrderedDict[int, None] = OrderedDict()
        misses = 0
        for page in trace:
            misses += page not in memory
            memory[page] = None
            memory.move_to_end(page)
            if len(memory) > pages:
                memory.popitem(last=False)
        assert ratio == misses / len(trace)


@given(curves())
def test_miss_ratio_never_rises_and_ends_at_the_misses(curve):
    ratios = curve.miss_ratio
    if curve.accesses == 0:
        assert np.isnan(ratios).all()
    else:
        assert (np.diff(ratios) <= 0).all()
        assert 0 <= ratios[-1] <= ratios[0] <= 1
        assert ratios[-1] == curve.misses / curve.accesses


def test_hits_and_misses_sum_to_accesses():
    assert Curve.of_counters([1, 2], 3, 16).accesses == 1 + 2 + 3
    with pytest.raises(ValueError, match=r"is 6, but accesses is 7"):
        Curve.of_counters([1, 2], 3, 16, accesses=7)


def test_saturated_counters_keep_the_curve_between_0_and_1():
    # Both counters at their end: the accesses counter holds only half of what the hits say.
    top = 2**32 - 1
    curve = Curve.of_counters([top, top], 0, 16, accesses=top, overflow=True)
    assert curve.miss_ratio.tolist() == [0.5, 0.0]
    assert curve.overflow


def test_miss_ratio_between_sizes_is_that_of_the_whole_groups_that_fit():
    curve = Curve.of_counters([4, 2, 1], 1, 16)  # of 8 accesses: 1 - 4/8, 1 - 6/8, 1 - 7/8
    at = {0: 1.0, 15: 1.0, 16: 0.5, 31: 0.5, 32: 0.25, 47: 0.25, 48: 0.125, 1000: 0.125}
    assert {pages: curve.miss_ratio_at(pages) for pages in at} == at
    with pytest.raises(ValueError, match="-1 pages"):
        curve.miss_ratio_at(-1)


def test_smallest_size_within_epsilon_of_the_best():
    curve = Curve.of_counters([50, 30, 9, 1, 0, 0], 10, 16)  # ratios 0.5 0.2 0.11 0.1 0.1 0.1
    assert curve.smallest_size(0) == 4 * 16
    assert curve.smallest_size(0.02) == 3 * 16
    assert curve.smallest_size(0.15) == 2 * 16
    assert curve.smallest_size(1) == 0
    with pytest.raises(ValueError, match="negative"):
        curve.smallest_size(-0.1)


def test_what_holds_all_reuse_reaches_to_the_last_group_hit():
    assert Curve.of_counters([5, 0, 1, 0], 2, 16).reuse_pages == 3 * 16
    assert Curve.of_counters([0, 0, 0, 0], 2, 16).reuse_pages == 0


def test_memory_without_reuse_is_worth_nothing():
    streaming = Curve.of_counters([0, 0], 100, 16)
    assert streaming.miss_ratio.tolist() == [1.0, 1.0]
    assert streaming.smallest_size(0) == 0


def test_without_accesses_there_is_no_miss_ratio():
    idle = Curve.of_counters([0, 0], 0, 16)
    assert np.isnan(idle.miss_ratio).all()
    assert np.isnan(idle.miss_ratio_at(0)) and np.isnan(idle.miss_ratio_at(100))
    assert (idle.smallest_size(0), idle.reuse_pages) == (0, 0)


@pytest.mark.parametrize("hits, group_pages", [([], 16), ([[1], [2]], 16), ([1], 0)])
def test_impossible_counters_are_refused(hits, group_pages):
    with pytest.raises(ValueError):
        Curve.of_counters(hits, 0, group_pages)


@given(curves(), curves(), curves())
def test_merge_is_associative_and_commutative(a, b, c):
    left, right, turned = merge([merge([a, b]), c]), merge([a, merge([b, c])]), merge([c, b, a])
    for other in (right, turned):
        assert left.hits.tolist() == other.hits.tolist()
        for name in ("accesses", "misses", "dropped", "overflow", "group_pages"):
            assert getattr(left, name) == getattr(other, name)


def test_merge_sums_counters_and_carries_flags():
    a = Curve.of_counters([1, 2], 3, 16, dropped=5, context=1)
    b = Curve.of_counters([10, 20], 30, 16, dropped=50, context=1, overflow=True)
    merged = merge([a, b])
    assert merged.hits.tolist() == [11, 22]
    assert (merged.misses, merged.accesses, merged.dropped) == (33, 66, 55)
    assert (merged.context, merged.overflow) == (1, True)


def test_merge_of_contexts_counts_their_common_loss_once():
    a = Curve.of_counters([1, 2], 3, 16, dropped=5, context=1)
    b = Curve.of_counters([1, 2], 3, 16, dropped=5, context=2)
    merged = merge([a, b], dropped=5)
    assert (merged.dropped, merged.context) == (5, None)


def test_only_curves_of_the_same_groups_merge():
    with pytest.raises(ValueError, match="no curve"):
        merge([])
    with pytest.raises(ValueError, match="different"):
        merge([Curve.of_counters([1], 0, 16), Curve.of_counters([1], 0, 32)])


def test_telling_sizes_spread_by_equal_ratios_to_what_holds_all_reuse():
    small, large = Curve.of_counters([1] + [0] * 15, 0, 128), Curve.of_counters([0] * 15 + [1], 0, 128)
    assert telling_sizes([small, large]) == [1 * 128, 4 * 128, 16 * 128]  # 1, sqrt(16), 16 groups
    assert telling_sizes([small]) == [128]
