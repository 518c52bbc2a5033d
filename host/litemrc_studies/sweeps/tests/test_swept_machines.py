# SPDX-License-Identifier: BSD-2-Clause
"""A sweep over each machine: every row is one that the single command prints, as --csv and as --json."""

import csv
import io
import json
import tomllib
from itertools import groupby
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.cli.shared.results import csv_text
from litemrc_studies.shared.tests.small_scenarios import MM, TRAYS
from litemrc_studies.sweeps.command.machines import MACHINES, REFUSED, parameters_of
from litemrc_studies.sweeps.command.points import FILES

from tests.host.in_process import litemrc

ROOT = Path(__file__).parents[4]
TIMES = ("alloc_ns_mean", "alloc_ns_max", "free_ns_mean", "free_ns_max")  # measured, differ from run to run

# For each machine the sweep, and for each point the command line of its own.
SWEEPS = {
    "replace": (
        """
fixed.trace = "gen:loop?pages=300&n=3000"
[grid]
policy = ["lru", ["seq", "opt"]]
memory = { from = 64, to = 256, steps = 2, scale = "log" }
trace.seed = [1, 2]
""",
        [
            ("replace", f"gen:loop?pages=300&n=3000&seed={seed}", "--policy", policy, "--memory", memory)
            for policy in ("lru", "seq,opt")
            for memory in (64, 256)
            for seed in (1, 2)
        ],
    ),
    "mrc": (
        """
fixed.trace = ["gen:zipf?pages=500&n=5000", "gen:loop?pages=100&n=2000"]
fixed.sizes = "16,64,256"
[[grid]]
engine = ["exact"]
[[grid]]
engine = ["os"]
group-pages = [16]
[[grid]]
engine = ["shards"]
sample-rate = [0.5, 1.0]
no-band = [true, false]
""",
        [
            (
                "mrc",
                "gen:zipf?pages=500&n=5000",
                "gen:loop?pages=100&n=2000",
                "--sizes",
                "16,64,256",
                *options,
            )
            for options in (
                ("--engine", "exact"),
                ("--engine", "os", "--group-pages", 16),
                ("--engine", "shards", "--sample-rate", "0.5", "--no-band"),
                ("--engine", "shards", "--sample-rate", "0.5"),
                ("--engine", "shards", "--sample-rate", "1.0", "--no-band"),
                ("--engine", "shards", "--sample-rate", "1.0"),
            )
        ],
    ),
    "energy": (
        """
[fixed]
trace = "gen:zipf?pages=500&n=5000"
scheme = "static-nap,mrc-dynamic-nap,oracle"
[grid]
part = ["rdram", "lpddr3"]
chip-pages = [64, 128]
epsilon = [0.01, 0.2]
""",
        [
            (
                *(
                    "simulate",
                    "energy",
                    "gen:zipf?pages=500&n=5000",
                    "--scheme",
                    "static-nap,mrc-dynamic-nap,oracle",
                ),
                *("--part", part, "--chip-pages", pages, "--epsilon", epsilon),
            )
            for part in ("rdram", "lpddr3")
            for pages in (64, 128)
            for epsilon in (0.01, 0.2)
        ],
    ),
    "placement": (
        """
[fixed]
workload = "light"
ticks = 20
memory = "64M"
[grid]
zip = ["banks", "seed"]
banks = [8, 16]
seed = [1, 2]
no-scramble = [true, false]
""",
        [
            (
                *("simulate", "placement", "--workload", "light", "--ticks", 20, "--memory", "64M"),
                *("--banks", banks, "--seed", seed, *scramble),
            )
            for banks, seed in ((8, 1), (16, 2))
            for scramble in (("--no-scramble",), ())
        ],
    ),
    "numa": (
        """
fixed.trace = "gen:speech?n=20000"
fixed.set.costs.page_fault = 700
[grid]
protocol = ["upd", "invalidate", "first-touch"]
delay = [2, 16]
set.costs.remote_read = [50, 200]
""",
        [
            (
                *("simulate", "numa", "gen:speech?n=20000", "--protocol", protocol, "--delay", delay),
                *("--set", "costs.page_fault=700", "--set", f"costs.remote_read={cost}"),
            )
            for protocol in ("upd", "invalidate", "first-touch")
            for delay in (2, 16)
            for cost in (50, 200)
        ],
    ),
    "mm": (
        """
fixed.scenario = "mm.toml"
[grid]
set.memory_pages = [100, 160]
set.process.job.trace = ["gen:loop?pages=150", "gen:zipf?pages=150"]
policy = ["global-lru,global-clock", "equal"]
seed = { from = 1, to = 2 }
""",
        [
            (
                *("simulate", "mm", "mm.toml", "--policy", policy, "--seed", seed),
                *("--set", f"memory_pages={pages}", "--set", f"process.job.trace={trace}"),
            )
            for pages in (100, 160)
            for trace in ("gen:loop?pages=150", "gen:zipf?pages=150")
            for policy in ("global-lru,global-clock", "equal")
            for seed in (1, 2)
        ],
    ),
    "trays": (
        """
fixed.scenario = "trays.toml"
[grid]
set.compilation.units = [2, 5]
memnice = ["1", ["0,2", "0-1"]]
""",
        [
            ("simulate", "trays", "trays.toml", "--set", f"compilation.units={units}", *limits)
            for units in (2, 5)
            for limits in (("--memnice", "1"), ("--memnice", "0,2", "--memnice", "0-1"))
        ],
    ),
}


