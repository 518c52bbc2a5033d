# SPDX-License-Identifier: BSD-2-Clause
"""Any line of arguments is parsed or refused: with exit code 2, or by a UserError with a place or a remedy.

The lines are built from the parsers' own options, so new options are tested, too.
"""

import argparse
import contextlib
import io
import re
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.cli.main import COMMANDS, command_parser, main
from litemrc.cli.shared.commands import parsers_of
from litemrc.errors import UserError, choose_from, closest

from tests.host.cli.hostile import VALUES

PARSERS = {parser.prog: parser for parser in parsers_of(command_parser())}
# Words that mix with the hostile ones, so that some lines come far.
PLAUSIBLE = ("1", "4096", "16M", "4k", "0.5", "1=2", "a.txt", "out.parquet", "lru", "all", "gen:loop", "0:15")


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
    # Python 3.13 aligns it otherwise.
    line = r"^ +simulate {3,}in litemrc-studies, which is not installed$"
    assert re.search(line, capsys.readouterr().out, re.MULTILINE)


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


def values(action: argparse.Action) -> st.SearchStrategy[str]:
    """Values for an argument: its choices, plausible ones, hostile ones, any text."""
    words = [*map(str, action.choices or ()), *PLAUSIBLE, *VALUES]
    return st.sampled_from(words) | st.text(st.characters(blacklist_characters="\0"), max_size=12)


def words_of(action: argparse.Action) -> st.SearchStrategy[list[str]]:
    """An argument as words of a line, with too many and too few values among them."""
    if isinstance(action, argparse._SubParsersAction):
        return st.lists(st.sampled_from([*action.choices, *VALUES]), max_size=1)
    if not action.option_strings:
        return st.lists(values(action), max_size=3)
    option = st.sampled_from(action.option_strings)
    if action.nargs == 0:
        return st.tuples(option).map(list) | st.builds(lambda *pair: ["=".join(pair)], option, values(action))
    separate = st.builds(lambda name, value: [name, *value], option, st.lists(values(action), max_size=2))
    return separate | st.builds(lambda *pair: ["=".join(pair)], option, values(action))


def lines(parser: argparse.ArgumentParser) -> st.SearchStrategy[list[str]]:
    arguments = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    given_words = st.lists(st.sampled_from(arguments).flatmap(words_of), max_size=6)
    # Required arguments are mostly there: otherwise no line passes the parser.
    required = [words_of(action) if action.required else st.just([]) for action in arguments]
    return st.builds(lambda some, *all_of: list(chain(*some, *all_of)), given_words, *required)


@pytest.mark.parametrize("prog", list(PARSERS))
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_every_line_is_parsed_or_refused(prog, data):
    parser = PARSERS[prog]
    line = data.draw(lines(parser))
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            assert parser.parse_args(line) is not None
        except SystemExit as end:
            if end.code != 0:  # of --version, and of --help below this command
                assert end.code == 2 and ": error: " in said.getvalue()
        except UserError as error:
            assert error.exit_code == 2 and error.what and (error.where or error.remedy)


# The values of an option's type, one by one: the random lines seldom reach each of them.
@pytest.mark.parametrize("prog", list(PARSERS))
def test_every_hostile_value_of_every_option_is_parsed_or_refused(prog):
    parser = PARSERS[prog]
    for action in parser._actions:
        if action.type is None:
            continue
        for value in VALUES:
            try:
                parser._get_value(action, value)
            except (argparse.ArgumentError, UserError) as error:
                assert str(error), (action.dest, value)
