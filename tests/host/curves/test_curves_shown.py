# SPDX-License-Identifier: BSD-2-Clause
"""Curves as text, tables, pictures and comparisons; sizes as people write them."""

import re

import numpy as np
import pytest
from litemrc.checks.comparison import Comparison, ContextComparison
from litemrc.curves.curve import Curve, Curves
from litemrc.curves.drawing import curves_html, draw, ratio_top, shown_sizes
from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.points import Tail
from litemrc.curves.sizes import MIB, size_bytes, size_text
from litemrc.errors import UserError
from matplotlib import pyplot

# Of 8 accesses: 1 - 4/8, 1 - 6/8, 1 - 7/8.
COUNTED = HitCounters.of([4, 2, 1], 1, 16)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("4096", 4096), (" 0 ", 0), ("512 KiB", 512 << 10), ("1.5 MiB", 3 << 19), ("16m", 16 << 20)),
        *(("2GB", 2 << 30), ("1T", 1 << 40), ("0.5K", 512)),
    ],
)
def test_a_size_is_a_number_with_a_power_of_1024(text, size):
    assert size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "K", "1X", "0.3", "1.3K", "1e3", "-1"])
def test_texts_that_are_no_size_are_refused(text):
    with pytest.raises(UserError, match="is not a memory size"):
        size_bytes(text)


def test_a_size_is_written_in_mib_from_one_on():
    assert (MIB, size_text(256, 4096), size_text(255, 4096)) == (1 << 20, "1 MiB", "1020 KiB")
    # 123,456 KiB / 1,024 = 120.56 MiB; digits before the point are kept.
    assert (size_text(123_456, 1024), size_text(123_456, 1024, 2)) == ("120.6 MiB", "121 MiB")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB")),
        *((1 << 30, "1 GiB"), (5 << 28, "1.25 GiB"), (1 << 34, "16 GiB"), (3 << 40, "3 TiB")),
        *((1 << 54, "16384 TiB"), ((1 << 20) - 1, "1 MiB"), ((1 << 40) - 1, "1 TiB"), (0.25, "0.25 B")),
    ],
)
def test_a_size_is_in_the_largest_unit_that_it_reaches(size, text):
    assert size_text(size, 1) == text


def test_no_size_has_an_exponent_and_each_is_read_back():
    """Four digits are an error of at most half a unit of the fourth: 0.05 %."""
    for power in range(51):
        for size in (1 << power, 3 << power, (1 << power) - 1, 999 << power):
            for digits in (1, 2, 3, 4):
                assert "e" not in size_text(size, 1, digits)
            number, unit = size_text(size, 1).split()
            read = float(number) * 1024 ** ("B", "KiB", "MiB", "GiB", "TiB").index(unit)
            assert read == pytest.approx(size, rel=5e-4)


def test_an_axis_of_gibibytes_has_round_labels(tmp_path):
    figure, axes = pyplot.subplots()
    draw([Curve([1 << 20, 16 << 20], [0.5, 0.1], 100, 1)], axes)  # 4 GiB and 64 GiB
    figure.savefig(tmp_path / "axis.png")
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"16 GiB", "32 GiB", "48 GiB", "64 GiB"} <= set(labels) and axes.get_xlabel() == "memory size"
    pyplot.close(figure)


def test_a_line_names_the_sizes_of_note():
    assert repr(COUNTED.curve(name="app")) == (
        "<Curve app, 8 accesses, miss ratio 0.125 at best, within 0.01 of it at 192 KiB,"
        " pages of 4,096 bytes>"
    )
    assert repr(Curve([1], [0.5], 0, 0)) == "<Curve unnamed, 0 accesses, pages of 4,096 bytes>"
    assert repr(Curve([], [], 3, 3, 64)) == "<Curve unnamed, 3 accesses, pages of 64 bytes>"
    assert (
        repr(Curves([COUNTED.curve(name="app")])) == f"<Curves: 1\n  {COUNTED.curve(name='app').summary()}>"
    )


def test_equal_names_are_numbered_in_the_curves_as_well():
    curves = Curves([COUNTED.curve(name=name) for name in ("a", "b", "a", "a")])
    assert [curve.name for curve in curves.values()] == list(curves) == ["a", "b", "a #2", "a #3"]
    assert Curves().to_pandas().columns.tolist() == ["name", "pages", "memory_bytes", "miss_ratio"]


def test_a_table_has_a_picture_of_160_by_40_pixels():
    shown = curves_html([COUNTED.curve()])
    assert "within 0.01 of it" in shown and 'width="160" height="40"' in shown
    (line,) = re.findall(r'points="([^"]*)"', shown)
    points = [tuple(map(float, point.split(","))) for point in line.split()]
    # The last pixel, 159, shows 48 pages (the largest reuse distance) and a tenth more, 52.8: 16 pages are
    # reached at pixel 48.2, 32 at 96.4, 48 at 144.5. A miss ratio of 1 is at the top.
    heights = [40 * 0] * 49 + [40 * 0.5] * 48 + [40 * 0.75] * 48 + [40 * 0.875] * 15
    assert points == list(zip(range(160), heights, strict=True))


