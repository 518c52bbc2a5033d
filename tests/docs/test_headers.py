# SPDX-License-Identifier: BSD-2-Clause
"""Source files name their licence, and docstrings have the sections of numpydoc."""

import re
import subprocess
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
SOURCES = (
    "*.py",
    "*.c",
    "*.h",
    "*.cpp",
    "*.hpp",
    "*.S",
    "*.cs",
    "*.sv",
    "*.js",
    "*.css",
    "*.sh",
    "*.mk",
    "*.cmake",
    "*Makefile",
)
SECTION = re.compile(
    r"^ +(?:(?:Parameters|Raises|Returns|Attributes|Yields|Warns):$|:(?:param|raises|return)\b)", re.MULTILINE
)


def sources(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=REPO, check=True, capture_output=True, text=True).stdout.splitlines()
    return [REPO / name for name in listed if (REPO / name).is_file() and (REPO / name).stat().st_size]


def test_every_source_file_names_its_licence():
    found = sources(*SOURCES)
    assert len(found) > 1000
    heads = {path: "\n".join(path.read_text("utf-8").split("\n", 4)[:4]) for path in found}
    lacking = [path for path, head in heads.items() if "SPDX-License-Identifier: " not in head]
    assert not lacking, "the first line should be: SPDX-License-Identifier: BSD-2-Clause"


def test_docstrings_have_one_style():
    found = [path for path in sources("*.py") if SECTION.search(path.read_text("utf-8"))]
    assert not found, "sections of docstrings are numpydoc's: a title, and a line of dashes below it"
