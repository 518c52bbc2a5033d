# SPDX-License-Identifier: BSD-2-Clause
"""Links of the Markdown pages resolve: files exist, anchors are headings."""

import subprocess
from pathlib import Path

import pytest

from scripts.docs.markdown_links import anchors, page_of, relative_links

REPO = Path(__file__).resolve().parents[2]


def tracked_pages() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=REPO, check=True, capture_output=True, text=True).stdout.splitlines()
    return [path for path in listed if (REPO / path).is_file()]


@pytest.mark.parametrize("name", tracked_pages())
def test_every_link_of_a_page_resolves(name):
    page = REPO / name
    broken = []
    for line, path, anchor in relative_links(page.read_text("utf-8")):
        target = page_of(page.parent / path) if path else page
        if not target.exists():
            broken.append(f"{name}:{line}: {path} does not exist")
        elif target.is_dir():
            broken.append(f"{name}:{line}: folder {path} has no README.md")
        elif anchor and anchor not in anchors(target.read_text("utf-8")):
            broken.append(f"{name}:{line}: {path} has no heading #{anchor}")
    assert not broken, "\n".join(broken)


def test_links_in_code_are_not_links():
    page = "[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n[g](#h) [i](https://j)\n"
    assert list(relative_links(page)) == [(1, "b.md", ""), (5, "", "h")]


def test_anchors_follow_githubs_rules():
    page = "# The `first` one\n```\n# no heading\n```\n## Size, and [clock](x.md)\n## Size, and clock\n"
    assert anchors(page) == {"the-first-one", "size-and-clock", "size-and-clock-1"}
