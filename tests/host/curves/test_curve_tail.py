# SPDX-License-Identifier: BSD-2-Clause
"""Refaults in curves: equal to exact LRU for any memory; what can be done with curves beyond the memory."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.points import Tail
from litemrc.golden.monitor.lru_stack import LruStack


def split_at_memory(trace: list[int], memory: int, group_pages: int, groups: int) -> HitCounters:
    """What a monitor counts beside an operating system that keeps `memory` pages by LRU.

    The frame of an evicted page is invalid: the hardware's stack holds the resident pages alone; a refault is
    a miss to it. Its position is: resident pages + pages evicted later and still out.
    """
    resident, evicted = LruStack[int](), list[int]()  # evicted: the last one first
    hits, refaults, misses = [0] * groups, [0] * (2 * groups), 0
    for page in trace:
        position = resident.access(page)
        if position is not None:
            hits[position // group_pages] += 1
            continue
        misses += 1
        if page in evicted:
            refaults[(len(resident) - 1 + evicted.index(page)) // group_pages] += 1
            evicted.remove(page)
        if len(resident) > memory:
            evicted.insert(0, resident.pages[-1])
            resident.remove(evicted[0])
    return HitCounters.of(hits, misses, group_pages, refaults=refaults)


@given(st.lists(st.integers(0, 15), min_size=1, max_size=80), st.integers(1, 8), st.sampled_from([1, 2, 4]))
def test_resident_and_evicted_pages_together_have_the_curve_of_one_exact_stack(trace, memory, group_pages):
    counters = split_at_memory(trace, memory, group_pages, 8 // group_pages)
    stack = LruStack()
    positions = [stack.access(page) for page in trace]
    curve = counters.curve()
    for pages, ratio in zip(curve.sizes_pages.tolist(), curve.miss_ratio, strict=True):
        missed = sum(position is None or position >= pages for position in positions)
        assert ratio == missed / len(trace)
    assert curve.misses == positions.count(None)
    assert (curve.accesses, counters.accesses) == (len(trace), len(trace))


def test_a_monitor_without_a_tail_sees_nothing_behind_the_memory():
    """A loop over 6 pages in a memory of 4: LRU never hits. A page lies behind 4 resident and 1 evicted."""
    trace = list(itertools.islice(itertools.cycle(range(6)), 30))
    counters = split_at_memory(trace, 4, 1, 4)
    assert counters.without_refaults().curve().miss_ratio.tolist() == [1, 1, 1, 1]
    assert counters.refaults.tolist() == [0, 0, 0, 0, 0, 24]
    assert counters.curve().miss_ratio.tolist() == [1, 1, 1, 1, 1, 6 / 30]


def test_a_curve_beyond_the_memory_is_compared_scaled_and_summarized():
    near = Curve([16, 32], [0.5, 0.25], 100, 25)
    far = Curve([16, 32, 48], [0.5, 0.25, 0.15], 100, 15, tail=Tail(10, 2, 30.0, 28, 33, 9.0, 1))
    difference = far.difference(near)
    assert difference.memory_bytes.tolist() == [16 * 4096, 32 * 4096, 48 * 4096]
    assert difference.largest == pytest.approx(0.1)
    large = far.resized(8192)
    assert large.tail == Tail(10, 2, 15.0, 14, 17, 4.5, 1)
    assert far.without_sizes_below(32).tail == far.tail
    assert "120 KiB resident" in far.summary() and "resident" not in near.summary()


def test_refaults_of_nothing_are_no_refaults():
    plain = HitCounters.of([3, 1], 2, 16, refaults=[0, 0, 0])
    assert plain.refaults.size == 0 and plain.curve().sizes_pages.tolist() == [16, 32]
    idle = HitCounters.of([0, 0], 0, 16, refaults=[0, 0, 5]).curve()
    assert np.isnan(idle.miss_ratio).all() and idle.sizes_pages.tolist() == [16, 32, 48]


@pytest.mark.parametrize(
    "wrong",
    [
        (-1, 0, 5.0, 5, 5),
        (0, -1, 5.0, 5, 5),
        (0, 0, 4.0, 5, 5),
        (0, 0, 6.0, 5, 5),
        (0, 0, -1.0, -2, 5),
        (0, 0, float("nan"), 5, 5),
        (0, 0, 5.0, 5, 5, -1.0),
        (3, 0, 5.0, 5, 5, 1.0, 4),
    ],
)
def test_an_impossible_tail_is_refused(wrong):
    with pytest.raises(ValueError):
        Tail(*wrong)
