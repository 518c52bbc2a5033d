# SPDX-License-Identifier: BSD-2-Clause
"""Sweep files: which points a grid has, in which order, and what is said of a wrong key."""

import pytest
from litemrc.errors import UserError
from litemrc_studies.sweeps.sweep_file import MOST_POINTS, read_sweep

COMMANDS = ("mm", "mrc")


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        return read_sweep(path, COMMANDS)

    return read_text


def points(sweep):
    return [point for grid in sweep.grids for point in grid.points()]


def values(read, text):
    return [point["x"] for point in points(read(f'command = "mrc"\n[grid]\nx = {text}'))]


def test_a_grid_is_each_value_with_each_and_the_last_parameter_changes_first(read):
    sweep = read('command = "mrc"\n[grid]\na = [1, 2]\nb = ["x", "y"]\n')
    assert points(sweep) == [{"a": a, "b": b} for a in (1, 2) for b in ("x", "y")]
    assert sweep.grids[0].size == 4


def test_zipped_parameters_advance_together_in_the_place_of_the_first(read):
    text = 'command = "mrc"\n[grid]\nzip = ["a", "c"]\na = [1, 2]\nb = [5, 6]\nc = [3, 4]\n'
    expected = [{"a": a, "c": c, "b": b} for a, c in ((1, 3), (2, 4)) for b in (5, 6)]
    assert points(read(text)) == expected
    assert points(read(text.replace('["a", "c"]', '[["a", "c"]]'))) == expected


def test_several_grids_follow_each_other(read):
    sweep = read('command = "mrc"\n[[grid]]\na = [1, 2]\n[[grid]]\nb = [3]\n')
    assert points(sweep) == [{"a": 1}, {"a": 2}, {"b": 3}]
    assert sweep.parameters == ["a", "b"]


