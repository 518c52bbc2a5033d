# SPDX-License-Identifier: BSD-2-Clause
"""Scenario files: values of valid files; errors name key, line and the expected value."""

from pathlib import Path

import pytest
from litemrc.errors import UserError
from litemrc_studies.zhou2004.machine.scenario import Costs, Part
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

SHIPPED = sorted((Path(__file__).parents[1] / "scenarios").glob("*.toml"))

GOOD = """\
title = "both"
memory_pages = 100
time_unit = "us"
policies = ["global-clock",
    "mrc"]
seed = 7

[costs]
time_slice = 10.5
page_read = 8_000
write_out = 0

[mrc]
minimum_pages = 2
tracking = 0.1

[static]
intr = 60
job = 40

[[process]]
name = "intr"
kind = "interactive"
trace = "gen:zipf?pages=50"
touches = 20
touch = 1
sleep = 500

[[process]]
name = "job"
kind = "batch"
touch = 2
start = 3

[[process.part]]
trace = "gen:loop?pages=10"
touches = 15
release = true

[[process.part]]
trace = "gen:loop?pages=20&n=40"
"""


@pytest.fixture
def read(tmp_path):
    def read(text: str):
        path = tmp_path / "scenario.toml"
        path.write_text(text)
        return read_scenario(path)

    return read


