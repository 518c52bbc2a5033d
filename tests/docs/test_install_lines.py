# SPDX-License-Identifier: BSD-2-Clause
"""Pages and messages install from a clone: the package is on no index."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from litemrc import extras
from litemrc.errors import UserError

REPO = Path(__file__).resolve().parents[2]
_FROM_INDEX = re.compile(r"pip3? install\s+(?:-{1,2}[\w-]+\s+)*[\"']?litemrc\b(?!\S*\s*@)")
_TEXTS = ("*.md", "*.ipynb", "*.py", "*.toml", "*.yml", "*.html", "*.js")


def texts() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *_TEXTS]
    listed = subprocess.run(command, cwd=REPO, check=True, capture_output=True, text=True).stdout.splitlines()
    return [path for name in listed if (path := REPO / name).is_file() and not name.startswith("tests/")]


def test_no_page_or_message_installs_litemrc_from_an_index():
    found = [
        f"{path.relative_to(REPO)}: {match[0]}"
        for path in texts()
        for match in _FROM_INDEX.finditer(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("line", ["pip install litemrc", "pip install -U 'litemrc[serve]'"])
def test_an_install_from_an_index_would_be_found(line):
    assert _FROM_INDEX.search(line)
    assert not _FROM_INDEX.search(line.replace("litemrc", "./litemrc"))


def test_extras_named_on_pages_exist():
    for folder, known in ((".", "serve"), ("./host", "sweep")):
        project = tomllib.loads((REPO / folder / "pyproject.toml").read_text())["project"]
        line = re.compile(rf"pip install (?:\. )?['\"]{re.escape(folder)}\[([\w,]+)\]")
        named = {
            extra
            for path in texts()
            for match in line.finditer(path.read_text("utf-8"))
            for extra in match[1].split(",")
        }
        assert known in named and named <= set(project["optional-dependencies"])


def test_the_remedy_of_a_missing_extra_works_in_a_clone(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda module: None)
    with pytest.raises(UserError) as error:
        extras.require("serve")
    assert error.value.remedy == "run, in a clone of LiteMRC: pip install '.[serve]'"
