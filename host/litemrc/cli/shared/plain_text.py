"""Tables as text, without letting rich near stdout: it would take a closed pipe as its own affair."""

import io
import sys

from rich.console import Console
from rich.table import Table

_WIDTH = 200  # wider than most terminals: numbers cut short are worse than long lines


def plain_text(table: Table) -> str:
    """The lines of a table; bold headings if stdout is a terminal."""
    text = io.StringIO()
    Console(file=text, width=_WIDTH, markup=False, force_terminal=sys.stdout.isatty()).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())
