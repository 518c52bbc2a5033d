# SPDX-License-Identifier: BSD-2-Clause
"""The man pages come from the parsers: every command has one, and man formats it without a warning."""

import os
import subprocess
from pathlib import Path

import pytest
from litemrc.cli.main import command_parser
from litemrc.cli.shared.commands import parsers_of

from scripts.docs.man_pages import man_page, page_name

PAGES = {page_name(parser): man_page(parser) for parser in parsers_of(command_parser())}


def shown(name: str, folder: Path) -> tuple[str, str]:
    """A page as text, and the warnings of man."""
    file = folder / f"{name}.1"
    file.write_text(PAGES[name], "utf-8")
    environment = {**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(
        ["man", "--warnings", "--local-file", file], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0
    return done.stdout, done.stderr


def test_every_command_has_a_page():
    assert {"litemrc", "litemrc-mrc", "litemrc-simulate-mm", "litemrc-refcounters-watch"} <= set(PAGES)


@pytest.mark.parametrize("name", ["litemrc", "litemrc-mrc", "litemrc-govern", "litemrc-trace", "litemrc-soc"])
def test_man_formats_a_page_without_warnings(name, tmp_path):
    text, warnings = shown(name, tmp_path)
    assert warnings == ""
    assert text.split() and text.split()[0].startswith(name.upper())


def test_a_page_has_options_notes_and_exit_status(tmp_path):
    text, _ = shown("litemrc-mrc", tmp_path)
    for heading in ("SYNOPSIS", "OPTIONS", "NOTES", "EXIT STATUS"):
        assert f"\n{heading}\n" in text
    assert "--sample-rate R" in text


def test_a_page_lists_the_commands_below_its_own(tmp_path):
    text, _ = shown("litemrc-simulate", tmp_path)
    assert "litemrc-simulate-trays(1)" in text
    assert "--plot" not in text, "an option of a machine is in the machine's page"