def test_a_table_leaves_out_what_is_not_measured():
    for idle in (Curve([1], [0.5], 0, 0), Curve([], [], 5, 5)):
        shown = curves_html([idle])
        assert "<td>-</td>" in shown and "svg" not in shown


def test_a_drawing_begins_at_0_and_has_a_legend_if_a_curve_has_a_name():
    axes = draw([COUNTED.curve()])
    assert axes.figure.number in pyplot.get_fignums()
    assert axes.get_ylim()[0] == 0 and axes.get_legend() is None
    assert draw([COUNTED.curve(), COUNTED.curve(name="a")], axes).get_legend() is not None
    pyplot.close(axes.figure)


def test_a_drawing_shows_where_evicted_pages_begin():
    tail = Tail(1, 0, 24.0, 16, 32, 5.0)
    for name, label in (("", "resident | evicted"), ("app", "app: resident | evicted")):
        axes = draw([COUNTED.curve(1 << 19, name=name, tail=tail)])
        border = axes.lines[1]
        assert set(border.get_xdata()) == {12} and border.get_label() == label  # 24 pages of half a MiB
        assert axes.get_legend() is not None
        pyplot.close(axes.figure)
    axes = draw([COUNTED.curve(tail=Tail(0, 0, 24.0, 24, 24))])
    assert len(axes.lines) == 1, "nothing was evicted"
    pyplot.close(axes.figure)


def test_shown_sizes_are_as_many_as_asked_for_and_one_group_without_reuse():
    large = HitCounters.of([0] * 15 + [1], 0, 2).curve()
    assert shown_sizes([large], 5) == [2 * groups for groups in (1, 2, 4, 8, 16)]
    assert shown_sizes([HitCounters.of([0, 0], 9, 2).curve()]) == [2]


def test_the_end_of_a_miss_ratio_axis_ignores_unknown_ratios():
    assert [ratio_top([np.array([top, np.nan])]) for top in (0.15, 0.25, 1.0)] == [0.2, 0.3, 1.0]
    assert ratio_top([np.array([0.15]), np.array([0.02])]) == 0.2


def test_a_comparison_is_equal_if_something_was_compared_and_nothing_differs():
    same, other = ContextComparison(1, 3, 0), ContextComparison(2, 5, 2)
    assert [Comparison(contexts, 9).equal for contexts in ((), (same,), (same, other))] == [
        False,
        True,
        False,
    ]
    both = Comparison((same, other), 9)
    assert (both.counters, both.differences, both.first_difference) == (3 + 5, 0 + 2, "")


@pytest.mark.parametrize("name", ["one.png", "one.svg"])
def test_a_path_is_drawn_to(tmp_path, name):
    curve = COUNTED.curve(name="app")
    for drawn in (curve, Curves([curve])):
        path = tmp_path / name
        axes = drawn.plot(path)
        assert path.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml") and len(axes.lines) == 1
        path.unlink()
    assert str(path) and curve.plot(str(path)) and path.exists()
    assert not pyplot.get_fignums()


def test_a_path_that_is_no_picture_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"cannot end in '.txt'"):
        COUNTED.curve().plot(tmp_path / "curve.txt")
    with pytest.raises(UserError, match="No such file or directory"):
        COUNTED.curve().plot(str(tmp_path / "absent/curve.png"))


def test_an_unknown_curve_is_answered_with_the_names():
    curves = Curves([COUNTED.curve(name=name) for name in ("zipf", "loop")])
    with pytest.raises(KeyError) as error:
        curves["zip"]
    assert isinstance(error.value, UserError)
    assert str(error.value) == "Curves: no curve is named 'zip' (did you mean zipf? choose from zipf, loop)"
    assert curves.get("foo") is None and "foo" not in curves
    with pytest.raises(UserError, match=r"\(choose from zipf, loop\)"):
        curves["quux"]
    with pytest.raises(UserError, match="there is no curve"):
        Curves()["a"]


def test_a_difference_is_a_line():
    first, second = (COUNTED.curve(name="app"), Curve([16, 32, 48], [0.5, 0.5, 0.5], 8, 4))
    # |0.5 - 0.5|, |0.25 - 0.5|, |0.125 - 0.5| at 64, 128, 192 KiB; weights 64 KiB, 64 KiB, none.
    assert repr(first.difference(second)) == (
        "<CurveDifference mean 0.125, largest 0.375 at 192 KiB, 3 sizes>"
    )
