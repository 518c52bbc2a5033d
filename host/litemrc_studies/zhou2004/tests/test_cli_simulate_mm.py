# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate mm`: table, JSON, pictures, errors, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc_studies.shared.tests.small_scenarios import PAIR
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(PAIR)
    return path


def test_json_is_what_the_machine_finds(file, capsys):
    assert main(["simulate", "mm", str(file), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    scenario = read_scenario(file)
    assert [result["policy"] for result in printed["results"]] == ["global-clock", "mrc"]
    runs = [simulate(scenario, policy) for policy in ("global-clock", "mrc")]
    for shown, run in zip(printed["results"], runs, strict=True):
        assert shown["time_s"] == run.time_s
        assert shown["sampled_s"] == run.sampled_s.tolist()
        assert shown["resident_pages"]["job"] == run.resident_pages[:, 1].tolist()
        for process, of_run, first in zip(shown["processes"], run.processes, runs[0].processes, strict=True):
            assert process["faults"] == of_run.faults
            assert process["p95_response_s"] == of_run.percentile_s(95)
            assert process["speedup"] == first.time_s / of_run.time_s
            assert process["fault_reduction"] == 1 - of_run.faults / first.faults


def test_the_table_compares_with_the_first_policy(file, capsys):
    assert main(["simulate", "mm", str(file), "--policy", "global-lru,equal", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "small: 100 pages (400 KiB), seed 3"
    assert [line.split()[:2] for line in lines[2:6]] == [
        ["global-lru", "ask"],
        ["global-lru", "job"],
        ["equal", "ask"],
        ["equal", "job"],
    ]
    assert [" x " in line for line in lines[2:6]] == [False, False, True, True]


def test_pictures_are_drawn(file, tmp_path):
    for name in ("mm.png", "mm.svg"):
        assert main(["simulate", "mm", str(file), "--plot", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 10_000
    drawn = (tmp_path / "mm.svg").read_text()
    for text in ("ask: mean response time", "memory under mrc", "KiB", "time in s"):
        assert text in drawn


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "mrc,fifo"], "no policy is named 'fifo'"),
        (["--policy", "mrc,mrc"], "a policy is repeated in 'mrc,mrc'"),
        (["--policy", "static"], "policy static needs the pages of each process"),
        (["--plot", "a.pdf"], "pdf"),
    ],
)
def test_impossible_arguments_are_reported_and_end_with_2(file, capsys, arguments, said):
    assert main(["simulate", "mm", str(file), *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert not printed.out


def test_a_bad_file_is_reported_with_its_line_and_ends_with_2(file, capsys):
    file.write_text(PAIR.replace("touches = 3000", "touches = -3000"))
    assert main(["simulate", "mm", str(file)]) == 2
    line = PAIR.splitlines().index("touches = 3000") + 1
    assert capsys.readouterr().err == (
        "litemrc: error: process.touches: is -3000\n"
        f"  where:  {file}:{line}\n"
        "  remedy: expected a whole number from 1 on\n"
    )


def test_a_run_can_be_interrupted(file):
    """A long run that is interrupted reports so and ends with 130."""
    file.write_text(PAIR.replace("touches = 3000", "touches = 3_000_000_000"))
    code = "from litemrc.cli.main import main; import sys; print('on', flush=True); sys.exit(main())"
    run = subprocess.Popen(
        [sys.executable, "-c", code, "simulate", "mm", str(file), "--policy", "global-lru"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout.readline() == "on\n"
    # From here on it loads modules and runs; the first line of progress shows that it simulates.
    assert "simulated" in run.stderr.readline()
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(20) == 130
    assert run.stderr.read().endswith("litemrc: interrupted\n")
