# SPDX-License-Identifier: BSD-2-Clause
"""Keys of scenario files: what is left out is as documented in multiprogram.md; limits to the unit."""

import pytest
from litemrc.errors import UserError
from litemrc.native.os_tracker import TrackerCosts
from litemrc_studies.zhou2004.machine.scenario import Costs, Mrc, Part, ProcessSpec, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

TRACE = "gen:loop?n=9"
LEAST = f"""\
title = "x"
memory_pages = 4096
#top
[costs]
time_slice = 10
page_read = 5
write_out = 2
#costs
[mrc]
#mrc
[[process]]
name = "b"
kind = "batch"
trace = "{TRACE}"
touch = 1
#batch
[[process]]
name = "i"
kind = "interactive"
trace = "{TRACE}"
touches = 3
sleep = 4
touch = 1
#interactive
[[process]]
name = "c"
kind = "server"
trace = "{TRACE}"
touches = 3
clients = 2
think = 4
touch = 1
#server
[[process]]
name = "o"
kind = "server"
trace = "{TRACE}"
touches = 3
interval = 4
touch = 1
"""


@pytest.fixture
def read(tmp_path):
    def read(**more: str):
        text = LEAST
        for place, line in more.items():
            assert f"#{place}" in text
            text = text.replace(f"#{place}\n", f"{line}\n")
        path = tmp_path / "scenario.toml"
        path.write_text(text)
        return read_scenario(path)

    return read


def test_what_is_left_out_is_as_documented(read):
    common = {"tracking": 0.0, "start": 0, "weight": 1.0, "minimum_pages": 128}
    asked = {"request_touches": 3, "pause": 4000, "requests": 0}
    expected = Scenario(
        title="x",
        memory_pages=4096,
        tick_s=1e-9,
        costs=Costs(10_000, 5_000, 2_000, 0, 0),
        processes=(
            ProcessSpec("b", "batch", (Part(TRACE),), 1000, request_touches=None, requests=1, **common),
            ProcessSpec("i", "interactive", (Part(TRACE),), 1000, clients=1, **asked, **common),
            ProcessSpec("c", "server", (Part(TRACE),), 1000, clients=2, random=True, **asked, **common),
            ProcessSpec("o", "server", (Part(TRACE),), 1000, clients=0, random=True, **asked, **common),
        ),
        policies=("global-clock", "mrc"),
        mrc=Mrc("exact", None, None, None, 64, 1024, 65536, 64, "hull", "hit ratio"),
        shares={},
        duration=0,
        measure_from=0,
        sample=0,
        seed=1,
        page_bytes=4096,
        reclaim_below=0,
        reclaim_to=0,
    )
    assert read() == expected


def test_what_is_given_is_taken(read):
    found = read(
        top='time_unit = "cycles"\nclock_mhz = 4\npage_bytes = 512\nduration = 9\nmeasure_from = 3\n'
        "sample = 2\nseed = 0\nreclaim_below = 20\nreclaim_to = 30",
        costs="fault = 6\nzero_fill = 7",
        mrc='engine = "group"\nengine_frames = 8\nengine_groups = 4\ngroup_pages = 2\nepoch = 3\n'
        'half_life = 5\ndelta_pages = 7\ncurve = "steps"\n'
        'utility = "end performance"\ntracking = 0.5\nminimum_pages = 9',
        batch="touches = 2\nweight = 3\nminimum_pages = 1\nfile = true",
        interactive="iterations = 6\ntracking = 0\nstart = 8",
        server="requests = 5",
    )
    assert (found.tick_s, found.page_bytes, found.seed) == (0.25e-6, 512, 0)
    assert (found.duration, found.measure_from, found.sample) == (9, 3, 2)
    assert (found.reclaim_below, found.reclaim_to) == (20, 30)
    assert read(top="reclaim_below = 20").reclaim_to == 20
    assert found.costs == Costs(10, 5, 2, 6, 7)
    assert found.mrc == Mrc("group", 8, 4, None, 2, 3, 5, 7, "steps", "end performance")
    batch, interactive, closed, _ = found.processes
    assert (batch.parts, batch.weight, batch.minimum_pages, batch.tracking) == ((Part(TRACE, 2),), 3, 1, 0.5)
    assert (batch.file, interactive.file) == (True, False)
    assert (interactive.requests, interactive.tracking, interactive.start) == (6, 0, 8)
    assert (interactive.minimum_pages, closed.requests) == (9, 5)
    assert read(mrc='engine = "shards"\nengine_rate = 0.1').mrc.engine_rate == 0.1


def test_the_trackers_keys_are_taken(read):
    found = read(
        mrc='engine = "os"\nengine_scan_list = 7\nengine_period = 3\nengine_seen_only = true',
        costs="protection_fault = 2\nscan = 0.5\npage_scanned = 0.25\npage_accessed = 0\ngroup_crossed = 1",
    ).mrc
    assert (found.engine_scan_list, found.engine_period, found.engine_seen_only) == (7, 3000, True)
    assert found.engine_costs == TrackerCosts(2000, 500, 250, 0, 1000)
    found = read(mrc='engine = "os"', top='time_unit = "cycles"\nclock_mhz = 4', costs="scan = 3").mrc
    assert found == Mrc("os", engine_costs=TrackerCosts(scan=750))


