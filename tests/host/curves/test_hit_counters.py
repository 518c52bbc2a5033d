# SPDX-License-Identifier: BSD-2-Clause
"""Curves of hit counters: the example of the paper, simulated LRU memories of each size, saturation."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.curves.hit_counters import HitCounters
from litemrc.golden.monitor.lru_stack import LruStack

COUNTER = st.integers(0, 2**32 - 1)
GROUPS = 6


@st.composite
def counters(draw: st.DrawFn) -> HitCounters:
    hits = draw(st.lists(COUNTER, min_size=GROUPS, max_size=GROUPS))
    return HitCounters.of(hits, draw(COUNTER), 16, overflow=draw(st.booleans()))


def counters_of(trace: list[int], groups: int, group_pages: int) -> HitCounters:
    stack, hits, misses = LruStack(), [0] * groups, 0
    for page in trace:
        position = stack.access(page)
        if position is None:
            misses += 1
        else:
            hits[position // group_pages] += 1
    return HitCounters.of(hits, misses, group_pages)


def test_worked_example_of_the_paper():
    # Zhou 2004, section 2.2, figure 2: references 1 3 1 1, groups of one page.
    # 1: miss, 3: miss, 1: position 1, 1: position 0. So hit = [1, 1, 0] and misses = 2 of 4:
    # MR(1) = 1 - 1/4, MR(2) = 1 - 2/4, MR(3) = 1 - 2/4.
    counted = counters_of([1, 3, 1, 1], groups=3, group_pages=1)
    curve = counted.curve()
    assert counted.hits.tolist() == [1, 1, 0]
    assert (counted.accesses, counted.misses) == (curve.accesses, curve.misses) == (4, 2)
    assert curve.sizes_pages.tolist() == [1, 2, 3]
    assert curve.miss_ratio.tolist() == [0.75, 0.5, 0.5]


@given(st.lists(st.integers(0, 11), min_size=1, max_size=80), st.sampled_from([1, 2, 3, 4]))
def test_curve_is_the_miss_ratio_of_lru_memories_of_each_size(trace, group_pages):
    curve = counters_of(trace, 12 // group_pages, group_pages).curve()
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


@given(counters())
def test_miss_ratio_never_rises_and_ends_at_the_misses(counted):
    ratios = counted.curve().miss_ratio
    if counted.accesses == 0:
        assert np.isnan(ratios).all()
    else:
        assert (np.diff(ratios) <= 0).all()
        assert 0 <= ratios[-1] <= ratios[0] <= 1
        assert ratios[-1] == counted.misses / counted.accesses


@given(counters())
def test_a_curve_leaves_its_counters_as_they_are(counted):
    before = counted.hits.tolist()
    counted.curve()
    assert counted.hits.tolist() == before
    with pytest.raises(ValueError, match="read-only"):
        counted.hits[0] = 1


def test_hits_and_misses_sum_to_accesses():
    assert HitCounters.of([1, 2], 3, 16).accesses == 1 + 2 + 3
    with pytest.raises(ValueError, match=r"is 6, but accesses is 7"):
        HitCounters.of([1, 2], 3, 16, accesses=7)


def test_saturated_counters_keep_the_curve_between_0_and_1():
    # Both counters at their end: the accesses counter holds only half of what the hits say.
    top = 2**32 - 1
    curve = HitCounters.of([top, top], 0, 16, accesses=top, overflow=True).curve()
    assert curve.miss_ratio.tolist() == [0.5, 0.0]
    assert curve.overflow


def test_a_curve_has_the_attributes_given_and_the_groups_of_its_counters():
    curve = HitCounters.of([2], 1, 16).curve(64, name="a", aliases=["b"], dropped=7)
    assert (curve.page_bytes, curve.name, curve.aliases, curve.dropped) == (64, "a", ("b",), 7)
    assert (curve.resolution_pages, curve.overflow) == (16, False)
    plain = HitCounters.of([2], 1, 1).curve()
    assert (plain.page_bytes, plain.name, plain.aliases, plain.dropped) == (4096, "", (), 0)


@pytest.mark.parametrize("hits, group_pages", [([], 16), ([[1], [2]], 16), ([1], 0)])
def test_impossible_counters_are_refused(hits, group_pages):
    with pytest.raises(ValueError):
        HitCounters.of(hits, 0, group_pages)
