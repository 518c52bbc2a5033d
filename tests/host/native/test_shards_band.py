# SPDX-License-Identifier: BSD-2-Clause
"""The 95 % band of a sampled curve contains the true miss ratio in 95 % of all samples."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.engines import make_engine
from litemrc.native.exact_stack import ExactStack
from litemrc.native.shards import ShardsFixedRate, ShardsFixedSize

from tests.host.native.page_streams import loop, zipf

SAMPLES = 200
BINOMIAL = (0.95 * 0.05 / SAMPLES) ** 0.5  # standard deviation of a coverage of 95 % in n samples
PAGES = 20_000


def stream(kind: str) -> np.ndarray:
    if kind == "zipf":
        return zipf(100_000, PAGES, 0.9, 1)
    mixed = np.empty(100_000, np.uint64)
    mixed[0::2], mixed[1::2] = zipf(50_000, PAGES // 2, 0.9, 2), loop(50_000, 8000) + np.uint64(PAGES)
    return mixed


def apart(pages: np.ndarray, seed: int) -> np.ndarray:
    """Each page in a block of 4,096 pages of its own: pages are sampled independently."""
    return (pages << np.uint64(20) | np.uint64(seed)) << np.uint64(12)


def together(pages: np.ndarray, seed: int) -> np.ndarray:
    """The same numbers in other blocks: pages of one block are sampled evenly."""
    return pages + (np.uint64(seed + 1) << np.uint64(32))


def coverage(pages: np.ndarray, place, make) -> np.ndarray:
    """Share of the samples whose band contains the true miss ratio, for each of 12 memory sizes."""
    stack = ExactStack()
    stack.access(pages)
    sizes = np.geomspace(200, 0.9 * stack.footprint_pages, 12).astype(int)
    true = stack.curve().at_sizes(sizes)
    inside = np.zeros(sizes.size)
    for seed in range(SAMPLES):
        engine = make()
        engine.access(place(pages, seed))
        curve = engine.curve()
        at = np.searchsorted(curve.sizes_pages, sizes, side="right") - 1
        inside += (curve.low[at] <= true) & (true <= curve.high[at])
    return inside / SAMPLES


ENGINES = {"rate": lambda: ShardsFixedRate(0.05, band=True), "size": lambda: ShardsFixedSize(1024, band=True)}


@pytest.mark.parametrize("kind", ["zipf", "zipf+loop"])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_band_of_independent_samples_covers_95_percent(kind, engine):
    covered = coverage(stream(kind), apart, ENGINES[engine])
    assert covered.mean() == pytest.approx(0.95, abs=2 * BINOMIAL)
    assert covered.min() > 0.95 - 4 * BINOMIAL and covered.max() <= 0.95 + 4 * BINOMIAL


@pytest.mark.parametrize("engine", ENGINES)
def test_the_band_of_even_samples_covers_at_least_95_percent(engine):
    covered = coverage(stream("zipf+loop"), together, ENGINES[engine])
    assert covered.mean() >= 0.95 and covered.min() > 0.95 - 4 * BINOMIAL


def test_each_sampled_page_is_left_out_of_one_of_the_groups():
    pages = apart(zipf(20_000, 3000, 0.5, 3), 1)
    rate, size = _core.ShardsFixedRate(0.5, groups=True), _core.ShardsFixedSize(1000, groups=True)
    rate.access(pages)
    size.access(pages)
    sampled = int(rate.histogram().sum())
    parts = [rate.histogram_without(group) for group in range(8)]
    assert sum(int(part.sum()) for part in parts) == 7 * sampled
    assert sum(int(part[0]) for part in parts) == 7 * int(rate.histogram()[0])
    counts = [weights.sum() + cold for _, weights, cold in (size.weights_without(g) for g in range(8))]
    _, weights, cold = size.weights()
    # Each access counts with 8/7 of its weight in 7 of the 8 samples.
    assert sum(counts) == pytest.approx(8 * (weights.sum() + cold))
    with pytest.raises(IndexError):
        rate.histogram_without(8)


def test_a_sample_of_all_pages_has_no_error():
    for engine in (ShardsFixedRate(1, band=True), ShardsFixedSize(100, band=True)):
        engine.access([1, 2, 3, 1, 2, 3, 1])
        curve = engine.curve()
        assert curve.low.tolist() == curve.miss_ratio.tolist() == curve.high.tolist()


def test_bands_are_estimated_unless_told():
    pages = zipf(20_000, 3000, 0.5, 3)
    for parameters in ({"sample_rate": 0.1}, {"sample_pages": 100}):
        for band in (None, True, False):
            engine = make_engine("shards", band=band, **parameters)
            engine.access(pages)
            curve = engine.curve()
            assert (curve.low is None) == (curve.high is None) == (band is False)
    with pytest.raises(UserError, match="engine exact has no band"):
        make_engine("exact", band=True)
