# SPDX-License-Identifier: BSD-2-Clause
"""Tables of TOML files and KEY=VALUE: what a key may hold, and the line that an error names."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.files.toml_table import TomlTable, apply_changes, line_of, parse_change

TEXT = """\
# a comment
title = "t"
sizes = [
    1,
    2,
]

[costs]
page.read = 8
page.write = 9

[[process]]
name = "a"

[[process]]
name = "b"
[[process.part]]
n = 1
[[process.part]]
n = 2
"""
FILE = """\
memory = 100
[mrc]
epoch = 512
[[process]]
name = "gcc"
touch = 30
[[process]]
name = "apache"
touch = 10
[[process.part]]
touches = 5
"""


def table_of(text, tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(text)
    return TomlTable.read(path)


@pytest.fixture
def table(tmp_path):
    return table_of(TEXT, tmp_path)


@pytest.fixture
def holding():
    """holding(value) -> a table whose key k, in line 1, has this value."""
    return lambda value: TomlTable({"k": value}, ("t.toml", "k = 0\n"))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("title",), 2),
        (("sizes",), 3),
        (("sizes", 1), 3),
        (("sizes", 2), None),
        (("costs",), 8),
        (("costs", "page"), 9),
        (("costs", "page", "write"), 10),
        (("costs", "fee"), None),
        (("costs", "page", "read", "x"), None),
        (("process", 0), 12),
        (("process", 0, "name"), 13),
        (("process", 1), 15),
        (("process", 1, "part", 0), 17),
        (("process", 1, "part", 1, "n"), 20),
        (("process", 2), None),
        (("process", "name"), None),
        (("process", 0, "part"), None),
    ],
)
def test_the_line_of_a_key_is_that_of_its_statement(path, line):
    assert line_of(TEXT, path) == line


def test_an_error_names_the_key_and_the_line_that_gives_it_or_its_table(table):
    def where(error):
        return error.what, error.where.rpartition(":")[2], error.remedy

    part = table.tables("process")[1].tables("part")[1]
    assert where(part.wrong("n", "is 2", "1")) == ("process.part.n: is 2", "20", "expected 1")
    assert where(part.wrong("m", "is missing", "1")) == ("process.part.m: is missing", "19", "expected 1")
    assert where(part.wrong(None, "is empty", "more")) == ("process.part: is empty", "19", "expected more")
    assert where(table.wrong("x", "is missing", "1")) == ("x: is missing", "1", "expected 1")
    assert where(table.wrong(None, "is empty", "keys")) == ("is empty", "1", "expected keys")
    assert where(table.table("absent").wrong("x", "is missing", "1"))[:2] == ("absent.x: is missing", "1")


def test_only_known_keys_are_accepted(table):
    table.check_keys(("title", "sizes", "costs", "process"))
    with pytest.raises(UserError, match="costs: no such key here") as refused:
        table.check_keys(("title", "sizes", "process"))
    assert refused.value.where.endswith(":8")
    assert table.has("title") and not table.has("name")


def test_tables_are_tables(table):
    assert table.table("costs").content == {"page": {"read": 8, "write": 9}}
    assert table.table("absent").content == {} and table.tables("absent") == []
    assert [each.text("name") for each in table.tables("process")] == ["a", "b"]
    for ask in (lambda: table.table("title"), lambda: table.tables("costs"), lambda: table.tables("sizes")):
        with pytest.raises(UserError, match="expected "):
            ask()


def test_a_text_is_not_empty_and_one_of_those_allowed(holding):
    assert holding("a").text("k") == holding("a").text("k", of=("a", "b")) == "a"
    assert (holding("a").text("j", "x"), holding("a").text("j", "b", of=("a", "b"))) == ("x", "b")
    for value, of in (("", ()), ("c", ("a", "b")), (7, ()), ("", ("",))):
        with pytest.raises(UserError, match=f"k: is {value!r}"):
            holding(value).text("k", of=of)
    with pytest.raises(UserError, match=r"j: is missing \(expected a text\)"):
        holding("a").text("j")


def test_a_flag_is_true_or_false(holding):
    assert holding(True).flag("k", False) is True and holding(False).flag("k", True) is False
    assert holding(1).flag("j", False) is False and holding(1).flag("j", True) is True
    for value in (0, 1, "true"):
        with pytest.raises(UserError, match="true or false"):
            holding(value).flag("k", False)


TOP = 2**53  # integers above it are no floats


@pytest.mark.parametrize(
    ("value", "above", "right"),
    [
        (0, None, True),
        (0.5, None, True),
        (-0.001, None, False),
        (math.nextafter(TOP, 0), None, True),
        (TOP, None, False),
        (math.inf, None, False),
        (math.nan, None, False),
        (True, None, False),
        ("1", None, False),
        (0, 0, False),
        (1e-9, 0, True),
        (2, 2, False),
        (1.5, 2, False),
        (2.5, 2, True),
        (-1, -2, True),
    ],
)
def test_a_number_is_finite_and_above_its_bound(holding, value, above, right):
    if right:
        assert holding(value).number("k", above=above) == value
        return
    bound = "from 0 on" if above is None else f"above {above}"
    with pytest.raises(UserError, match=f"expected a number {bound}"):
        holding(value).number("k", above=above)


def test_defaults_stand_for_missing_numbers(holding):
    assert (holding(9).number("j", 2.5), holding(9).count("j", 3), holding(9).number("j", 0)) == (2.5, 3, 0)
    assert holding(9).count("j", 0, lowest=0) == 0
    for ask in (holding(9).number, holding(9).count):
        with pytest.raises(UserError, match="j: is missing"):
            ask("j")


@given(
    value=st.one_of(st.integers(-3, 12), st.sampled_from([TOP - 1, TOP, TOP + 1])),
    bounds=st.sampled_from([{}, {"lowest": 0}, {"lowest": 2, "highest": 8}, {"highest": 3}]),
)
def test_a_count_lies_within_its_bounds(value, bounds):
    table = TomlTable({"k": value}, ("t.toml", "k = 0\n"))
    lowest, highest = bounds.get("lowest", 1), bounds.get("highest", TOP)
    if lowest <= value <= highest:
        assert table.count("k", **bounds) == value
    else:
        to = f"to {highest}" if "highest" in bounds else "on"
        with pytest.raises(UserError, match=f"k: is {value} .expected a whole number from {lowest} {to}"):
            table.count("k", **bounds)


@pytest.mark.parametrize("value", [True, 2.0, "2"])
def test_what_is_no_whole_number_is_no_count(holding, value):
    with pytest.raises(UserError, match="a whole number"):
        holding(value).count("k")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = = 1\n", 1),
        ("a = 1\nb = = 1\n", 2),
        ("\n\na = 1\nb = [\n1,\n", 4),
        ("a = 1\n\nb = 2\na = 3\n", 4),
        ("a = [\n1,\n2]\nb\nc = 1\n", 4),
        ("a = 1", None),
        ("x", 1),
    ],
)
def test_a_file_that_is_no_toml_names_the_statement(tmp_path, text, line):
    if line is None:
        assert table_of(text, tmp_path).content == {"a": 1}
        return
    with pytest.raises(UserError, match="not TOML") as refused:
        table_of(text, tmp_path)
    assert refused.value.where == f"{tmp_path / 't.toml'}:{line}"


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe9'\n")
    for name, why in (("none.toml", "cannot read: No such file"), ("latin.toml", "not UTF-8")):
        with pytest.raises(UserError, match=why) as refused:
            TomlTable.read(tmp_path / name)
        assert refused.value.where == str(tmp_path / name)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(FILE)
    return path


def read(file, *texts):
    return TomlTable.read(file, [parse_change(text) for text in texts])


@pytest.mark.parametrize(
    ("text", "keys", "value"),
    [
        ("memory=28_000", ("memory",), 28_000),
        ("mrc.epoch = 1.5", ("mrc", "epoch"), 1.5),
        ("a.b.c=true", ("a", "b", "c"), True),
        ("policies=['mrc', 'equal']", ("policies",), ["mrc", "equal"]),
        ('mrc.engine="shards"', ("mrc", "engine"), "shards"),
        ("mrc.engine=shards", ("mrc", "engine"), "shards"),
        ("process.gcc.trace=gen:zipf?n=10", ("process", "gcc", "trace"), "gen:zipf?n=10"),
        ('process."a.b".touch=1', ("process", "a.b", "touch"), 1),
        ("process.0.touch=1", ("process", "0", "touch"), 1),
        ("name=", ("name",), ""),
        ("a=1\nb=2", ("a",), "1\nb=2"),
        ("a=1 #\nb", ("a",), "1 #\nb"),
    ],
)  # fmt: skip
def test_a_value_has_its_toml_type_and_other_text_is_text(text, keys, value):
    change = parse_change(text)
    assert (change.keys, change.value) == (keys, value)
    assert type(change.value) is type(value)


@pytest.mark.parametrize("text", ["", "memory", "=1", "a b=1", "a..b=1", "a.=1", "[a]=1", "a\nb=1", "#=1"])
def test_a_text_without_key_and_value_is_refused(text):
    with pytest.raises(UserError, match="must be KEY=VALUE"):
        parse_change(text)


@given(st.text())
def test_any_text_is_parsed_or_refused(text):
    try:
        assert parse_change(text).keys
    except UserError as error:
        assert "KEY=VALUE" in error.what


def test_values_of_the_file_are_replaced_and_others_kept(file):
    table = read(
        file, "memory=7", "process.apache.touch=11", "process.0.touch=31", "process.apache.part.0.touches=6"
    )
    gcc, apache = table.tables("process")
    assert (table.count("memory"), gcc.count("touch"), apache.count("touch")) == (7, 31, 11)
    assert apache.tables("part")[0].count("touches") == 6
    assert table.table("mrc").count("epoch") == 512


def test_keys_and_tables_that_the_file_lacks_are_added(file):
    table = read(file, "costs.fault=20", "seed=3")
    assert (table.table("costs").count("fault"), table.count("seed")) == (20, 3)


def test_a_wrong_value_is_said_to_stand_in_the_change_and_others_in_the_file(file):
    table = read(file, "process.apache.touch=-1", "mrc.speed=2", "mrc.epoch=1")
    apache = table.tables("process")[1]
    for error, place in (
        (apache.wrong("touch", "is -1", "more"), "--set process.apache.touch=-1"),
        (apache.wrong("name", "is taken", "another"), f"{file}:8"),
        (table.tables("process")[0].wrong("touch", "is 30", "more"), f"{file}:6"),
        (table.table("mrc").wrong("epoch", "is 1", "more"), "--set mrc.epoch=1"),
        (table.wrong("memory", "is 100", "more"), f"{file}:1"),
    ):
        assert error.where == place
    with pytest.raises(UserError, match="speed: no such key here") as refused:
        table.table("mrc").check_keys(("epoch",))
    assert refused.value.where == "--set mrc.speed=2"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("process.cc1.touch=1", "process: none is named 'cc1'"),
        ("process.2.touch=1", "process: none is named '2'"),
        ("process.touch=1", "process has no keys"),
        ("memory.size=1", "memory has no keys"),
        ("memory.size.more=1", "memory has no keys"),
    ],
)
def test_a_key_that_leads_nowhere_is_refused_with_the_change(file, text, what):
    with pytest.raises(UserError, match=what) as refused:
        read(file, text)
    assert refused.value.where == f"--set {text}"


def test_the_content_given_is_not_changed():
    content = {"a": {"b": [1]}}
    changed, _ = apply_changes(content, [parse_change("a.b=2"), parse_change("c=3")])
    assert (content, changed) == ({"a": {"b": [1]}}, {"a": {"b": 2}, "c": 3})
