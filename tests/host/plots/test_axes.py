# SPDX-License-Identifier: BSD-2-Clause
"""The check that all pictures pass finds what it looks for."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.host.plots.axes import indistinct, leaving

INSIDE = (0, 1)


def picture():
    figure = Figure(figsize=(4, 3), dpi=100, layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=INSIDE, ylim=INSIDE)
    return figure, axes


@pytest.mark.parametrize(
    "draw",
    [
        lambda axes, far: axes.plot([0, 0.5], [0, far]),
        lambda axes, far: axes.plot(far, 0.5, "o"),
        lambda axes, far: axes.step([0, far], [0, 0.5], where="post"),
        lambda axes, far: axes.bar([0.5], [far], width=0.1),
        lambda axes, far: axes.barh([0.5], [far], height=0.1),
        lambda axes, far: axes.stairs([0.5, far], [0, 0.5, 1]),
        lambda axes, far: axes.fill_between([0, 1], [0, 0], [0.5, far]),
        lambda axes, far: axes.scatter([0.5], [far]),
    ],
)
def test_data_outside_the_axes_are_found_and_data_inside_are_not(draw):
    figure, axes = picture()
    draw(axes, 0.9)
    axes.set(xlim=INSIDE, ylim=INSIDE)
    assert leaving(figure) == []
    figure, axes = picture()
    draw(axes, 1.2)
    axes.set(xlim=INSIDE, ylim=INSIDE)
    assert len(leaving(figure)) == 1


def test_missing_values_and_lines_across_the_axes_are_no_data_outside():
    figure, axes = picture()
    axes.plot([0, 1], [np.nan, 0.5])
    axes.axhline(0.5)
    axes.axvspan(0.2, 0.4)
    assert leaving(figure) == []


def test_a_text_outside_the_picture_is_found():
    figure, axes = picture()
    axes.text(0.5, 0.5, "inside")
    assert leaving(figure) == []
    figure.text(0.9, 0.5, "much longer than what is left").set_in_layout(False)
    assert leaving(figure) == ["text 'much longer than what is left'"]


def test_equal_lines_need_another_style_or_a_wider_line_below():
    def lines(**style):
        figure, axes = picture()
        axes.plot([0, 1], [0, 1], linewidth=2, label="below")
        axes.plot([0, 1], [0, 1], label="above", **style)
        return indistinct(figure)

    assert len(lines(linewidth=2)) == len(lines(linewidth=3)) == 1
    assert lines(linewidth=2, linestyle="--") == lines(linewidth=1) == lines(linewidth=2, marker="o") == []
