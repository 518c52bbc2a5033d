# SPDX-License-Identifier: BSD-2-Clause
"""Links and anchors of Markdown pages, by GitHub's rules."""

import re
from collections.abc import Iterator
from pathlib import Path

_FENCE = re.compile(r"^(```|~~~).*?^\1`*\s*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def relative_links(page: str) -> Iterator[tuple[int, str, str]]:
    """Yield each link within the repository: line, path (empty: the page itself), anchor."""
    for link in _LINK.finditer(_blanked(_CODE, _blanked(_FENCE, page))):
        if not re.match(r"[a-z]+:", link[1]):
            path, _, anchor = link[1].partition("#")
            yield page.count("\n", 0, link.start()) + 1, path, anchor


def anchors(page: str) -> set[str]:
    """Return the anchors of the page's headings."""
    found: set[str] = set()
    for heading in _HEADING.findall(_blanked(_FENCE, page)):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        repeated = (f"{slug}-{number}" for number in range(1, 100))
        found.add(slug if slug not in found else next(each for each in repeated if each not in found))
    return found


def page_of(target: Path) -> Path:
    """Return the page that a link to `target` opens: a folder's README, or `target` itself."""
    readme = target / "README.md"
    return readme if readme.is_file() else target


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with every match replaced by spaces; line breaks stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
