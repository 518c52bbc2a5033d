# SPDX-License-Identifier: BSD-2-Clause
"""The README for PyPI, where relative links lead nowhere: the provider of `readme` in pyproject.toml.

The repository's address is `repository-code` of CITATION.cff. Links and pictures lead there, to the version's
tag. Without an address, a link becomes its text, and pictures are left out.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TARGET = r"\]\((?![a-z]+:|#)([^)\s]+)\)"  # relative
_PICTURE = re.compile(r"!\[([^\]]*)" + _TARGET)
_LINK = re.compile(r"(?<!!)\[((?:!\[[^\]]*\]\([^)]*\)|[^\]])*)" + _TARGET)  # of words, or of a picture


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

    def place(kind: str, found: re.Match[str]) -> str:
        return f"[{found[1]}]({address}/{kind}/v{version}/{found[2]})"

    text = _PICTURE.sub(lambda found: "!" + place("raw", found) if address else "", text)
    return _LINK.sub(lambda found: place("blob", found) if address else found[1], text)
