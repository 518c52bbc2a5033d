"""Curves as braille dots: steps where the curve has them, labels that stand for colours."""

import numpy as np
import pytest
from litemrc.curves.curve import Curve
from litemrc.live.ink import Ink, count_text, line, spark
from litemrc.live.plot import PlottedCurve, axis_pages, plot_lines

INK = Ink(dark=True)
WIDTH, HEIGHT = 70, 10  # 64 columns of 8 rows for the curves: 128 by 32 dots


def curve(*steps: tuple[int, float], reuse: int = 64) -> Curve:
    """A curve of sizes 1 to 64 pages whose miss ratio falls at these sizes."""
    ratios = np.ones(reuse)
    for size, ratio in steps:
        ratios[size - 1 :] = ratio
    return Curve(np.arange(1, reuse + 1), ratios, accesses=1000, misses=0)


def dots(lines: list[str]) -> set[tuple[int, int]]:
    """Column and row of each dot that is set."""
    found = set()
    for row, text in enumerate(lines):
        for column, character in enumerate(text[6:]):
            bits = ord(character) - 0x2800 if 0x2800 <= ord(character) < 0x2900 else 0
            for bit, (x, y) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]):
                if bits >> bit & 1:
                    found.add((2 * column + x, 4 * row + y))
    return found


def drawn(*curves: Curve, labels: str = "0123456789") -> list[str]:
    plotted = [PlottedCurve(each, label, INK.series(0)) for each, label in zip(curves, labels, strict=False)]
    return [strip.text for strip in plot_lines(plotted, 64, 4096, WIDTH, HEIGHT, INK)]


def test_a_step_is_drawn_at_its_size_and_its_ratios() -> None:
    lines = drawn(curve((33, 0.5), (64, 0.0)), labels=" ")  # 2 dots a page: the step at page 33 is at dot 66
    assert [len(text) for text in lines] == [WIDTH] * HEIGHT
    found = dots(lines[:8])
    row_of = {ratio: round((1 - ratio) * 31) for ratio in (1.0, 0.5)}
    for column in (40, 65):
        assert [row for x, row in found if x == column] == [row_of[1.0]]
    assert sorted(row for x, row in found if x == 66) == list(range(1, row_of[0.5] + 1))
    assert [row for x, row in found if x == 100] == [row_of[0.5]]
    assert {row for x, row in found if x == 127} == {row_of[0.5]}


def test_axes_have_units_and_the_highest_ratio() -> None:
    lines = drawn(curve((10, 0.0)))
    assert lines[0].startswith("    1┤") and lines[4].startswith("  0.5┤") and lines[8].startswith("    0└")
    assert lines[9].split() == ["0", "12", "KiB", "24", "KiB", "36", "KiB", "48", "KiB"]  # 12 pages in all


def test_curves_can_be_told_apart_without_colour() -> None:
    lines = drawn(curve((10, 0.5), (60, 0.1)), curve((50, 0.3)), labels="37")
    text = "".join(each[6:] for each in lines[:8])
    assert set(text) & set("0123456789") == {"3", "7"}
    rows = {character: [row for row, each in enumerate(lines[:8]) if character in each] for character in "37"}
    assert rows["3"] != rows["7"]


@pytest.mark.parametrize(("reuse", "end"), [(5, 8), (9, 12), (12, 16), (33, 48), (60, 64), (64, 64)])
def test_the_axis_ends_at_a_power_of_two_or_half_more(reuse: int, end: int) -> None:
    """So it stays while curves change a little."""
    assert axis_pages([curve((reuse, 0.0))], 64) == end


def test_a_curve_without_an_access_is_not_drawn() -> None:
    nothing = Curve(np.arange(1, 65), np.full(64, np.nan), accesses=0, misses=0)
    assert not dots(drawn(nothing)[:8])


def test_a_place_that_is_too_small_has_no_plot() -> None:
    assert plot_lines([PlottedCurve(curve((9, 0.1)), "1", INK.series(0))], 64, 4096, 20, 10, INK) == []


def test_a_history_ends_with_the_newest_value() -> None:
    assert spark([9, 0, 1, 8], 3) == " ▁█"
    assert spark([4], 3) == "  █"
    assert spark([0.5], 1, 1) == "▄"
    assert spark([0, 0], 2) == "  "


def test_counts_fit_their_column_and_lines_their_width() -> None:
    assert count_text(1_234_567) == "1,234,567"
    assert count_text(12_345_678_901, 10) == "12.35G"
    assert line(["abcdef"], 4).text == "abc…" and line(["ab"], 4).text == "ab  "
