# SPDX-License-Identifier: BSD-2-Clause
"""Differences of curves, curves of another page size, and confidence bands."""

import numpy as np
import pytest
from litemrc.curves.curve import Curve, Curves
from litemrc.errors import UserError
from matplotlib.figure import Figure


def curve(sizes, ratios, **options) -> Curve:
    return Curve(np.array(sizes), np.array(ratios, float), options.pop("accesses", 100), 10, **options)


def test_the_difference_is_taken_over_the_sizes_of_both():
    # Sizes 1, 2, 4, 8: 0.9 - 0.7, 0.5 - 0.7, 0.5 - 0.4, 0.1 - 0.4, over 1, 2 and 4 pages of memory.
    apart = curve([1, 2, 8], [0.9, 0.5, 0.1]).difference(curve([1, 4], [0.7, 0.4]))
    assert apart.memory_bytes.tolist() == [4096 * pages for pages in (1, 2, 4, 8)]
    assert apart.differences == pytest.approx([0.2, -0.2, 0.1, -0.3])
    assert apart.mean == pytest.approx((1 * 0.2 + 2 * 0.2 + 4 * 0.1) / 7)
    assert (apart.largest, apart.largest_at_bytes) == (pytest.approx(0.3), 8 * 4096)


def test_sizes_that_one_curve_does_not_resolve_are_left_out():
    # Groups of 2 pages: the ratio at 1, 3 and 5 pages was not measured.
    apart = curve([1, 2, 3, 4, 5], [0.9, 0.8, 0.7, 0.6, 0.5]).difference(
        curve([2, 4], [0.8, 0.5], resolution_pages=2)
    )
    assert apart.memory_bytes.tolist() == [2 * 4096, 4 * 4096]
    assert apart.differences == pytest.approx([0, 0.1])
    # The order in intervals is unknown below 3 pages.
    apart = curve([3, 4], [0.7, 0.6], known_from_pages=3).difference(curve([1, 4], [0.9, 0.6]))
    assert apart.memory_bytes.tolist() == [3 * 4096, 4 * 4096]


def test_pages_of_two_sizes_are_compared_in_bytes():
    apart = curve([4, 8], [0.5, 0.25], page_bytes=1024).difference(curve([1, 2], [0.5, 0.5]))
    assert apart.memory_bytes.tolist() == [4096, 8192] and apart.differences.tolist() == [0, -0.25]


def test_curves_at_one_common_size_have_its_difference():
    apart = curve([4], [0.5]).difference(curve([1, 4], [1, 0.75]))
    assert (apart.mean, apart.largest, apart.largest_at_bytes) == (0.25, 0.25, 4 * 4096)


def test_curves_without_accesses_or_common_sizes_are_refused():
    idle = curve([1], [np.nan], accesses=0)
    with pytest.raises(UserError, match="no access"):
        idle.difference(curve([1], [0.5]))
    with pytest.raises(UserError, match="no access"):
        curve([1], [0.5]).difference(idle)
    with pytest.raises(UserError, match="no memory size is resolved"):
        curve([3], [0.5], resolution_pages=3).difference(curve([2], [0.5], resolution_pages=2))


def test_a_curve_in_larger_pages_has_the_same_ratios_at_the_same_bytes():
    # 5 pages of 1 KiB in pages of 2 KiB: what fits into 1, 2, 3 of them is 2, 4 and 5 small ones.
    small = curve([1, 2, 3, 4, 5], [0.9, 0.8, 0.7, 0.6, 0.5], page_bytes=1024)
    large = small.resized(2048)
    assert (large.sizes_pages.tolist(), large.page_bytes) == ([1, 2, 3], 2048)
    assert large.miss_ratio.tolist() == [0.8, 0.6, 0.5]
    assert small.resized(512).sizes_pages.tolist() == [2, 4, 6, 8, 10]
    grouped = curve([4, 8], [0.9, 0.5], resolution_pages=4, known_from_pages=3, page_bytes=1024).resized(2048)
    assert (grouped.resolution_pages, grouped.known_from_pages) == (2, 2)
    with pytest.raises(UserError, match="0 bytes"):
        small.resized(0)


def test_a_band_surrounds_the_curve_and_stays_with_it():
    sampled = curve([2, 3], [0.5, 0.25], low=[0.4, 0.2], high=[0.6, 0.25], page_bytes=1024)
    assert sampled.columns()["miss_ratio_low"].tolist() == [0.4, 0.2]
    assert sampled.to_pandas().miss_ratio_high.tolist() == [0.6, 0.25]
    assert "miss_ratio_high" in sampled.to_arrow().column_names
    cut = sampled.without_sizes_below(3)
    assert (cut.low.tolist(), cut.high.tolist()) == ([0.2], [0.25])
    both = sampled.resized(4096)
    assert (both.low.tolist(), both.high.tolist()) == ([0.2], [0.25])
    assert "miss_ratio_low" not in curve([1], [0.5]).columns()


def test_frames_and_pictures_of_several_curves_keep_the_bands():
    sampled = curve([2, 3], [0.5, 0.25], low=[0.4, 0.2], high=[0.6, 0.25], name="sampled")
    both = Curves([curve([1], [0.5], name="exact"), sampled])
    frame = both.to_pandas()
    assert frame.columns.tolist() == [
        *("name", "pages", "memory_bytes", "miss_ratio", "miss_ratio_low", "miss_ratio_high")
    ]
    assert frame.miss_ratio_low.tolist()[1:] == [0.4, 0.2] and np.isnan(frame.miss_ratio_low[0])
    axes = both.plot(Figure().subplots())
    assert len(axes.collections) == 1 and len(axes.lines) == 2


@pytest.mark.parametrize(
    ("band", "why"),
    [
        ({"low": [0.4]}, "both limits"),
        ({"high": [0.6]}, "both limits"),
        ({"low": [0.4, 0.4], "high": [0.6, 0.6]}, "length"),
        ({"low": [0.6], "high": [0.7]}, "not in its band 0.6 to 0.7"),
        ({"low": [0.4], "high": [0.45]}, "not in its band"),
        ({"low": [-0.1], "high": [0.6]}, "not in its band"),
        ({"low": [0.4], "high": [1.1]}, "not in its band"),
        ({"low": [0.4], "high": [np.nan]}, "must be a list|not in its band"),
    ],
)
def test_impossible_bands_are_refused(band, why):
    with pytest.raises(UserError, match=why):
        curve([1], [0.5], **band)