def test_tables_of_parameters_are_dotted_names(read):
    sweep = read(
        'command = "mm"\nfixed.set.mrc.epoch = 5\n[grid]\nset.memory = [1]\n"trace.n" = [2]\n'
        "[grid.set.costs]\nf = [3]"
    )
    assert sweep.fixed == {"set.mrc.epoch": 5}
    assert points(sweep) == [{"set.memory": 1, "set.costs.f": 3, "trace.n": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2.5, 'a', true, ['b', 'c']]", [1, 2.5, "a", True, ["b", "c"]]),
        ("{ from = 1, to = 5 }", [1, 2, 3, 4, 5]),
        ("{ from = 1, to = 6, step = 2 }", [1, 3, 5]),
        ("{ from = 0.0, to = 0.3, step = 0.1 }", [0.0, 0.1, 0.2, 0.3]),
        ("{ from = 1, to = 10, steps = 4 }", [1, 4, 7, 10]),
        ("{ from = 1.0, to = 2, steps = 3 }", [1.0, 1.5, 2.0]),
        ("{ from = 10, to = 1, steps = 4 }", [10, 7, 4, 1]),
        ("{ from = 1, to = 64, steps = 7, scale = 'log' }", [1, 2, 4, 8, 16, 32, 64]),
        # 1, 10 ** 0.2 = 1.58, 2.51, 3.98, 6.31, 10
        ("{ from = 1, to = 10, steps = 6, scale = 'log' }", [1, 2, 3, 4, 6, 10]),
        ("{ from = 1, to = 2, steps = 100 }", [1, 2]),  # whole numbers, each once
        ("{ from = 7, to = 7 }", [7]),
    ],
)  # fmt: skip
def test_lists_and_ranges(read, text, expected):
    found = values(read, text)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_floats_of_a_range_are_written_as_a_reader_would(read):
    # 0.1 + 0.7 * 2 / 7 is 0.30000000000000004 in floating point
    assert values(read, "{ from = 0.1, to = 0.8, steps = 8 }") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert values(read, "{ from = 0.001, to = 1.0, steps = 4, scale = 'log' }") == [0.001, 0.01, 0.1, 1.0]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('command = "soc"', 1, "command: is 'soc'"),
        ("title = 'x'", 1, "command: is missing"),
        ('command = "mrc"', 1, "grid: is missing"),
        ('command = "mrc"\ngrit = 1', 2, "grit: no such key"),
        ('command = "mrc"\n[grid]', 2, "grid: has no parameters"),
        ('command = "mrc"\n[grid]\nx = 1', 3, "grid.x: is 1"),
        ('command = "mrc"\n[grid]\nx = []', 3, "grid.x: has no values"),
        ('command = "mrc"\n[grid]\nx = [2024-01-01]', 3, "grid.x: has the value"),
        ('command = "mrc"\n[grid]\nx = [[[1]]]', 3, "grid.x: has the value"),
        ('command = "mrc"\n[grid]\n\nx = { from = 1 }', 4, "grid.x.to: is missing"),
        ('command = "mrc"\n[grid]\nx = { from = "1M", to = 3 }', 3, "grid.x.from: is '1M'"),
        ('command = "mrc"\n[grid]\nx = { from = 1, to = 3, by = 1 }', 3, "grid.x.by: no such key"),
        ('command = "mrc"\n[grid]\nx = { from = 1.5, to = 3 }', 3, "grid.x.steps: is missing"),
        ('command = "mrc"\n[grid]\nx = { from = 1, to = 3, scale = "log" }', 3, "grid.x.steps: is missing"),
        ('command = "mrc"\n[grid]\nx = { from = 0, to = 3, steps = 9, scale = "log" }', 3, "x.scale: is log"),
        ('command = "mrc"\n[grid]\nx = { from = 1, to = 3, steps = 1 }', 3, "grid.x.steps: is 1"),
        ('command = "mrc"\n[grid]\nx = { from = 1, to = 3, steps = 2, step = 1 }', 3, "stands beside steps"),
        ('command = "mrc"\n[grid]\nx = { from = 3, to = 1 }', 3, "grid.x: 3 to 1 by 1"),
        ('command = "mrc"\n[grid]\nx = { from = 1, to = 3, step = 0 }', 3, "grid.x: 1 to 3 by 0"),
        ('command = "mrc"\n[fixed]\nx = 1\n[grid]\nx = [1]', 5, "grid.x: is also in [fixed]"),
        ('command = "mrc"\n[fixed]\nx = { from = 1, to = 2 }', 3, "fixed.x: is a range"),
        ('command = "mrc"\n[fixed]\nx = {}', 3, "fixed.x: has no keys"),
        ('command = "mrc"\n[grid]\nzip = ["x", "z"]\nx = [1]', 3, "'z' is none of this grid"),
        ('command = "mrc"\n[grid]\nzip = ["x", "x"]\nx = [1]', 3, "'x' stands there twice"),
        ('command = "mrc"\n[grid]\nzip = ["x"]\nx = [1]', 3, "grid.zip: has ['x']"),
        ('command = "mrc"\n[grid]\nzip = 3\nx = [1]', 3, "grid.zip: is 3"),
        ('command = "mrc"\n[grid]\nzip = ["x", "y"]\nx = [1]\ny = [1, 2]', 3, "x has 1, y has 2 values"),
        ('command = "mrc"\nshow = "x"\n[grid]\nx = [1]', 2, "show: is 'x'"),
        ('command = "mrc"\n[plot]\nx = "a"\n[grid]\nx = [1]', 2, "plot.y: is missing"),
        ('command = "mrc"\n[plot]\nx = "a"\nz = "b"\n[grid]\nx = [1]', 4, "plot.z: no such key"),
        ('command = "mrc"\ngrid = 3', 2, "grid: is 3"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_said_with_its_line(read, text, line, what):
    with pytest.raises(UserError) as refused:
        read(text)
    assert what in refused.value.what
    assert refused.value.where.endswith(f"sweep.toml:{line}")


def test_too_many_points_are_refused_before_they_are_made(read):
    with pytest.raises(UserError, match="grid: has 1,002,001 points") as refused:
        read('command = "mrc"\n[grid]\na = { from = 0, to = 1000 }\nb = { from = 0, to = 1000 }\n')
    assert f"{MOST_POINTS:,}" in refused.value.remedy
    with pytest.raises(UserError, match="by 1"):
        read('command = "mrc"\n[grid]\na = { from = 0, to = 1000000000000 }\n')


def test_the_place_of_a_parameter_is_its_line(read):
    sweep = read('command = "mrc"\n[fixed]\nf = 1\n[[grid]]\na = [1]\n[[grid]]\nb = [1]\na = [2]\n')
    assert [sweep.place(name).rpartition(":")[2] for name in ("f", "a", "b")] == ["3", "5", "7"]
    assert sweep.place("a", sweep.grids[1]).endswith(":8")


def test_parameters_with_one_value_everywhere_do_not_vary(read):
    assert read('command = "mrc"\n[grid]\na = [1]\nb = [1, 2]\n').varying == ["b"]
    assert read('command = "mrc"\n[[grid]]\na = [1]\n[[grid]]\na = [1]\nb = [1]').varying == ["b"]