def refused(read, text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        read(text)
    assert caught.value.exit_code == 2
    return caught.value


def line_of(text: str, piece: str) -> int:
    return text[: text.index(piece)].count("\n") + 1


def test_every_key_is_read(read):
    scenario = read(GOOD)
    assert (scenario.title, scenario.memory_pages, scenario.tick_s, scenario.seed) == ("both", 100, 1e-9, 7)
    assert scenario.costs == Costs(10_500, 8_000_000, 0)  # nanoseconds
    assert scenario.policies == ("global-clock", "mrc")
    assert scenario.shares == {"intr": 60, "job": 40}
    intr, job = scenario.processes
    assert (intr.request_touches, intr.pause, intr.requests, intr.clients) == (20, 500_000, 0, 1)
    assert (intr.tracking, intr.minimum_pages, intr.touch) == (0.1, 2, 1000)
    assert job.parts == (Part("gen:loop?pages=10", 15, True), Part("gen:loop?pages=20&n=40"))
    assert (job.start, job.requests) == (3000, 1)


def test_times_may_be_cycles_of_a_stated_clock(read):
    text = GOOD.replace('time_unit = "us"', 'time_unit = "cycles"\nclock_mhz = 50').replace("10.5", "10")
    scenario = read(text)
    assert (scenario.costs.page_read, scenario.tick_s) == (8000, 2e-8)
    error = refused(read, text.replace("time_slice = 10", "time_slice = 10.5"))
    assert error.remedy == "expected a whole number of cycles"
    assert "clock_mhz" in str(refused(read, GOOD.replace('"us"', '"cycles"')))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios_are_good(path):
    assert read_scenario(path).processes


def test_the_six_mixes_of_table_2_are_shipped():
    mixes = {f"{first}_{second}" for first in ("apache", "intr") for second in ("gzip", "gcc", "linear")}
    assert mixes <= {path.stem for path in SHIPPED}


@pytest.mark.parametrize(
    ("good", "bad", "said", "expected"),
    [
        ("seed = 7", "sead = 7", "sead: no such key here", "one of title, time_unit"),
        (
            "memory_pages = 100",
            "memory_pages = -5",
            "memory_pages: is -5",
            "a whole number from 1 to 1073741824",
        ),
        (
            "memory_pages = 100",
            "memory_pages = 2_000_000_000",
            "memory_pages: is 2000000000",
            "to 1073741824",
        ),
        ("memory_pages = 100", "memory_pages = 99.5", "memory_pages: is 99.5", "a whole number"),
        ("memory_pages = 100", "memory_pages = true", "memory_pages: is True", "a whole number"),
        ('title = "both"', "title = 3", "title: is 3", "a text, in quotation marks"),
        ('    "mrc"]', '    "mcr"]', "policies: no policy 'mcr'", "some of global-clock, global-lru"),
        ("page_read = 8_000", 'page_read = "8"', "costs.page_read: is '8'", "a number from 0 on"),
        ("page_read = 8_000", "page_read = -1", "costs.page_read: is -1", "a number from 0 on"),
        ("page_read = 8_000", "page_read = inf", "costs.page_read: is inf", "a number from 0 on"),
        ("page_read = 8_000", "page_read = nan", "costs.page_read: is nan", "a number from 0 on"),
        ("time_slice = 10.5", "time_slice = 0", "costs.time_slice: is 0", "a number above 0"),
        ("job = 40", "jab = 40", "static.jab: no process has this name", "one of intr, job"),
        ("job = 40", "job = 41", "static: 101 pages in all", "at most 100 pages of memory"),
        (
            "minimum_pages = 2",
            "minimum_pages = 51",
            "mrc.minimum_pages: the minimums sum to 102 pages",
            "at most 100",
        ),
        ("tracking = 0.1", "tracking = -0.1", "mrc.tracking: is -0.1", "a number from 0 on"),
        (
            "tracking = 0.1",
            'engine = "exakt"',
            "mrc.engine: is 'exakt'",
            "one of exact, group, bucket, shards",
        ),
        ("tracking = 0.1", "engine_rate = 0.1", "mrc.engine_rate: engine exact has none", "engine = one of"),
        ('kind = "batch"', 'kind = "bach"', "process.kind: is 'bach'", "one of batch, interactive, server"),
        ('name = "job"', 'name = "intr"', "process.name: 'intr' is taken", "another name"),
        ("touch = 2", "touch = 0", "process.touch: is 0", "a number above 0"),
        ("start = 3", "sleep = 3", "process.sleep: no such key here", "one of name, kind"),
        ("release = true", "release = 1", "process.part.release: is 1", "true or false"),
        ("touches = 15", "touch = 15", "process.part.touch: no such key here", "one of trace"),
        (
            '"gen:loop?pages=20&n=40"',
            '"gen:loop?pages=20"',
            "process.part.touches: is missing",
            "n= in the trace",
        ),
        (
            "gen:zipf?pages=50",
            "gen:zipff?pages=50",
            "process.trace: no program 'zipff'",
            "expected a trace that can be read: did you mean zipf?",
        ),
        ("gen:zipf?pages=50", "no.txt", "process.trace: ", "expected "),
    ],
)
def test_a_bad_value_is_reported_with_key_line_and_what_was_expected(
    read, tmp_path, good, bad, said, expected
):
    text = GOOD.replace(good, bad)
    assert text != GOOD
    error = refused(read, text)
    assert error.what.startswith(said)
    assert expected in error.remedy
    file, _, line = error.where.rpartition(":")
    assert file == str(tmp_path / "scenario.toml")
    lines = text.splitlines()
    # A list that goes over two lines, a whole table, a key that is missing: where they begin.
    begins = {"policies: no policy 'mcr'": "policies = [", "static: 101 pages in all": "[static]"}
    if said.endswith("is missing"):
        assert int(line) == line_of(text, bad) - 1
    else:
        assert lines[int(line) - 1].strip().startswith(begins.get(said, bad.partition("=")[0].strip())) or (
            "trace = " in lines[int(line) - 1] and bad in lines[int(line) - 1]
        )


def test_a_key_that_is_missing_is_reported_with_the_line_of_its_table(read):
    error = refused(read, GOOD.replace('kind = "batch"\n', ""))
    assert error.what == "process.kind: is missing"
    assert error.where.endswith(f":{GOOD[: GOOD.rindex('[[process]]')].count(chr(10)) + 1}")
    assert refused(read, GOOD.replace("memory_pages = 100\n", "")).what == "memory_pages: is missing"


def test_what_is_no_toml_is_reported_with_its_line(read):
    error = refused(read, GOOD.replace("seed = 7", "seed = = 7"))
    assert error.what.startswith("not TOML")
    assert error.where.endswith(f":{line_of(GOOD, 'seed')}")
    unclosed = refused(read, GOOD.replace('"mrc"]', '"mrc"'))
    assert unclosed.where.endswith(f":{line_of(GOOD, 'policies')}")


def test_curves_of_too_many_sizes_are_refused(read):
    text = GOOD.replace("memory_pages = 100", "memory_pages = 10_000_000")
    error = refused(read, text)
    assert error.what == "mrc.group_pages: curves of more than 65536 sizes"
    assert error.remedy == "expected at least 153"  # 10 M / 65,536 is 152.6
    assert error.where.endswith(f":{line_of(text, '[mrc]')}")
    assert read(text.replace("[mrc]", "[mrc]\ngroup_pages = 153"))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read_scenario(tmp_path / "none.toml")


def test_a_scenario_without_an_end_is_refused(read):
    endless = GOOD[: GOOD.rindex("[[process]]")].replace("job = 40\n", "")
    assert refused(read, endless).what == "duration: is missing, and no process ends"
    assert read("duration = 1_000\n" + endless).duration == 1_000_000


def test_only_the_last_part_of_a_process_may_go_on_for_ever(read):
    first = '[[process.part]]\ntrace = "gen:loop"\ntouches = 9\n'
    last = '[[process.part]]\ntrace = "gen:zipf"\n'
    text = GOOD.replace('trace = "gen:zipf?pages=50"\n', "")
    sleeping = "sleep = 500\n"
    (intr, _) = read(text.replace(sleeping, sleeping + first + last)).processes
    assert intr.parts == (Part("gen:loop", 9), Part("gen:zipf"))
    error = refused(read, text.replace(sleeping, sleeping + last + first))
    assert error.what == "process.part.touches: is missing, and the trace has no end"


def test_a_server_is_a_closed_or_an_open_loop(read):
    head, tail = GOOD[: GOOD.index("[static]")], GOOD[GOOD.rindex("[[process]]") :]
    server = '[[process]]\nname = "s"\nkind = "server"\ntrace = "gen:zipf"\ntouches = 5\ntouch = 1\n'
    (spec, _) = read(head + server + "clients = 3\nthink = 40\n" + tail).processes
    assert (spec.clients, spec.pause, spec.random) == (3, 40_000, True)
    (spec, _) = read(head + server + 'interval = 40\nspread = "constant"\n' + tail).processes
    assert (spec.clients, spec.pause, spec.random) == (0, 40_000, False)
    error = refused(read, head + server + "clients = 3\nthink = 1\ninterval = 40\n" + tail)
    assert error.what == "process.interval: closed loop and open loop at once"