@pytest.mark.parametrize(
    ("place", "good", "bad", "what"),
    [
        ("top", "seed = 0", "seed = -1", "seed: is -1"),
        ("top", "sample = 0.001", "sample = -1", "sample: is -1"),
        ("top", 'policies = ["mrc"]', "policies = []", "policies: is []"),
        ("top", 'policies = ["equal", "static"]', 'policies = ["mrc", "mrc"]', "policies: is ['mrc', 'mrc']"),
        ("top", 'time_unit = "us"', "clock_mhz = 4", "clock_mhz: belongs to time_unit cycles"),
        ("top", "reclaim_below = 4095", "reclaim_below = 4096", "reclaim_below: is 4096"),
        ("top", "reclaim_below = 2\nreclaim_to = 2", "reclaim_below = 2\nreclaim_to = 1", "reclaim_to: is 1"),
        ("top", "reclaim_below = 2", "reclaim_to = 2", "reclaim_below: is missing beside reclaim_to"),
        ("mrc", "group_pages = 1", "group_pages = 0", "mrc.group_pages: is 0"),
        (
            "mrc",
            "minimum_pages = 1024",
            "minimum_pages = 1025",
            "mrc.minimum_pages: the minimums sum to 4100",
        ),
        ("mrc", 'engine = "shards"\nengine_rate = 1', 'engine = "shards"\nengine_rate = 0', "is 0"),
        ("mrc", 'engine = "bucket"\nengine_frames = 1', "engine_frames = 1", "engine exact has none"),
        ("mrc", 'engine = "group"\nengine_groups = 1', 'engine = "group"\nengine_groups = 0', "is 0"),
        ("mrc", 'engine = "os"\nengine_scan_list = 1', 'engine = "os"\nengine_scan_list = 0', "is 0"),
        ("mrc", 'engine = "os"\nengine_period = 1', 'engine = "os"\nengine_period = 0', "is 0"),
        ("mrc", 'engine = "os"', "engine_period = 1", "mrc.engine_period: engine exact has none"),
        ("mrc", "tracking = 0.1", 'engine = "os"\ntracking = 0.1', "mrc.tracking: engine os computes it"),
        ("costs", "fault = 1", "protection_fault = 1", "costs.protection_fault: engine exact has none"),
        ("batch", "touches = 1", "touches = 0", "process.touches: is 0"),
        ("batch", "file = false", "file = 1", "process.file: is 1"),
        ("batch", "weight = 0.1", "weight = 0", "process.weight: is 0"),
        ("interactive", "iterations = 1", "iterations = 0", "process.iterations: is 0"),
        ("server", 'spread = "constant"', "interval = 1", "closed loop and open loop at once"),
        ("server", "requests = 1", "requests = 0", "process.requests: is 0"),
        ("server", "start = 1", 'part = [{trace = "gen:loop"}]', "trace: stands beside"),
        ("batch", "start = 1", 'part = [{trace = "gen:loop?n=1"}]', "trace: stands beside"),
    ],
)
def test_limits(read, place, good, bad, what):
    assert read(**{place: good})
    with pytest.raises(UserError) as error:
        read(**{place: bad})
    assert what in error.value.what


def test_curves_have_65536_sizes_at_most_and_memories_2_to_the_30_pages(read, tmp_path):
    def pages(count: int, group: int):
        path = tmp_path / "x.toml"
        path.write_text(LEAST.replace("4096", str(count)).replace("#mrc", f"group_pages = {group}"))
        return read_scenario(path)

    assert pages(65_536 * 64, 64)
    with pytest.raises(UserError, match="curves of more than 65536 sizes"):
        pages(65_536 * 64 + 1, 64)
    assert pages(1 << 30, 1 << 14)
    with pytest.raises(UserError, match="memory_pages: is 1073741825"):
        pages((1 << 30) + 1, 1 << 15)


@pytest.mark.parametrize(
    ("was", "key"),
    [("touch = 1\n#batch", "touch"), ("time_slice = 10", "time_slice"), ("interval = 4", "interval")],
)
def test_what_takes_time_takes_a_nanosecond_at_least(tmp_path, was, key):
    """Half a nanosecond is rounded to 0, 0.6 to 1."""
    path = tmp_path / "x.toml"
    assert was in LEAST
    path.write_text(LEAST.replace(was, f"{key} = 0.0006").replace("#top", "duration = 0.0004"))
    assert read_scenario(path).duration == 0
    path.write_text(LEAST.replace(was, f"{key} = 0.0005"))
    with pytest.raises(UserError, match=rf"{key}: is 0\.0005"):
        read_scenario(path)


def test_a_table_of_shares_is_whole_and_fits(tmp_path):
    path = tmp_path / "x.toml"
    given = 'title = "x"\nmemory_pages = 10\n'
    text = LEAST.replace('title = "x"\nmemory_pages = 4096\n', given).replace("#mrc", "minimum_pages = 1")
    path.write_text(text + "[static]\nb = 1\ni = 2\nc = 3\no = 4\n")
    assert read_scenario(path).shares == {"b": 1, "i": 2, "c": 3, "o": 4}
    path.write_text(text + "[static]\nb = 1\ni = 2\nc = 3\n")
    with pytest.raises(UserError, match=r"static\.o: is missing"):
        read_scenario(path)


def test_no_process_is_no_scenario(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(LEAST.partition("[[process]]")[0])
    with pytest.raises(UserError, match="process: there is none"):
        read_scenario(path)
