"""The figure of a sweep: means, their range over seeds, a panel and a line for each value."""

import pytest
from litemrc_studies.sweeps.plot import sweep_figure

from tests.host.plots.axes import assert_sound

COLUMNS = {
    "memory": [64, 4096, 64, 4096, 64, 4096, 64, 4096],
    "policy": ["lru", "lru", "opt", "opt"] * 2,
    "seed": [1] * 4 + [2] * 4,
    "pages": [1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000],
    "faults": [10, 4, 8, 3, 20, 6, 12, 5],
}


def lines(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}


def test_points_with_one_x_are_averaged_and_seeds_have_their_range():
    figure = sweep_figure(COLUMNS, x="memory", y="faults", lines="policy", over=["seed"], title="t")
    assert figure.axes[0].get_xlabel() == "memory in pages"
    (axes,) = figure.axes
    # (10 + 20) / 2, (4 + 6) / 2; (8 + 12) / 2, (3 + 5) / 2
    assert lines(axes) == {"lru": ([64, 4096], [15, 5]), "opt": ([64, 4096], [10, 4])}
    heights = {
        tuple(point) for band in axes.collections for path in band.get_paths() for point in path.vertices
    }
    assert {(64, 10), (64, 20), (64, 8), (64, 12), (4096, 4), (4096, 6), (4096, 3), (4096, 5)} <= heights
    assert axes.get_ylabel() == "faults\nmean over seed"
    assert axes.get_xscale() == "log"
    assert_sound(figure)


def test_other_parameters_are_averaged_without_a_range():
    figure = sweep_figure(COLUMNS, x="memory", y="faults", lines="policy", over=["pages"])
    assert not figure.axes[0].collections
    assert figure.axes[0].get_ylabel() == "faults\nmean over pages"


def test_each_value_has_a_panel():
    figure = sweep_figure(COLUMNS, x="memory", y="faults", lines="policy", panels="pages")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["pages = 1,000", "pages = 2,000"]
    assert lines(figure.axes[1])["lru"] == ([64, 4096], [20, 6])
    assert_sound(figure)


def test_texts_on_the_axis_rows_without_a_value_and_a_single_line():
    columns = {"policy": ["opt", "lru", "seq"], "faults": [3, 5, None]}
    figure = sweep_figure(columns, x="policy", y="faults")
    assert list(lines(figure.axes[0]).values()) == [(["opt", "lru"], [3, 5])]
    assert_sound(figure)


@pytest.mark.parametrize("count", [1, 4, 7])
def test_any_number_of_panels_is_drawn(count):
    columns = {"x": list(range(count)), "y": list(range(count)), "p": list(range(count))}
    figure = sweep_figure(columns, x="x", y="y", panels="p")
    assert len(figure.axes) == count
    assert_sound(figure)


def test_an_empty_table_is_an_empty_picture():
    assert_sound(sweep_figure({"x": [None], "y": [None]}, x="x", y="y"))
