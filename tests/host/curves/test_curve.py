# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves: what they answer between sizes, what they refuse, the sizes shown."""

import numpy as np
import pytest
from litemrc.curves.curve import Curve
from litemrc.curves.drawing import ratio_top, shown_sizes
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError


def curve_of(hits: list[int], misses: int, group_pages: int = 16, **attributes: object) -> Curve:
    return HitCounters.of(hits, misses, group_pages).curve(**attributes)


def test_miss_ratio_between_sizes_is_that_of_the_largest_size_that_fits():
    curve = curve_of([4, 2, 1], 1)  # of 8 accesses: 1 - 4/8, 1 - 6/8, 1 - 7/8
    at = {0: 1.0, 15: 1.0, 16: 0.5, 31: 0.5, 32: 0.25, 47: 0.25, 48: 0.125, 1000: 0.125}
    assert {pages: curve.at(pages=pages) for pages in at} == at


def test_a_size_is_given_in_pages_or_in_bytes_or_as_text():
    curve = curve_of([4, 2, 1], 1, page_bytes=4096)
    assert curve.at(pages=32) == curve.at(bytes=32 * 4096) == curve.at("128K") == curve.at("128 KiB") == 0.25
    assert curve.at(bytes=32 * 4096 - 1) == 0.5, "31 whole pages"
    assert curve_of([4, 2, 1], 1, page_bytes=64).at("2k") == 0.25, "32 pages of 64 bytes"


@pytest.mark.parametrize(
    ("arguments", "named", "why"),
    [
        ((), {}, "missing or ambiguous"),
        ((4096,), {}, "missing or ambiguous"),
        (("1M",), {"pages": 3}, "missing or ambiguous"),
        ((), {"pages": 1, "bytes": 1}, "missing or ambiguous"),
        ((), {"pages": -1}, "cannot have -1 pages"),
        (("1X",), {}, "'1X' is not a memory size"),
        (("0.3",), {}, "'0.3' is not a memory size"),
    ],
)
def test_a_size_that_is_not_clear_is_refused(arguments, named, why):
    with pytest.raises(UserError, match=why):
        curve_of([1], 1).at(*arguments, **named)


def test_sizes_that_the_engine_cannot_distinguish_are_refused():
    curve = curve_of([4, 2, 1], 1)
    assert curve.at_sizes([48, 16, 160]).tolist() == [0.125, 0.5, 0.125]
    assert curve.at_sizes([]).tolist() == []
    for wrong in (17, 0, -16):
        with pytest.raises(UserError, match=f"no miss ratio at {wrong} pages"):
            curve.at_sizes([16, wrong])


def test_smallest_size_within_epsilon_of_the_minimum():
    curve = curve_of([50, 30, 9, 1, 0, 0], 10)  # ratios 0.5 0.2 0.11 0.1 0.1 0.1
    assert curve.size_within(0) == 4 * 16
    assert curve.size_within(0.02) == 3 * 16
    assert curve.size_within(0.15) == 2 * 16
    assert curve.size_within(1) == 0
    for wrong in (-0.1, float("nan")):
        with pytest.raises(UserError, match="negative"):
            curve.size_within(wrong)


def test_the_largest_reuse_distance_reaches_to_the_last_group_hit():
    assert curve_of([5, 0, 1, 0], 2).max_reuse_distance == 3 * 16
    assert curve_of([0, 0, 0, 0], 2).max_reuse_distance == 0


def test_memory_without_reuse_is_worth_nothing():
    streaming = curve_of([0, 0], 100)
    assert streaming.miss_ratio.tolist() == [1.0, 1.0]
    assert streaming.size_within(0) == 0


def test_without_accesses_there_is_no_miss_ratio():
    idle = curve_of([0, 0], 0)
    assert np.isnan(idle.miss_ratio).all()
    assert np.isnan(idle.at(pages=0)) and np.isnan(idle.at(pages=100))
    assert (idle.size_within(0), idle.max_reuse_distance) == (0, 0)
    assert np.isnan(Curve([1], [float("nan")], 0, 0).miss_ratio).all()
    assert Curve([1], [0.5], 0, 0).miss_ratio.tolist() == [0.5]
    with pytest.raises(UserError, match="must be a list of float64"):
        Curve([1], [None], 0, 0)
    assert "0 accesses" in repr(idle) and idle._repr_html_()


