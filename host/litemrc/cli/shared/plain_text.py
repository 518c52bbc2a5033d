# SPDX-License-Identifier: BSD-2-Clause
"""Tables and hot pages as text, for terminals and logs.

rich never writes to stdout itself: it would handle a closed pipe instead of `main`.
"""

import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litemrc.texts import printable_lines

_WIDTH = 200  # wider than most terminals: truncated numbers are worse than long lines
_SHOWN = 8  # pages of an epoch in a line
HEADER = f"{'epoch':>5} {'accesses':>12} {'hot pages':>10} {'share':>7}   page:count, largest first"


def text_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Return the lines of a table; headings are bold if stdout is a terminal.

    Parameters
    ----------
    headings
        one for each column; a heading may have two lines.
    left
        number of columns, counted from the left, that are left-aligned; the others are right-aligned.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for column, heading in enumerate(headings):
        table.add_column(
            printable_lines(heading), justify="left" if column < left else "right", vertical="bottom"
        )
    for row in rows:
        table.add_row(*map(printable_lines, row))
    return plain_text(table)


def text_facts(facts: Mapping[str, str]) -> str:
    """Return one line for each fact: its name, then its value; the values are aligned."""
    width = max(map(len, facts))
    lines = (f"{name:<{width}}  {value}".rstrip() for name, value in facts.items())
    return "\n".join(map(printable_lines, lines))


def plain_text(table: Any) -> str:
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=_WIDTH, markup=False, force_terminal=sys.stdout.isatty()).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def hot_line(
    head: str, accesses: int, pages: Sequence[int], counts: Sequence[int], *, more: bool, saturated: bool
) -> str:
    """Return the line.

    Parameters
    ----------
    head
        the first two columns of `HEADER`.
    """
    count = f"{len(pages):,}{'+' if more else ''}"
    share = sum(counts) / accesses if accesses else 0.0
    pairs = zip(pages[:_SHOWN], counts[:_SHOWN], strict=True)
    listed = " ".join(f"{page}:{count}" for page, count in pairs) or "none is hot"
    dots = " ..." if len(pages) > _SHOWN else ""
    return f"{head} {count:>10} {share:>7.1%}   {listed}{dots}{' (saturated)' if saturated else ''}"
