"""Errors of arguments look like all others: what, where, remedy, with the name that was meant."""

import pytest
from litemrc.cli.main import COMMANDS, main
from litemrc.cli.sweeps.inputs import inputs_of
from litemrc.errors import UserError, choose_from, closest
from litemrc.files.scenarios import known_scenario, shipped_scenarios
from litemrc.machines.multiprogram.scenario_file import read_scenario


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code
    shown = capsys.readouterr()
    assert code == 2 and not shown.out
    return shown.err


def test_a_bare_command_prints_help(capsys):
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out.startswith("usage: litemrc") and not shown.err
    assert all(f"    {name}" in shown.out for name in COMMANDS)


def test_an_unknown_command_is_answered_with_the_closest(capsys):
    assert refused(capsys, "mcr", "x") == (
        "litemrc: error: no command is named 'mcr'\n  where:  litemrc\n"
        "  remedy: did you mean mrc? litemrc --help describes the arguments\n"
    )
    assert "did you mean trays?" in refused(capsys, "simulate", "trais")
    assert "did you mean" not in refused(capsys, "zzzzzz")


def test_an_unknown_option_is_answered_with_the_closest_of_its_command(capsys):
    assert refused(capsys, "mrc", "--engin", "exact", "x") == (
        "litemrc: error: unrecognized arguments: --engin\n  where:  litemrc mrc\n"
        "  remedy: did you mean --engine? litemrc mrc --help describes the arguments\n"
    )
    shown = refused(capsys, "simulate", "mm", "apache_gcc", "--polcy=mrc")
    assert "where:  litemrc simulate mm\n  remedy: did you mean --policy?" in shown


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("mrc", "x", "--engine", "exat"), "exact"),
        (("mrc", "x", "--format", "Lackey"), "lackey"),
        (("mrc", "gen:zpf"), "zipf"),
        (("mrc", "gen:zipf?page=3"), "pages"),
        (("trace", "generate", "zpif"), "zipf"),
        (("simulate", "mm", "apache_gc"), "apache_gcc"),
        (("simulate", "mm", "apache_gcc", "--policy", "glbal-lru"), "global-lru"),
        (("simulate", "mm", "apache_gcc", "--set", "process.gc.touch=3"), "gcc"),
        (("simulate", "trays", "lindex"), "luindex"),
        (("sweep", "replacment"), "replacement"),
        (("replace", "gen:loop", "--memory", "4", "--policy", "clok"), "clock"),
    ],
)
def test_a_name_is_answered_with_the_closest_known_one(words, meant, capsys):
    assert f"did you mean {meant}?" in refused(capsys, *words)


def test_a_missing_argument_names_the_command(capsys):
    shown = refused(capsys, "simulate", "mm")
    assert shown.startswith("litemrc: error: the following arguments are required: SCENARIO.toml\n")
    assert shown.endswith("  remedy: litemrc simulate mm --help describes the arguments\n")


def test_only_close_names_are_suggested():
    assert closest("lur", ["lru", "opt"]) == "did you mean lru?"
    assert closest("LRU", ["lru"]) == "did you mean lru?"
    assert closest("fifo", ["lru", "opt"]) == closest("x", []) == ""
    assert choose_from("fifo", ["lru", "opt"]) == "choose from lru, opt"


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
    assert short == long and short[0].endswith("trays/fop.toml")


def test_no_name_is_shipped_for_two_machines():
    assert not set(shipped_scenarios()) & set(shipped_scenarios("trays"))
