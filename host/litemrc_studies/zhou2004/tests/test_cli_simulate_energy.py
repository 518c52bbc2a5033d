# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate energy` as a user meets it: a process with arguments, output streams, files and an exit
code."""

import json
from pathlib import Path

import pytest
from litemrc_studies.zhou2004.policies import SCHEMES

from tests.host.in_process import Done, litemrc

PNG = b"\x89PNG\r\n\x1a\n"
PHASES = "gen:phases?pages=1024&phases=4&length=5000&n=20000"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """The program worked out in test_energy_simulation.py."""
    path = tmp_path / "three.txt"
    path.write_text("0 7 r\n100 7 w\n1000 9 r\n")
    return path


def run(*arguments: object) -> Done:
    return litemrc("simulate", "energy", *arguments)


def answer(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_json_has_energy_and_delay_of_a_program_worked_out_by_hand(three):
    got = answer(three, "--scheme", "static-nap", "--chip-pages", 1, "--clock-mhz", 1000)
    (result,) = got["results"]
    nap_pj, on_pj = 3 * (18_000 + 9_600) + 2360 * 30, 2 * 1180 * 300
    assert result["energy_mj"] == pytest.approx(nap_pj * 1e-9)
    assert result["delay_s"] == pytest.approx(1360e-9)
    assert result["energy_delay"] == pytest.approx(nap_pj * 1e-9 * 1360e-9)
    assert result["relative_to"] == {
        "scheme": "always-on",
        "energy": pytest.approx(nap_pj / on_pj),
        "delay": pytest.approx(1360 / 1180),
        "energy_delay": pytest.approx(nap_pj / on_pj * 1360 / 1180),
    }
    assert sum(result["chip_energy_mj"]) == pytest.approx(result["energy_mj"])
    assert (result["accesses"], got["footprint_pages"], got["gap_cycles"]) == ([2, 1], 2, None)


def test_all_schemes_run_by_default_and_the_monitor_is_charged_to_those_that_need_it():
    results = answer(PHASES)["results"]
    assert [result["scheme"] for result in results] == list(SCHEMES)
    for result in results:
        charged = 20 * result["delay_s"] if result["scheme"].startswith("mrc-") else 0
        assert result["monitor_mj"] == pytest.approx(charged)
    lowest = results[-1]
    assert all(lowest["energy_mj"] <= r["energy_mj"] and lowest["delay_s"] <= r["delay_s"] for r in results)


def test_a_monitor_without_power_costs_just_that_less():
    charged, free = (
        answer(PHASES, "--scheme", "mrc-static", "--monitor-mw", mw)["results"][0] for mw in (50, 0)
    )
    assert charged["energy_mj"] - free["energy_mj"] == pytest.approx(50 * free["delay_s"])


def test_the_choice_of_the_sweep_is_in_the_result():
    (tuned,) = answer(PHASES, "--scheme", "dynamic-tuned")["results"]
    standby, nap, powerdown = tuned["thresholds_ns"]
    assert (tuned["swept"], standby) == (True, 0)
    (given,) = answer(
        PHASES, "--scheme", "dynamic-tuned", "--nap-after", nap or 1, "--powerdown-after", powerdown
    )["results"]
    assert (given["swept"], given["thresholds_ns"]) == (False, [0, nap or 1, powerdown])
    assert given["energy_delay"] >= tuned["energy_delay"]


def test_thresholds_given_reach_the_dynamic_schemes_only():
    results = answer(PHASES, "--scheme", "static-nap,dynamic-nap,mrc-dynamic-nap", "--nap-after", 40)[
        "results"
    ]
    assert [result["thresholds_ns"] for result in results] == [[None, 0, None], [0, 40, None], [0, 40, None]]


def test_one_base_for_all():
    results = answer(PHASES, "--scheme", "mrc-static,always-on", "--base", "static-nap")["results"]
    assert [result["relative_to"]["scheme"] for result in results] == ["static-nap"] * 2
    assert results[0]["relative_to"]["energy_delay"] < 0.6 < 3 < results[1]["relative_to"]["energy_delay"]


def test_a_sweep_has_every_machine(tmp_path):
    picture = tmp_path / "sweep.png"
    arguments = (PHASES, "--scheme", "mrc-static", "--epoch-cycles", "10000,100000", "--chip-pages", "32,64")
    results = answer(*arguments, "--plot", picture)["results"]
    machines = [(result["chip_pages"], result["epoch_cycles"], result["chips"]) for result in results]
    assert machines == [(32, 10_000, 32), (32, 100_000, 32), (64, 10_000, 16), (64, 100_000, 16)]
    assert picture.read_bytes().startswith(PNG)


def test_random_placement_scatters_a_working_set():
    """A quarter of the pages is in use at a time: in order of first touch that is a quarter of the chips."""
    scheme = ("--scheme", "mrc-static")
    placed, scattered = (
        answer(PHASES, *scheme, "--placement", way)["results"][0] for way in ("sequential", "random")
    )
    assert scattered["energy_mj"] > 1.2 * placed["energy_mj"]


def test_a_part_of_ddr3_has_its_own_states():
    got = answer(PHASES, "--scheme", "static-nap", "--part", "ddr3-mt41j64m16")
    assert got["states"] == ["active standby", "standby", "power-down", "self-refresh"]
    assert got["part"] == "MT41J64M16-187E:G"


def test_the_table_and_the_bars(tmp_path):
    picture = tmp_path / "bars.svg"
    done = run(PHASES, "--plot", picture)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.split()[0].rstrip("*") for line in lines[-len(SCHEMES) :]] == list(SCHEMES)
    assert all(f">{name}<" in picture.read_text() for name in SCHEMES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scheme", "sleepy"], "no scheme is named 'sleepy'; choose from always-on"),
        (["--part", "mt48"], "no part 'mt48' is known"),
        (["--part", "ddr3"], "3 parts fit 'ddr3'"),
        (["--part", "nowhere.toml"], "cannot read: No such file"),
        (["--chip-pages", "0"], "must be a whole number from 1 to 4294967295 (got '0')"),
        (["--epoch-cycles", "10000,"], "must be a whole number from 1 to 4294967295 (got '')"),
        (["--epsilon", "2"], "must be a number from 0 to 1 (got '2')"),
        (["--epsilon", "nan"], "must be a number from 0 to 1 (got 'nan')"),
        (["--monitor-mw", "-1"], "must be a number from 0"),
        (["--placement", "best"], "invalid choice: 'best'"),
        (["--base", "nobody"], "invalid choice: 'nobody'"),
        (["--powerdown-after", "100"], "--powerdown-after is given without --nap-after"),
        (["--nap-after", "200", "--powerdown-after", "100"], "0, 200, 100 ns are out of range or order"),
        (["--plot", "bars.txt"], "bars.txt"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    done = run(PHASES, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr and not done.stdout


def test_bad_traces_are_named(tmp_path, three):
    assert run(tmp_path / "none.txt").returncode == 2
    three.write_text("5 1 r\n3 2 r\n")
    done = run(three)
    assert (done.returncode, "three.txt" in done.stderr) == (2, True)
    three.write_text("")
    done = run(three)
    assert (done.returncode, "no reference" in done.stderr) == (2, True)
    done = run("tests/data/traces/grid.inout.zst")
    assert (done.returncode, "IN/OUT records" in done.stderr) == (2, True)
