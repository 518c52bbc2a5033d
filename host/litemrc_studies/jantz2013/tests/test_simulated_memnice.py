# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate trays --memnice`: the limit of the program that starts a simulated process tree."""

import json

import pytest
from litemrc.cli.main import main

HEAD = """\
title = "small"
workload = "{workload}"
[machine]
trays = 4
tray_mib = 8
sample_ms = 1
"""
COMPILATION = (
    HEAD.format(workload="compilation")
    + """\
[compilation]
units = 6
header_pages = 200
heap_pages = 100
gap_ns = 1000
[[configuration]]
name = "all"
[[configuration]]
name = "one"
memnice = 1
"""
)
PROGRAMS = (
    "visits = 20000\n"
    + HEAD.format(workload="programs")
    + """\
[[process]]
name = "a"
[[process.range]]
name = "data"
mib = 4
[[process]]
name = "b"
[[process.range]]
name = "data"
mib = 3
[[configuration]]
name = "default"
allocator = "buddy"
[[configuration]]
name = "trays"
"""
)


@pytest.fixture
def results(tmp_path, capsys):
    def run(text, *options):
        path = tmp_path / "small.toml"
        path.write_text(text)
        assert main(["simulate", "trays", str(path), "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)["results"]

    return run


def test_children_of_a_compilation_inherit_the_limit(results):
    """All pages are on tray 1, and the limit counts as the scenario's own limit of one tray does."""
    (limited,) = results(COMPILATION, "--memnice", "1-1", "--configuration", "all")
    own = results(COMPILATION, "--configuration", "one")[0]
    assert limited["configuration"] == "all, memnice 1-1"
    assert [tray["used_pages"] > 0 for tray in limited["trays"]] == [False, True, False, False]
    assert limited["pages_outside_memnice"] == own["pages_outside_memnice"] == 0
    assert limited["zero_fills"] == own["zero_fills"]
    assert limited["recycled_pages"] == own["recycled_pages"] > 0


def test_the_limit_replaces_that_of_a_configuration(results):
    found = results(COMPILATION, "--memnice", "2", "--memnice", "3", "--configuration", "one")
    assert [each["configuration"] for each in found] == ["memnice 2", "memnice 3"]
    assert max(sum(tray["used_pages"] > 0 for tray in each["trays"]) for each in found) > 1


def test_every_process_is_limited_and_a_machine_without_trays_is_not(results):
    default, limited = results(PROGRAMS, "--memnice", "0,2")
    assert default["configuration"] == "default"
    assert limited["configuration"] == "trays, memnice 0,2"
    used = [tray["used_pages"] for tray in limited["trays"]]
    # 4 and 3 MiB are 1,792 pages, less than a tray; the two processes share tray 0 and 2 by use.
    assert sum(used) == 1792
    assert used[1] == used[3] == 0


def test_a_process_cannot_widen_the_limit_that_it_inherits(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(PROGRAMS.replace('name = "b"', 'name = "b"\ntrays = [0, 3]'))
    assert main(["simulate", "trays", str(path), "--memnice", "2"]) == 2
    shown = capsys.readouterr().err
    assert "memnice of process 1: tray 3 is outside its parent's limit" in shown
    assert "choose from trays 0, 1" in shown


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--memnice", "5"], "tray 4 does not exist"),
        (["--memnice", "0,4"], "tray 4 does not exist"),
        (["--memnice", "0"], "must be a number of trays from 1 to 64"),
        (["--memnice", "2-1"], "must be a number of trays"),
        (["--memnice", "1", "--configuration", "default"], "no configuration has trays to limit"),
    ],
)
def test_limits_that_cannot_be_end_with_2_and_what_to_do(tmp_path, capsys, options, what):
    path = tmp_path / "small.toml"
    path.write_text(PROGRAMS)
    try:
        code = main(["simulate", "trays", str(path), *options])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    assert what in capsys.readouterr().err
