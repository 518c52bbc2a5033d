# SPDX-License-Identifier: BSD-2-Clause
"""Machines, `replace`, `intents` and `energy` refuse hostile values and files: exit code 2 and a sentence."""

import argparse
from importlib import import_module
from pathlib import Path

import pytest

from tests.host.cli.hostile import CONTENTS
from tests.host.in_process import litemrc

BANKS = ("--workload", "light", "--ticks", "2", "--memory", "64M", "--banks", "16", "--allocator", "buddy")
# A line of each command that succeeds, and its module.
COMMANDS = {
    "mm": (("simulate", "mm", "intr_gzip"), "litemrc_studies.zhou2004.command.mm"),
    "trays": (("simulate", "trays", "trays/fop"), "litemrc_studies.jantz2013.command.trays"),
    "energy of chips": (
        ("simulate", "energy", "gen:loop?pages=9&n=99"),
        "litemrc_studies.zhou2004.command.energy",
    ),
    "numa": (("simulate", "numa", "gen:fft?n=99"), "litemrc_studies.reference_counters.command.numa"),
    "placement": (("simulate", "placement", *BANKS), "litemrc_studies.panwar2015.command.placement"),
    "replace": (
        ("replace", "gen:loop?pages=9&n=99", "--memory", "4"),
        "litemrc_studies.glass1997.command.replace",
    ),
    "energy": (("energy", "none.parquet"), "litemrc.cli.ranks.energy"),
}
VALUES = ("", "x", "-1", "nan", "inf", "1" + "0" * 30, "1.5.2", "٣", "1,,2", "4Q", "\udcff")
# Tested as paths below.
PATHS = ("--plot", "--plot-map", "--plot-interfault", "--report")


def options() -> list:
    """Each option that takes a value, except files, with its command."""
    found = []
    for name, (line, module) in COMMANDS.items():
        parser = argparse.ArgumentParser()
        import_module(module).set_argparser(parser)
        for action in parser._actions:
            if action.option_strings and action.nargs != 0 and action.option_strings[-1] not in PATHS:
                option = action.option_strings[-1]
                found.append(pytest.param(line, option, id=f"{name} {option}"))
    return found


def assert_refused(done, *words: str) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "error:" in done.stderr and "Traceback" not in done.stderr
    assert any(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize(("line", "option"), options())
def test_hostile_values_of_an_option_are_refused_by_name(line, option):
    for value in VALUES:
        assert_refused(litemrc(*line, f"{option}={value}"), option, value or "''", "remedy:")


@pytest.mark.parametrize(
    "line",
    [
        *(
            ("--baud",),
            ("--timeout",),
            ("set", "--state", "awake", "--rank"),
            ("set", "--rank", "0", "--state"),
        ),
        *(("policy", "--epsilon"), ("policy", "--thresholds"), ("policy", "--working-set")),
        *(("policy", "--mrc-base"), ("policy", "--mrc-state"), ("policy", "--static-state")),
    ],
)
def test_hostile_values_for_the_ranks_are_refused_before_the_device_is_opened(line):
    *first, option = line
    for value in VALUES:
        done = litemrc("ranks", "--port", "socket://localhost:1", *first, f"{option}={value}")
        assert_refused(done, option)
        assert "localhost" not in done.stderr


@pytest.mark.parametrize("line", [line for line, _ in COMMANDS.values()], ids=COMMANDS)
@pytest.mark.parametrize("path", ["", "/", "/proc/none/x.png", "x.bmp", "/dev/full", "none/x.svg"])
def test_pictures_nowhere_are_refused(line, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(litemrc(*line, "--plot", path), "remedy:")
    assert list(tmp_path.iterdir()) == []


FILES = {
    "scenario": (("simulate", "mm"), "s.toml"),
    "trays": (("simulate", "trays"), "s.toml"),
    "chips": (("simulate", "energy"), "t.txt"),
    "chips parquet": (("simulate", "energy"), "t.parquet"),
    "numa": (("simulate", "numa"), "t.txt"),
    "numa parquet": (("simulate", "numa"), "t.parquet"),
    "allocations": (("simulate", "placement"), "t.txt"),
    "allocations gz": (("simulate", "placement"), "t.txt.gz"),
    "replace": (("replace", "--memory", "4"), "t.txt"),
    "replace gz": (("replace", "--memory", "4"), "t.txt.gz"),
    "replace parquet": (("replace", "--memory", "4"), "t.parquet"),
    "global": (("replace", "--global", "--memory", "4"), "t.oracleGeneral"),
    "intents": (("intents", "check"), "app.intents"),
    "ranks": (("energy",), "r.parquet"),
}
OTHERS = {
    "costs": (("simulate", "numa", "gen:fft?n=99", "--costs"), "c.toml"),
    "part": (("simulate", "energy", "gen:loop?pages=9&n=99", "--part"), "p.toml"),
    "part of banks": (("simulate", "placement", *BANKS, "--part"), "p.toml"),
}


@pytest.mark.parametrize(("line", "name"), [*FILES.values(), *OTHERS.values()], ids=[*FILES, *OTHERS])
def test_hostile_files_are_refused_with_their_place(line, name, tmp_path):
    path = tmp_path / name
    for kind, content in CONTENTS.items():
        path.write_bytes(content)
        if line[0] == "intents" and kind == "empty":
            continue  # a file without intents is a valid one
        assert_refused(litemrc(*line, path), name)
    path.unlink()
    assert_refused(litemrc(*line, path), name)
    path.mkdir()
    assert_refused(litemrc(*line, path), name)
    path.rmdir()
    path.symlink_to("/proc/self/mem")  # opens, but cannot be read from 0, whoever reads
    assert_refused(litemrc(*line, path), name)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("replace", "gen:loop?pages=9&n=99", "--memory", "1k"), "not a whole number of pages of 4096 bytes"),
        (("replace", "gen:loop?pages=9&n=99", "--memory", "1M-9:1"), "mixes pages and bytes"),
        (("replace", "PAGES", "--memory", "4", "--page-size", "8k"), "4096 bytes"),
        (("replace", "-", "-", "--memory", "4", "--global", "--format", "text"), "read only once"),
        (("simulate", "placement", *BANKS, "--memory", "1k"), "not a whole number of pages"),
        (("simulate", "placement", *BANKS, "--plot", "a.png", "--plot-map", "a.png"), "the same file"),
        (("simulate", "energy", "PAGES", "--page-size", "8k"), "4096 bytes"),
        (("simulate", "numa", "gen:fft?n=99", "--page-size", "64", "--costs", "COSTS"), "a page of 64 bytes"),
        (("simulate", "numa", "gen:fft?n=99", "--home", "64", "--processors", "64"), "home processor 64"),
    ],
)
def test_contradicting_units_are_refused(line, words, tmp_path, monkeypatch):
    from litemrc_studies.reference_counters.machine.costs import PAPER

    monkeypatch.chdir(tmp_path)
    costs = tmp_path / "costs.toml"
    costs.write_text(PAPER.read_text().replace("word_bytes = 4", "word_bytes = 48"))
    pages = Path(__file__).parents[4] / "tests/data" / "traces" / "sort.parquet"
    stands = {"PAGES": pages, "COSTS": costs}
    assert_refused(litemrc(*(stands.get(word, word) for word in line)), words)
