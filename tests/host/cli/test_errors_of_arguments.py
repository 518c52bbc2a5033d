"""Errors of arguments look like all others: what, where, remedy, with the name that was meant."""

import re

import pytest
from litemrc.cli.main import COMMANDS, main
from litemrc.errors import choose_from, closest


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
    assert all(f"\n  {title}:\n" in shown.out for title in (*COMMANDS, "studies"))
    assert all(
        re.search(rf"^    {name}\s", shown.out, re.MULTILINE)
        for commands in COMMANDS.values()
        for name in commands
    )


@pytest.mark.parametrize(
    ("words", "command"),
    [("simulate mm", "simulate"), ("replace a", "replace"), ("demo linux-govern", "demo linux-govern")],
)
def test_a_command_of_the_studies_says_what_to_install(words, command, capsys, monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    assert refused(capsys, *words.split()) == (
        f"litemrc: error: litemrc {command} is in litemrc-studies, which is not installed\n"
        "  remedy: run, in a clone of LiteMRC: pip install . ./host\n"
    )
    main([])
    assert "simulate   in litemrc-studies, which is not installed" in capsys.readouterr().out


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
