"""Estimated curves against exact ones, two lines per context, for terminals and logs."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from litemrc.cli.shared.plain_text import plain_text
from litemrc.curves.comparison import ContextAccuracy
from litemrc.curves.curve import telling_sizes
from litemrc.curves.sizes import size_text
from litemrc.epochs.table import EpochTable


def accuracy_table(table: EpochTable, contexts: Sequence[ContextAccuracy]) -> str:
    """For each context its estimated miss ratios, the exact ones below, and how far they are apart."""
    sizes = telling_sizes([each.exact for each in contexts])
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    rows.add_column("context", vertical="bottom")
    rows.add_column("curve", vertical="bottom")
    ratios = (f"MR in\n{size_text(pages, table.page_bytes)}" for pages in sizes)
    for heading in (
        *ratios,
        "mean\nerror",
        "mean error\nin use",
        "largest\nerror",
        "accesses 1\ngroup off",
        "further\noff",
    ):
        rows.add_column(heading, justify="right", vertical="bottom")
    for each in contexts:
        name = f"{each.context} {table.context_names.get(each.context, '')}"
        estimated = table.curve(each.context)
        rows.add_row(name, table.engine, *(f"{estimated.miss_ratio_at(pages):.4f}" for pages in sizes))
        rows.add_row(
            "",
            "exact",
            *(f"{each.exact.miss_ratio_at(pages):.4f}" for pages in sizes),
            f"{each.mean_error:.6f}",
            f"{each.mean_error_in_use:.6f}",
            f"{each.largest_error:.6f}",
            f"{each.one_group_off:,}",
            f"{each.further_off:,}",
        )
    groups = table.curve().hits.size
    note = f"error: difference of the MR, over all {groups} sizes; in use: over those up to all reuse"
    return f"{plain_text(rows)}\n{note}"
