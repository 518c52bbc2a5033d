"""Tables of a documentation page that a program writes; the text around them is written by hand."""

import re
from collections.abc import Mapping
from pathlib import Path


def fill_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Replace what stands between `<!-- table NAME -->` and `<!-- end -->`, for every table; or nothing.

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
