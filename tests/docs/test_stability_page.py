# SPDX-License-Identifier: BSD-2-Clause
"""The page of stable interfaces has the versions and exit codes of the sources."""

import re
import shutil
from importlib import import_module

import pytest
from litemrc.cli.main import command_parser
from litemrc.cli.shared.commands import parsers_of

from scripts.docs.stability_page import PAGE, REPO, write

TEXT = PAGE.read_text("utf-8")


def test_the_versions_are_those_of_the_sources(tmp_path):
    page = tmp_path / PAGE.name
    shutil.copy(PAGE, page)
    write(page)
    assert page.read_text("utf-8") == TEXT, "run: python -m scripts.docs.stability_page"


def test_a_raised_version_makes_the_page_stale(tmp_path, monkeypatch):
    page = tmp_path / PAGE.name
    shutil.copy(PAGE, page)
    monkeypatch.setattr("scripts.docs.stability_page.BUNDLE", 99)
    write(page)
    assert page.read_text("utf-8") != TEXT


@pytest.mark.parametrize("package", ["litemrc", "litemrc.traces", "litemrc_studies"])
def test_packages_whose_names_are_stable_list_them(package):
    assert f"`{package}`" in TEXT
    assert import_module(package).__all__


def test_the_gateware_functions_that_are_named_are_on_the_reference_page():
    reference = (REPO / "docs/reference/gateware.md").read_text("utf-8")
    functions = re.findall(r"`(add_\w+)`", TEXT)
    assert len(functions) >= 3
    assert all(f"### `litemrc_gateware.{name}`" in reference for name in functions)


def test_options_that_are_named_exist():
    options = set(re.findall(r"`(--[a-z-]+)", TEXT)) | {"--history"}
    known = {option for parser in parsers_of(command_parser()) for option in parser._option_string_actions}
    assert options <= known