def scalars(content):
    """Yield key and value of all numbers and texts in a JSON document; those of a list have its key."""
    for key, value in content.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from scalars(each)
            elif not isinstance(each, list):
                yield key, each


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mm.toml").write_text(MM)
    (tmp_path / "trays.toml").write_text(TRAYS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_machine_of_the_promise_can_be_swept():
    assert set(SWEEPS) == set(MACHINES) == {"mm", "energy", "placement", "numa", "trays", "replace", "mrc"}


@pytest.mark.parametrize("machine", SWEEPS)
def test_rows_are_those_of_the_single_commands(folder, scheduler, machine):
    text, lines = SWEEPS[machine]
    (folder / "sweep.toml").write_text(f'command = "{machine}"\n{text}')
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert done.returncode == 0, done.stderr
    table = pq.read_table("sweep.parquet")
    described = json.loads(table.schema.metadata[b"litemrc"])
    rows = [list(rows) for _, rows in groupby(table.to_pylist(), key=lambda row: row["point"])]
    assert len(rows) == len(lines)
    compared = 0
    for found, line in zip(rows, lines, strict=True):
        plain = {name: name.removeprefix("result_") for name in described["results"]}
        results = [{plain[name]: row[name] for name in plain} for row in found]
        # As --csv prints them: the same text, so the same values and types.
        expected = list(csv.DictReader(io.StringIO(litemrc(*line, "--csv").stdout)))
        assert len(results) == len(expected)
        names = [name for name in expected[0] if name not in TIMES]
        assert set(names) <= set(plain.values())
        shown = csv.DictReader(io.StringIO(csv_text({name: row[name] for name in names} for row in results)))
        assert [row for row in shown] == [{name: row[name] for name in names} for row in expected]
        # As --json has them: each number and text with its key.
        document = json.loads(litemrc(*line, "--json").stdout)
        known: dict[str, list[object]] = {}
        for key, value in scalars(document):
            known.setdefault(key, []).append(value)
        for row in results:
            for name, value in row.items():
                if row.get("phase") == "all" and name in ("phase", "ranks_awake", "seconds"):
                    continue  # trays: of all phases --json has no such value, or sums it in another order
                if name in known and name not in TIMES and value is not None:
                    assert value in known[name], (name, value)
                    compared += 1
    assert compared >= len(lines) * 2


def test_options_are_parameters_or_refused_and_files_among_them_are_known():
    assert set(REFUSED) >= {"json", "csv", "plot", "log", "report", "quiet"}
    for machine in MACHINES:
        parameters = parameters_of(machine)
        assert not set(parameters) & {*REFUSED, "scheduler", "workers"}
        assert ("trace" in parameters) != ("scenario" in parameters)
        files = {name for name, action in parameters.items() if action.type is Path}
        assert files <= set(FILES), "a parameter that is a path must be made absolute for workers"


@pytest.mark.parametrize(
    "file",
    sorted(Path(__file__).parents[4].glob("host/litemrc_studies/sweeps/examples/*.toml")),
    ids=lambda file: file.stem,
)
def test_the_points_of_shipped_sweeps_are_those_of_the_page(file):
    page = (Path(__file__).parents[1] / "README.md").read_text()
    plan = json.loads(litemrc("sweep", f"sweeps/{file.stem}", "--dry-run", "--json").stdout)
    command = plan["first"][0].split()[2 if plan["first"][0].split()[1] == "simulate" else 1]
    assert f"| `{file.stem}` | `{command}` | {plan['points']:,}: " in page


def test_the_example_of_the_page_is_the_shipped_sweep():
    page = (Path(__file__).parents[1] / "README.md").read_text()
    example = tomllib.loads(page.partition("```toml\n")[2].partition("```")[0])
    shipped = tomllib.loads((ROOT / "host/litemrc_studies/sweeps/examples/replacement.toml").read_text())
    assert example == {key: shipped[key] for key in example}
