"""Estimated and exact curves, two lines for each context, for terminals and logs."""

from collections.abc import Sequence

from litemrc.checks.comparison import ContextAccuracy
from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.drawing import shown_sizes
from litemrc.curves.sizes import size_text
from litemrc.epochs.table import EpochTable


def accuracy_table(table: EpochTable, contexts: Sequence[ContextAccuracy]) -> str:
    """Return the estimated miss ratios of each context, the exact ones below them, and their differences."""
    sizes = shown_sizes([each.exact for each in contexts])
    headings = [
        "context",
        "curve",
        *(f"MR at\n{size_text(pages, table.page_bytes)}" for pages in sizes),
        "mean\nerror",
        "mean error\nto reuse",
        "largest\nerror",
        "1 group\noff",
        "> 1 group\noff",
    ]
    rows = []
    for each in contexts:
        name = f"{each.context} {table.context_names.get(each.context, '')}"
        estimated = table.curve(each.context)
        blank = [""] * 5
        rows.append([name, table.engine, *(f"{estimated.at(pages=pages):.4f}" for pages in sizes), *blank])
        rows.append(
            [
                "",
                "exact",
                *(f"{each.exact.at(pages=pages):.4f}" for pages in sizes),
                f"{each.mean_error:.6f}",
                f"{each.mean_error_in_use:.6f}",
                f"{each.largest_error:.6f}",
                f"{each.one_group_off:,}",
                f"{each.further_off:,}",
            ]
        )
    note = (
        f"error: difference of the miss ratios over all {table.curve().sizes_pages.size} sizes;"
        " to reuse: over the sizes up to the largest reuse distance\n"
        "off: accesses whose estimated stack distance lies in another group than the exact one"
    )
    return f"{text_table(headings, rows, left=2)}\n{note}"
