"""Figures of experiments with trays: bars, lines and the paper's marks where the data say."""

import numpy as np
import pytest
from litemrc.plots.known import LABEL
from litemrc_studies.jantz2013.plots import (
    RankUse,
    groups_figure,
    ranks_figure,
    rates_figure,
)

from tests.host.plots.axes import assert_sound


def test_pages_of_a_rank_are_stacked_and_its_sleep_is_in_percent():
    use = RankUse([[0.5, 0.0], [0.0, 0.25], [1.0, 0.0]], [0.0, 0.67])
    figure = ranks_figure({"a": use, "b": use})
    assert_sound(figure)
    pages, _, sleep, _ = figure.axes
    tops = [round(bar.get_y() + bar.get_height(), 6) for bar in pages.patches]
    assert tops == [0.5, 0.0, 0.5, 0.25, 1.5, 0.25]
    assert [bar.get_height() for bar in sleep.patches] == pytest.approx([0, 67])


def test_groups_have_a_bar_for_each_series_and_the_papers_mark_on_its_group():
    panels = {
        "time": {"library": {"fft": [0.9, 0.8], "lu": [0.7]}},
        "local": {"default": {"fft": [50.0], "lu": [60.0]}, "library": {"fft": [90.0], "lu": [80.0]}},
    }
    figure = groups_figure(panels, {"time": {"lu": 0.85}})
    assert_sound(figure)
    time, local = figure.axes
    assert [bar.get_height() for bar in time.patches] == pytest.approx([0.85, 0.7])
    assert [bar.get_height() for bar in local.patches] == [50, 60, 90, 80]
    # A series has one color in all panels.
    assert time.patches[0].get_facecolor() == local.patches[2].get_facecolor()
    (star,) = [line for line in time.lines if line.get_label() == LABEL]
    assert np.column_stack(star.get_data()).tolist() == [[1, 0.85]]


def test_reductions_are_drawn_in_percent_over_the_rate_with_the_papers_levels():
    lines = {"10 us": ([1e3, 1e4], [0.5, 0.4]), "100 us": ([1e3, 1e4], [0.3, 0.2])}
    figure = rates_figure(
        {"five": lines, "stage": {"x": ([1e3, 1e4], [0.5, 0.1])}},
        ([1e3, 1e4], [0.25, 0.1], [0.35, 0.3]),
        {"five": {"paper": 0.27}},
        {"five": [(4e3, 0.27)]},
    )
    assert_sound(figure)
    axes = figure.axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert list(drawn["10 us"]) == pytest.approx([50, 40])
    assert list(drawn[LABEL]) == pytest.approx([27])
    assert axes.get_xscale() == "log"
    assert any(list(line.get_ydata()) == pytest.approx([27, 27]) for line in axes.lines)
