# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc completion` prints a script that completes commands, options, choices and files."""

import subprocess

import pytest
import shtab
from litemrc import extras
from litemrc.cli.completion import SHELLS
from litemrc.cli.main import COMMANDS, STUDIES, main

COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_litemrc
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.fixture
def completed(tmp_path, capsys):
    """completed(*words) -> what bash offers for the last word."""
    file = tmp_path / "litemrc.bash"
    file.write_text(script("bash", capsys))

    def complete(*words):
        command = ["bash", "--norc", "-c", COMPLETE, "bash", file, *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return complete


def test_bash_completes_commands(completed):
    assert completed("litemrc", "mr") == ["mrc"]
    names = {*STUDIES, *(name for commands in COMMANDS.values() for name in commands)}
    assert set(completed("litemrc", "")) == names
    assert completed("litemrc", "simulate", "tr") == ["trays"]


def test_bash_completes_options_of_a_command(completed):
    assert completed("litemrc", "mrc", "--eng") == ["--engine"]
    assert completed("litemrc", "trace", "info", "--js") == ["--json"]
    assert completed("litemrc", "refcounters", "watch", "--ev") == ["--events"]


def test_bash_completes_choices_and_files(completed, tmp_path):
    (tmp_path / "sort.parquet").touch()
    (tmp_path / "sorted").mkdir()
    assert completed("litemrc", "mrc", "--engine", "sh") == ["shards"]
    assert completed("litemrc", "mrc", "so") == ["sort.parquet", "sorted"]
    assert completed("litemrc", "soc", "--out", "so") == ["sorted"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script_that_knows_the_commands(shell, capsys):
    assert shell in shtab.SUPPORTED_SHELLS
    text = script(shell, capsys)
    assert "linux-trays" in text and "sample-rate" in text


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setattr(extras, "find_spec", lambda module: None)
    assert main(["completion", "bash"]) == 2
    assert "pip install '.[completion]'" in capsys.readouterr().err


def test_commands_without_their_extra_are_completed_by_name(monkeypatch, capsys):
    find_spec = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda module: find_spec(module) if module == "shtab" else None)
    assert "collect" in script("bash", capsys)
