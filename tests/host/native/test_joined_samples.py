# SPDX-License-Identifier: BSD-2-Clause
"""Samples of a fixed number of pages, of parts that are read twice, are the sample of one engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.shards import ShardsFixedSize
from litemrc.native.shards_size_part import (
    ShardsSizePart,
    ShardsSizeState,
    SmallestPages,
    SmallestPagesPart,
)
from numpy.typing import NDArray

from tests.host.native.page_streams import loop, zipf

ROUNDING = 1e-12  # relative: sums of up to 10^6 weights, in another order


def states(pages: NDArray[np.uint64], cuts: list[int], size: int, *, band: bool) -> list[ShardsSizeState]:
    """Read the parts between the cuts twice, and return their states."""
    parts = np.split(pages, sorted(min(cut, pages.size) for cut in cuts))
    before, found = SmallestPages.none(size), []
    for part in parts:
        second = ShardsSizePart(size, band=band, before=before)
        first = SmallestPagesPart(size)
        for chunk in np.array_split(part, 3):
            first.access(chunk)
            second.access(chunk)
        found.append(second.state())
        before = before.join(first.state())
    return found


def joined(parts: list[ShardsSizeState], choose: list[int]) -> ShardsSizeState:
    """Join neighbours until one state is left; `choose` says which pair is next."""
    parts = list(parts)
    for number in [*choose, *[0] * len(parts)]:
        if len(parts) > 1:
            at = number % (len(parts) - 1)
            parts[at : at + 2] = [parts[at].join(parts[at + 1])]
    return parts[0]


def check(found: ShardsSizeState, one: ShardsFixedSize) -> None:
    curve, wanted = found.curve(), one.curve()
    assert 1 - found.threshold / 2**64 == 1 - one.rate
    assert (curve.accesses, curve.misses) == (wanted.accesses, wanted.misses)
    assert np.array_equal(curve.sizes_pages, wanted.sizes_pages)
    for name in ("miss_ratio", "low", "high"):
        mine, theirs = getattr(curve, name), getattr(wanted, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            # A band is the root of a variance: of 0, rounding makes the root of the rounding.
            allowed = ROUNDING if name == "miss_ratio" else 1e-7
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=allowed)


@settings(deadline=None, max_examples=300)
@given(
    pages=st.lists(st.integers(0, 40), min_size=1, max_size=300),
    size=st.integers(1, 45),
    cuts=st.lists(st.integers(0, 300), max_size=6),
    order=st.lists(st.integers(0, 10), max_size=6),
    band=st.booleans(),
)
def test_any_cuts_joined_in_any_grouping_give_the_sample_of_one_engine(
    pages: list[int], size: int, cuts: list[int], order: list[int], band: bool
) -> None:
    array = np.array(pages, np.uint64) * np.uint64(977)  # of different blocks: their hashes are unrelated
    one = ShardsFixedSize(size, band=band)
    one.access(array)
    check(joined(states(array, cuts, size, band=band), order), one)


@pytest.mark.parametrize("size", [100, 3000])
@pytest.mark.parametrize(
    "pages",
    [
        zipf(500_000, 90_000, 0.9, seed=1),
        loop(500_000, 130_000),
        np.arange(500_000, dtype=np.uint64) // np.uint64(3),  # the threshold falls until the end
    ],
    ids=["zipf", "loop", "rising"],
)
def test_long_parts_give_the_sample_of_one_engine(pages: np.ndarray, size: int) -> None:
    one = ShardsFixedSize(size, band=True)
    one.access(pages)
    parts = states(pages, [1000, 150_000, 150_000, 350_000, 480_000], size, band=True)
    for order in ([], [4, 3, 2, 1, 0], [0, 1, 2]):
        check(joined(parts, order), one)


def test_without_the_first_reading_the_estimate_is_another() -> None:
    # Seeded mistake: each part begins at rate 1, as if nothing came before it.
    pages = zipf(500_000, 90_000, 0.9, seed=1)
    one = ShardsFixedSize(100)
    one.access(pages)
    parts = []
    for part in np.array_split(pages, 5):
        engine = ShardsSizePart(100, band=False)
        engine.access(part)
        parts.append(engine.state())
    with pytest.raises(AssertionError):
        check(joined(parts, []), one)


def test_the_smallest_hashes_of_parts_are_those_of_the_whole_in_any_order() -> None:
    pages = zipf(100_000, 20_000, 0.5, seed=4)
    whole = SmallestPagesPart(500)
    whole.access(pages)
    parts = []
    for part in np.array_split(pages, 7):
        engine = SmallestPagesPart(500)
        engine.access(part)
        parts.append(engine.state())
    for order in (parts, parts[::-1]):
        found = SmallestPages.none(500)
        for part in order:
            found = found.join(part)
        assert found.threshold == whole.state().threshold
        assert found.pages.tolist() == whole.state().pages.tolist()
        assert 0 < found.pages.size <= 500


def test_an_impossible_sample_is_refused() -> None:
    for make in (SmallestPagesPart, lambda size: ShardsSizePart(size, band=False)):
        with pytest.raises(UserError, match="the sample must be 1 to"):
            make(0)


def test_a_curve_is_of_counts_only() -> None:
    state = states(loop(1000, 50), [300], 40, band=True)[0]
    only = state.only_counts()
    assert isinstance(only.curve(), Curve)
    assert only.nbytes < state.nbytes
