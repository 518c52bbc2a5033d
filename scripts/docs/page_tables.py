# SPDX-License-Identifier: BSD-2-Clause
"""Tables and values that programs write into a documentation page whose other text is written by hand."""

import argparse
import fcntl
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
STUDIES = REPO / "host/litemrc_studies"


def page_parser(description: str | None, paper: str) -> argparse.ArgumentParser:
    """Return the parser of a script that writes a paper's page.md and pictures: `--docs` is their folder."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("--docs", type=Path, default=STUDIES / paper, help="folder (%(default)s)")
    return parser


def fill_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Replace the text between `<!-- table NAME -->` and `<!-- end -->` for every table, or change nothing.

    Parameters
    ----------
    tables
        Markdown by name.

    Raises
    ------
    ValueError
        if the page has no place for a table.
    """
    _fill(page, "table", "end", {name: f"\n{table.rstrip()}\n" for name, table in tables.items()})


def fill_values(page: Path, values: Mapping[str, str]) -> None:
    """Replace the text between `<!-- value NAME -->` and `<!-- / -->`, wherever it stands, or change nothing.

    Parameters
    ----------
    values
        text without line breaks, by name. A value may have several places.

    Raises
    ------
    ValueError
        if the page has no place for a value.
    """
    _fill(page, "value", "/", values)


def values_of(page: Path) -> dict[str, str]:
    """Return the values that scripts wrote into a page, by name."""
    return dict(re.findall(r"<!-- value (\S+) -->(.*?)<!-- / -->", page.read_text("utf-8"), re.DOTALL))


def _fill(page: Path, kind: str, end: str, contents: Mapping[str, str]) -> None:
    folder = os.open(page.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # scripts that fill the same page run side by side
        text = page.read_text("utf-8")
        for name, content in contents.items():
            place = re.compile(
                rf"(<!-- {kind} {re.escape(name)} -->).*?(<!-- {re.escape(end)} -->)", re.DOTALL
            )
            text, places = place.subn(lambda found, content=content: found[1] + content + found[2], text)
            if not places:
                raise ValueError(f"{page} has no place for the {kind} {name!r}")
        page.write_text(text, "utf-8")
    finally:
        os.close(folder)


def percent(ratio: float) -> str:
    """Return a ratio as a signed difference from 1, in percent."""
    text = f"{100 * (ratio - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
    return "0.0 %" if text[1:] == "0.0 %" else text


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; with more than two columns all but the first are numbers."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)] if len(heads) > 2 else ["---"] * 2, *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
