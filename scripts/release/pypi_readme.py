# SPDX-License-Identifier: BSD-2-Clause
"""The README for PyPI, where relative links lead nowhere: the provider of `readme` in pyproject.toml.

The repository's address is `repository-code` of CITATION.cff. Links and pictures lead there, to the version's
tag. Without an address, a link becomes its text, and pictures are left out.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the field `readme`; the build backend calls this in the project's folder."""
    text = Path("README.md").read_text(encoding="utf-8")
    found = re.search(
        r"(?m)^repository-code: *[\"']?(\S+?)/?[\"']?$", Path("CITATION.cff").read_text(encoding="utf-8")
    )
    text = absolute_links(text, found and found[1], project["version"])
    return {"readme": {"content-type": "text/markdown", "text": text}}


def absolute_links(text: str, address: str | None, version: str) -> str:
    """Return Markdown with relative links to the repository's files at the version's tag.

    Parameters
    ----------
    address
        the repository's, such as https://host/owner/name; without one links become their texts.
    """

    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if address is None:
            return "" if picture else words
        return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/v{version}/{path})"

    return _RELATIVE.sub(link, text)