def test_below_its_first_known_size_a_curve_answers_nothing():
    assert curve_of([4, 2, 1], 1).without_sizes_below(33).sizes_pages.tolist() == [48]
    curve = curve_of([4, 2, 1], 1).without_sizes_below(32)
    assert curve.sizes_pages.tolist() == [32, 48]
    assert curve.at(pages=32) == 0.25
    assert curve.size_within(1) == 32
    with pytest.raises(UserError, match="at 31 pages is unknown"):
        curve.at(pages=31)


@pytest.mark.parametrize(
    ("sizes", "ratios", "why"),
    [
        ([1, 1], [0.5, 0.5], "do not rise"),
        ([0], [0.5], "below one page"),
        ([1, 2], [0.5, 0.6], "rises with memory"),
        ([1], [1.5], "not in 0..1"),
        ([1], [float("nan")], "not in 0..1"),
        ([1, 2], [0.5], "2 sizes_pages and 1 miss_ratio"),
        ([1.5], [0.5], "must be a list of int64"),
        (["a"], [0.5], "must be a list of int64"),
        ([1], [None], "must be a list of float64"),
        ([1, 2], [True, False], "must be a list of float64"),
        ([[1], [2]], [0.5, 0.5], "must be a list of int64"),
        (
            [1, 2],
            [0.5, -0.1],
            r"sizes_pages\[1\] = 2, miss_ratio\[1\] = -0.1, before it 1 and 0.5: .*not in 0..1",
        ),
    ],
)
def test_impossible_curves_are_refused(sizes, ratios, why):
    with pytest.raises(UserError, match=why):
        Curve(sizes, ratios, 10, 5)


def test_a_curve_of_points_knows_all_sizes_and_lost_nothing():
    curve = Curve([1, 3], [0.5, 0.25], 10, 5, page_bytes=1)
    assert curve.at(bytes=2) == 0.5
    assert curve.at_sizes([1, 2, 3]).tolist() == [0.5, 0.5, 0.25]
    assert (curve.resolution_pages, curve.known_from_pages, curve.dropped) == (1, 0, 0)
    assert curve.overflow is False and curve.page_bytes == 1
    assert Curve([], [], 10, 5).size_within() == 0
    assert Curve([], [], 10, 5).at(pages=7) == 1.0


def test_a_page_has_bytes():
    with pytest.raises(UserError, match="cannot have 0 bytes"):
        Curve([1], [0.5], 10, 5, page_bytes=0)


def test_curves_are_immutable():
    curve = curve_of([4, 2, 1], 1)
    with pytest.raises(ValueError, match="read-only"):
        curve.miss_ratio[0] = 0
    with pytest.raises(AttributeError):
        curve.name = "other"


def test_shown_sizes_spread_by_equal_ratios_to_the_largest_reuse_distance():
    small, large = curve_of([1] + [0] * 15, 0, 128), curve_of([0] * 15 + [1], 0, 128)
    assert shown_sizes([small, large]) == [1 * 128, 4 * 128, 16 * 128]  # 1, sqrt(16), 16 groups
    assert shown_sizes([small]) == [128]


def test_a_miss_ratio_axis_ends_at_the_next_round_number():
    assert [ratio_top([np.array([top])]) for top in (0.0, 0.05, 0.06, 0.3, 0.31, 0.9)] == [
        0.05, 0.05, 0.1, 0.3, 0.5, 1.0,
    ]  # fmt: skip
    assert ratio_top([]) == 0.05


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("smallest", "size_within", (0.02,)),
        ("exactly_at", "at_sizes", ([16, 48],)),
        ("from_size", "without_sizes_below", (32,)),
        ("reuse_pages", "max_reuse_distance", None),
    ],
)
def test_the_names_of_version_0_1_answer_the_same_and_name_the_new_ones(old, new, arguments):
    curve = curve_of([50, 30, 9, 1, 0, 0], 10)

    def answer(name: str) -> object:
        found = getattr(curve, name)
        return found if arguments is None else found(*arguments)

    with pytest.warns(DeprecationWarning, match=f"^Curve.{old} is deprecated: use Curve.{new}$") as warned:
        former = answer(old)
    assert warned[0].filename == __file__, "the warning is about the caller"
    assert repr(former) == repr(answer(new))


def test_the_keyword_of_smallest_stays():
    with pytest.warns(DeprecationWarning):
        assert curve_of([50, 30, 9, 1, 0, 0], 10).smallest(epsilon=0.15) == 2 * 16
