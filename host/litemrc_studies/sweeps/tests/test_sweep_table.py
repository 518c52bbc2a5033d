# SPDX-License-Identifier: BSD-2-Clause
"""The table of a sweep, and its picture."""

import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc_studies.sweeps.journal import open_journal
from litemrc_studies.sweeps.plot import sweep_figure
from litemrc_studies.sweeps.point import Outcome, Point
from litemrc_studies.sweeps.table import read_rows, write_table

from tests.host.plots.axes import assert_sound

COLUMNS = {
    "memory": [64, 4096, 64, 4096, 64, 4096, 64, 4096],
    "policy": ["lru", "lru", "opt", "opt"] * 2,
    "seed": [1] * 4 + [2] * 4,
    "pages": [1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000],
    "faults": [10, 4, 8, 3, 20, 6, 12, 5],
}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes the table of outcomes, which come in reverse order of their points."""

    def write(points, outcomes, names):
        path = tmp_path / "t.parquet"
        with open_journal(path, restart=True) as journal:
            for outcome in reversed(outcomes):
                journal.append([outcome])
            keyed = [(str(number), Point(number, values, ())) for number, values in enumerate(points)]
            summary = write_table(path, keyed, journal, names, {"sweep": "text"})
        return path, summary

    return write


def outcome(number, *rows, error="", notes=()):
    return Outcome(str(number), list(rows), list(notes), 0.25, error)


def test_rows_follow_the_points_whatever_the_order_of_outcomes(written):
    points = [{"p": value} for value in (3, 1, 2)]
    outcomes = [outcome(number, {"r": 10 * number}, {"r": 10 * number + 1}) for number in range(3)]
    path, summary = written(points, outcomes, ["p"])
    rows = list(read_rows(path))
    assert [(row["point"], row["p"], row["r"]) for row in rows] == [
        (0, 3, 0), (0, 3, 1), (1, 1, 10), (1, 1, 11), (2, 2, 20), (2, 2, 21),
    ]  # fmt: skip
    assert (summary.points, summary.done, summary.failed, summary.rows) == (3, 3, 0, 6)
    assert [row["point"] for row in read_rows(path, 2)] == [0, 0]


def test_columns_have_the_types_of_their_values(written):
    row = {
        "i": 1,
        "f": 0.5,
        "b": True,
        "s": "x",
        "mixed": 1,
        "number": 1,
        "none": None,
        "large": 2**64,
        "nan": math.nan,
    }
    other = {**row, "mixed": "a", "number": 0.5, "i": None, "b": None, "large": 1}
    path, _ = written([{"p": 1}, {"p": "all"}], [outcome(0, row), outcome(1, other)], ["p"])
    schema = pq.read_schema(path)
    types = {name: schema.field(name).type for name in ("p", *row, "seconds", "notes", "error")}
    assert types == {
        "p": pa.string(), "i": pa.int64(), "f": pa.float64(), "b": pa.bool_(), "s": pa.string(),
        "mixed": pa.string(),
        "number": pa.float64(), "none": pa.float64(), "large": pa.float64(), "nan": pa.float64(),
        "seconds": pa.float64(), "notes": pa.string(), "error": pa.string(),
    }  # fmt: skip
    first, second = read_rows(path)
    assert (first["p"], second["p"], first["mixed"], second["mixed"]) == ("1", "all", "1", "a")
    assert (first["i"], second["i"], first["large"], math.isnan(first["nan"])) == (1, None, 2.0**64, True)


def test_a_list_is_a_text_with_commas_and_a_truth_in_a_text_is_that_of_toml(written):
    path, _ = written(
        [{"p": ["lru", "opt"]}, {"p": True}], [outcome(0, {"r": 1}), outcome(1, {"r": 1})], ["p"]
    )
    assert [row["p"] for row in read_rows(path)] == ["lru,opt", "true"]


def test_a_failed_point_and_one_without_results_have_a_row_each(written):
    outcomes = [
        outcome(0, error="too small"),
        outcome(1, notes=["note: a", "warning: b"]),
        outcome(2, {"r": 5}),
    ]
    path, summary = written([{"p": 1}, {"p": 2}, {"p": 3}], outcomes, ["p"])
    found = [(row["p"], row["r"], row["error"], row["notes"], row["seconds"]) for row in read_rows(path)]
    assert found == [
        (1, None, "too small", None, 0.25), (2, None, None, "note: a; warning: b", 0.25),
        (3, 5, None, None, 0.25),
    ]  # fmt: skip
    assert (summary.done, summary.failed) == (3, 1)


def test_points_without_an_outcome_are_left_out_and_counted(written):
    path, summary = written([{"p": 1}, {"p": 2}], [outcome(1, {"r": 5})], ["p"])
    assert [row["p"] for row in read_rows(path)] == [2]
    assert (summary.points, summary.done) == (2, 1)


def test_a_result_with_the_name_of_a_parameter_has_a_column_of_its_own(written):
    path, summary = written(
        [{"policy": "a,b"}],
        [outcome(0, {"policy": "a", "seconds": 3}, {"policy": "b", "seconds": 4})],
        ["policy"],
    )
    rows = [
        (row["policy"], row["result_policy"], row["seconds"], row["result_seconds"])
        for row in read_rows(path)
    ]
    assert rows == [("a,b", "a", 0.25, 3), ("a,b", "b", 0.25, 4)]
    assert summary.results == ("result_policy", "result_seconds")


def test_a_parameter_of_another_grid_is_empty(written):
    path, _ = written([{"p": 1}, {"q": 2}], [outcome(0, {"r": 1}), outcome(1, {"r": 1})], ["p", "q"])
    assert [(row["p"], row["q"]) for row in read_rows(path)] == [(1, None), (None, 2)]


def test_the_metadata_describes_the_table(written):
    path, _ = written([{"p": 1}], [outcome(0, {"r": 1})], ["p"])
    described = json.loads(pq.read_metadata(path).metadata[b"litemrc"])
    assert described == {
        "kind": "sweep", "version": 1, "sweep": "text", "parameters": ["p"], "results": ["r"], "points": 1,
        "done": 1, "failed": 0,
    }  # fmt: skip


def test_large_tables_are_written_in_groups(written, monkeypatch):
    monkeypatch.setattr("litemrc_studies.sweeps.table._ROWS_IN_GROUP", 3)
    path, _ = written([{"p": 1}], [outcome(0, *({"r": n} for n in range(7)))], ["p"])
    assert pq.read_metadata(path).num_row_groups == 3
    assert [row["r"] for row in read_rows(path)] == list(range(7))


def lines(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}


def test_points_with_one_x_are_averaged_and_seeds_have_their_range():
    figure = sweep_figure(COLUMNS, x="memory", y="faults", lines="policy", over=["seed"], title="t")
    assert figure.axes[0].get_xlabel() == "memory in pages"
    (axes,) = figure.axes
    # Means: (10 + 20) / 2, (4 + 6) / 2; (8 + 12) / 2, (3 + 5) / 2
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
