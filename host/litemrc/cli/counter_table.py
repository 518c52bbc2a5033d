"""The counters of an epoch table, one line per context, for terminals and logs."""

import io
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from litemrc.curve import EPSILON, telling_sizes
from litemrc.epoch_table import EpochTable
from litemrc.sizes import size_text


def counter_table(table: EpochTable, contexts: Sequence[int] | None = None) -> str:
    """One line per context (default: all with data): its counters, some miss ratios, the sizes of note."""
    curves = [table.curve(context) for context in (contexts or table.contexts_with_data)]
    sizes = telling_sizes(curves)
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    rows.add_column("context", vertical="bottom")
    ratios = (f"MR in\n{size_text(pages, table.page_bytes)}" for pages in sizes)
    for heading in ("accesses", "misses", "dropped", *ratios, "enough", "working\nset"):
        rows.add_column(heading, justify="right", vertical="bottom")
    for curve in curves:
        rows.add_row(
            f"{curve.context} {table.context_names.get(curve.context, '')}",
            *(f"{count:,}" for count in (curve.accesses, curve.misses, curve.dropped)),
            *(f"{curve.miss_ratio_at(pages):.4f}" for pages in sizes),
            size_text(curve.smallest_size(), table.page_bytes),
            size_text(curve.working_set_pages, table.page_bytes),
        )
    # Wider than most terminals: numbers cut short are worse than long lines. Rich is not let near stdout, for
    # it would take a closed pipe as its own affair.
    text = io.StringIO()
    Console(file=text, width=200, markup=False, force_terminal=sys.stdout.isatty()).print(rows)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    return "\n".join(
        [*lines, f"MR: miss ratio; enough: the smallest memory within {EPSILON:g} of the best MR"]
    )
