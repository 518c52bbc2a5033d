"""Tables that a program writes into a documentation page whose other text is written by hand."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path


def fill_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Replace the text between `<!-- table NAME -->` and `<!-- end -->` for every table, or change nothing.

    :param tables: Markdown by name.
    :raises ValueError: if the page has no place for a table.
    """
    text = page.read_text("utf-8")
    for name, table in tables.items():
        place = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(text):
            raise ValueError(f"{page} has no place for the table {name!r}")
        text = place.sub(lambda found, table=table: f"{found[1]}{table.rstrip()}\n{found[2]}", text)
    page.write_text(text, "utf-8")


def percent(ratio: float) -> str:
    """Return a ratio as a signed difference from 1, in percent."""
    text = f"{100 * (ratio - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
    return "0.0 %" if text[1:] == "0.0 %" else text


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; with more than two columns all but the first are numbers."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)] if len(heads) > 2 else ["---"] * 2, *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
