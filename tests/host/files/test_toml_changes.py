"""KEY=VALUE: what is replaced, what is added, and which place a wrong value is said to stand at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.files.toml_table import TomlTable, apply_changes, parse_change

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
