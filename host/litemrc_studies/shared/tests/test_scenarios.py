# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios are found by name, and changed by --set."""

import json
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.reference_counters.machine.costs import PAPER
from litemrc_studies.shared.scenarios import known_scenario, scenario_path, shipped_scenarios
from litemrc_studies.shared.tests.small_scenarios import MM, TRAYS
from litemrc_studies.sweeps.command.points import inputs_of
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

from tests.host.in_process import litemrc

STUDIES = Path(__file__).parents[2]
NUMA = PAPER.read_text()
SHARED = "gen:speech?n=30000&seed=2"


def test_a_scenario_is_a_file_or_a_shipped_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").touch()
    for text, found in (
        ("mine", Path("mine")),
        ("apache_gcc", STUDIES / "zhou2004/scenarios/apache_gcc.toml"),
        ("trays/fop", STUDIES / "jantz2013/scenarios/fop.toml"),
        ("none", Path("none")),
        ("none/fop", Path("none/fop")),
        ("/apache_gcc", Path("/apache_gcc")),
    ):
        assert scenario_path(text) == found
    assert scenario_path("fop", "trays") == STUDIES / "jantz2013/scenarios/fop.toml"
    assert scenario_path("apache_gcc", "trays") == STUDIES / "zhou2004/scenarios/apache_gcc.toml"


@pytest.mark.parametrize(
    ("words", "kind"),
    [(("simulate", "mm"), ""), (("simulate", "trays"), "trays"), (("sweep",), "sweeps")],
)
def test_shipped_scenarios_are_listed_and_need_no_folder(words, kind, capsys):
    with pytest.raises(SystemExit) as end:
        main([*words, "--list"])
    lines = capsys.readouterr().out.splitlines()
    assert end.value.code == 0 and len(lines) == len(shipped_scenarios(kind)) >= 7
    for line in lines:
        name, title = line.split(maxsplit=1)
        assert known_scenario(name, kind).is_file() and title


def test_listed_scenarios_are_those_of_the_machine():
    for name in shipped_scenarios():
        assert read_scenario(known_scenario(name)).title == shipped_scenarios()[name]


def test_a_path_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert known_scenario("absent.toml", "trays").name == "absent.toml"  # reading it says that it is absent
    assert known_scenario("folder/absent").name == "absent"
    with pytest.raises(UserError, match="no scenario is named 'absent'"):
        known_scenario("absent")


def test_a_scenario_by_its_short_name_is_an_input_of_a_sweep(tmp_path):
    """Workers compare the files of a point: a name without its folder must lead to the same files."""
    short, long = (
        [each.path for each in inputs_of({"scenario": name}, tmp_path)] for name in ("fop", "trays/fop")
    )
    assert short == long and short[0].endswith("jantz2013/scenarios/fop.toml")


def test_no_name_is_shipped_for_two_machines():
    assert not set(shipped_scenarios()) & set(shipped_scenarios("trays"))


def result(*line: object) -> dict[str, object]:
    done = litemrc(*line, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("command", "options", "text", "before", "after", "change"),
    [
        ("mm", (), MM, "memory_pages = 100", "memory_pages = 160", "memory_pages=160"),
        ("mm", (), MM, "touch = 10", "touch = 70", "process.job.touch=70"),
        ("trays", (), TRAYS, "units = 3", "units = 5", "compilation.units=5"),
        (
            "trays",
            (),
            TRAYS,
            'name = "colors"',
            'name = "colors"\npower_down = "fast"',
            "configuration.1.power_down=fast",
        ),
        ("numa", (SHARED, "--delay", "2"), NUMA, "remote_read", "remote_read", "costs.remote_read=99"),
    ],
    ids=["mm", "mm-process", "trays", "trays-configuration", "numa"],
)
def test_results_with_set_are_those_of_an_edited_file(
    tmp_path, command, options, text, before, after, change
):
    assert before in text
    if command == "numa":
        lines = [f"{before} = 99" if line.startswith(before) else line for line in text.splitlines()]
        edited_text = "\n".join(lines)
    else:
        edited_text = text.replace(before, after, 1)
    original, edited = tmp_path / "original.toml", tmp_path / "edited.toml"
    original.write_text(text)
    edited.write_text(edited_text)

    def line(file: Path) -> tuple[object, ...]:
        return ("simulate", command, *options, *(("--costs", file) if command == "numa" else (file,)))

    changed = result(*line(original), "--set", change)
    assert changed == result(*line(edited))
    assert changed != result(*line(original))


def test_a_wrong_change_is_refused_with_its_place(tmp_path):
    (tmp_path / "mm.toml").write_text(MM)
    done = litemrc("simulate", "mm", tmp_path / "mm.toml", "--set", "process.job.touch=0")
    assert done.returncode == 2
    assert "process.touch: is 0" in done.stderr and "--set process.job.touch=0" in done.stderr
    done = litemrc("simulate", "mm", tmp_path / "mm.toml", "--set", "touch")
    assert done.returncode == 2
    assert "argument --set: must be KEY=VALUE" in done.stderr
