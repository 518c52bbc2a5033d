"""Scenarios are found by name."""

from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.shared.scenarios import known_scenario, scenario_path, shipped_scenarios
from litemrc_studies.sweeps.command.points import inputs_of
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

STUDIES = Path(__file__).parents[2]


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
