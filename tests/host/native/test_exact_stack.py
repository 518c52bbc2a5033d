# SPDX-License-Identifier: BSD-2-Clause
"""The exact engine answers what the golden LRU stack answers, for every size, however the trace is cut."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.exact_stack import ExactStack

from tests.host.native.golden_histogram import golden_histogram

FAR = 0x9E3779B97F4A7C15  # times this, modulo 2^64, neighbouring pages lie far apart
PAGES = st.lists(st.integers(0, 40), max_size=400)
SPREADS = st.sampled_from([1, 1 << 40, FAR])


@pytest.fixture(params=_core.instruction_sets())
def instruction_set(request) -> Iterator[str]:
    _core.use_instruction_set(request.param)
    yield request.param
    _core.use_instruction_set(None)


def spread(pages: list[int] | np.ndarray, factor: int) -> np.ndarray:
    return np.array(pages, np.uint64) * np.uint64(factor)


def engine_of(*chunks: np.ndarray) -> ExactStack:
    engine = ExactStack()
    for chunk in chunks:
        engine.access(chunk)
    return engine


def test_scalar_and_vector_code_are_both_there() -> None:
    assert len(_core.instruction_sets()) >= 2


@settings(deadline=None)
@given(PAGES, SPREADS, st.lists(st.integers(0, 400), max_size=5))
def test_histogram_is_the_golden_stacks_over_any_chunks(
    pages: list[int], factor: int, cuts: list[int]
) -> None:
    chunks = np.split(spread(pages, factor), sorted(min(cut, len(pages)) for cut in cuts))
    assert engine_of(*chunks).histogram().tolist() == golden_histogram(pages)


@settings(deadline=None)
@given(PAGES.filter(len))
def test_curve_is_one_minus_the_hits_of_that_size_and_smaller(pages: list[int]) -> None:
    curve = engine_of(spread(pages, 1)).curve()
    histogram = golden_histogram(pages)
    assert (curve.accesses, curve.misses) == (len(pages), len(set(pages)))
    assert curve.sizes_pages.tolist() == list(range(1, len(histogram)))
    for size, ratio in zip(curve.sizes_pages.tolist(), curve.miss_ratio.tolist(), strict=True):
        assert ratio == (len(pages) - sum(histogram[1 : size + 1])) / len(pages)


@pytest.mark.parametrize("factor", [1, FAR])
def test_long_traces_outlive_renumbering(instruction_set: str, factor: int) -> None:
    """With 64 Ki slots 200,000 accesses renumber three times. Half of them are local, half go everywhere."""
    generator = np.random.default_rng(2004)
    near = generator.integers(0, 30, 200_000)
    pages = np.where(generator.random(200_000) < 0.5, near, generator.integers(0, 700, 200_000))
    engine = engine_of(*np.array_split(spread(pages, factor), 17))
    assert engine.histogram().tolist() == golden_histogram(pages.tolist())


@pytest.mark.parametrize("footprint", [1, 2047, 65_536, 700_001])
@pytest.mark.parametrize("factor", [1, FAR])
def test_loops_hit_at_their_footprint_only(instruction_set: str, footprint: int, factor: int) -> None:
    """Every page of a loop over n pages comes back at distance n."""
    rounds = 3
    engine = engine_of(np.tile(spread(np.arange(footprint), factor), rounds))
    histogram = engine.histogram()
    assert (histogram[0], histogram[footprint]) == (footprint, (rounds - 1) * footprint)
    assert int(histogram.sum()) == rounds * footprint


def test_back_and_forth_hits_at_every_distance(instruction_set: str) -> None:
    """0 .. n-1 and back: the page i before the turn comes back at distance i, counted from 1."""
    footprint = 3_000_000
    pages = np.arange(footprint, dtype=np.uint64)
    histogram = engine_of(pages, pages[::-1]).histogram()
    assert histogram[0] == footprint and np.array_equal(histogram[1:], np.ones(footprint))


def test_pages_may_turn_sparse_late() -> None:
    pages = np.array([*range(5000), *range(5000), 2**63, 2**64 - 1, 0], np.uint64)
    histogram = engine_of(pages[:7000], pages[7000:]).histogram()
    # Before the last access, to page 0, the 4,999 others of the loop and the two sparse pages were used.
    assert (histogram[0], histogram[5000], histogram[5002]) == (5002, 5000, 1)


def test_pages_may_turn_dense_late() -> None:
    """Random numbers below 1.2 M look sparse until a sixth is known; then one is far above all."""
    footprint = 1_200_000
    pages = np.random.default_rng(6).permutation(footprint).astype(np.uint64)
    histogram = engine_of(pages, pages, np.array([2**63, pages[0]], np.uint64)).histogram()
    # Before the last access, to the first page of the loop, the others and the sparse page were used.
    assert (histogram[0], histogram[footprint], histogram[footprint + 1]) == (footprint + 1, footprint, 1)


def test_a_distance_may_come_back_more_than_65536_times() -> None:
    """A counter holds 2 bytes; three pages in turn, then one of them over and over."""
    loop, one = np.arange(300_000, dtype=np.uint64) % np.uint64(3), np.zeros(200_001, np.uint64)
    histogram = engine_of(loop, one).histogram()
    assert histogram.tolist() == [3, 200_000, 0, 299_998]


def test_slots_of_the_highest_level_count_too() -> None:
    """2^26 slots lie below one number of the highest level: 2^26 accesses to 10 pages, then 5 in disorder."""
    loop = np.tile(np.arange(10, dtype=np.uint64), (1 << 20) // 10 + 1)
    core = _core.ExactStack(slots=1 << 27)
    while core.accesses <= 1 << 26:
        core.access(loop)
    before = core.histogram()
    # Since their last access: none; 4 to 9; 3; 5 to 9 and 3; all others. So distances 1, 7, 2, 7 and 10.
    core.access(np.array([9, 3, 9, 4, 0], np.uint64))
    assert (core.histogram() - before).tolist() == [0, 1, 1, 0, 0, 0, 0, 2, 0, 0, 1]


def test_no_access_has_an_empty_curve() -> None:
    curve = engine_of(np.empty(0, np.uint64)).curve()
    assert (curve.accesses, curve.misses, curve.sizes_pages.size) == (0, 0, 0)


def test_sizes_beyond_the_footprint_miss_as_often_as_the_footprint() -> None:
    curve = engine_of(np.array([1, 3, 1, 1], np.uint64)).curve()
    # zhou2004, figure 2
    assert curve.at_sizes([1, 2, 3, 1000]).tolist() == [0.75, 0.5, 0.5, 0.5]
    with pytest.raises(UserError, match="no miss ratio at 0 pages"):
        curve.at_sizes([0])


def test_negative_pages_are_refused_and_change_nothing() -> None:
    engine = engine_of(np.array([1, 2], np.uint64))
    with pytest.raises(UserError, match="page number -7 is negative"):
        engine.access(np.array([3, -7]))
    assert engine.accesses == 2
