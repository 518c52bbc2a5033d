# SPDX-License-Identifier: BSD-2-Clause
"""Sampled curves come near the exact one, and are it where nothing is left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.exact_stack import ExactStack
from litemrc.native.shards import ShardsFixedRate, ShardsFixedSize

from tests.host.native.page_streams import loop, zipf

PAGES = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), min_size=1, max_size=200)


def curve_of(engine, pages: np.ndarray) -> Curve:
    for chunk in np.array_split(pages, 3):
        engine.access(chunk)
    return engine.curve()


def mean_absolute_error(sampled: Curve, exact: Curve) -> float:
    return float(np.abs(sampled.at_sizes(exact.sizes_pages) - exact.miss_ratio).mean())


@settings(deadline=None)
@given(PAGES)
def test_a_sample_of_all_pages_is_exact(pages: list[int]) -> None:
    array = np.array(pages, np.uint64)
    exact = curve_of(ExactStack(), array)
    for engine in (ShardsFixedRate(1), ShardsFixedSize(200)):
        curve = curve_of(engine, array)
        assert (curve.accesses, curve.misses) == (exact.accesses, exact.misses)
        assert np.allclose(curve.at_sizes(exact.sizes_pages), exact.miss_ratio, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_one_percent_of_a_zipf_traces_pages_is_near_the_exact_curve(seed: int) -> None:
    pages = zipf(3_000_000, 1 << 18, 1.0, seed)
    exact = curve_of(ExactStack(), pages)
    assert mean_absolute_error(curve_of(ShardsFixedRate(0.01), pages), exact) < 0.005


@pytest.mark.parametrize("seed", range(3))
def test_a_fixed_number_of_pages_is_near_the_exact_curve(seed: int) -> None:
    pages = zipf(2_000_000, 1 << 17, 0.8, seed)
    exact, engine = curve_of(ExactStack(), pages), ShardsFixedSize(8192)
    curve = curve_of(engine, pages)
    assert mean_absolute_error(curve, exact) < 0.005
    # 8,192 of 131,072 pages, nearly all of which are drawn
    assert engine.rate == pytest.approx(1 / 16, rel=0.1)
    assert curve.misses == pytest.approx(exact.misses, rel=0.02)


@pytest.mark.parametrize("stride", [1, 2, 987, 4096, 1 << 40])
def test_regular_pages_are_sampled_at_the_rate(stride: int) -> None:
    """987 is a Fibonacci number, for which the golden ratio spreads worst."""
    pages = np.arange(200_000, dtype=np.uint64) * np.uint64(stride)
    core = _core.ShardsFixedRate(0.01)
    core.access(pages)
    assert int(core.histogram()[0]) == pytest.approx(2000, abs=5 * 2000**0.5)  # five standard deviations


def test_contiguous_pages_are_sampled_evenly() -> None:
    """49 blocks of 4,096 pages: each a page more or less than 40.96, in a random direction."""
    core = _core.ShardsFixedRate(0.01)
    core.access(np.arange(49 * 4096, dtype=np.uint64))
    assert int(core.histogram()[0]) == pytest.approx(49 * 40.96, abs=3 * 49**0.5)


def test_the_cliff_of_a_loop_is_misplaced_by_no_more_than_the_sampling_error() -> None:
    """1 % of 65,536 pages: the cliff stands within a few sampled pages, 100 pages each, of the footprint."""
    curve = curve_of(ShardsFixedRate(0.01), loop(1 << 19, 1 << 16))
    low, high = curve.at_sizes([(1 << 16) - 2000, (1 << 16) + 2000])
    assert low > 0.98 and high == pytest.approx(1 / 8, abs=0.02)


@pytest.mark.parametrize("rate", [0, -0.1, 1.5, float("nan")])
def test_other_rates_are_refused(rate: float) -> None:
    with pytest.raises(UserError, match="above 0 and at most 1"):
        ShardsFixedRate(rate)


@pytest.mark.parametrize("pages", [0, -1, 1 << 40])
def test_other_sample_sizes_are_refused(pages: int) -> None:
    with pytest.raises(UserError, match="the sample must be 1 to"):
        ShardsFixedSize(pages)


def test_a_sample_without_pages_is_refused() -> None:
    engine = ShardsFixedRate(1e-9)
    engine.access([1, 2, 3])
    with pytest.raises(UserError, match="no page of the trace is in the sample"):
        engine.curve()


def test_a_sample_of_one_page_is_possible() -> None:
    curve = curve_of(ShardsFixedSize(1), loop(1000, 10))
    assert curve.accesses == 1000 and np.all((curve.miss_ratio >= 0) & (curve.miss_ratio <= 1))
