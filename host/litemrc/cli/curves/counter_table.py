"""The counters of an epoch table, one line per owner, for terminals and logs."""

from collections.abc import Sequence
from statistics import fmean

from rich import box
from rich.table import Table

from litemrc.checks.account import all_accesses_text
from litemrc.cli.shared.plain_text import plain_text
from litemrc.curves.curve import EPSILON, telling_sizes
from litemrc.curves.sizes import size_text
from litemrc.epochs.processes import Owner
from litemrc.epochs.table import EpochTable


def counter_table(table: EpochTable, owners: Sequence[Owner] | None = None) -> str:
    """One line per owner (default: all with data): its counters, some miss ratios, the sizes of note."""
    owners = owners or table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    sizes = telling_sizes(curves)
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    rows.add_column("context", vertical="bottom")
    counts = [f"{'sampled' if table.scale else ''}\n{name}" for name in ("accesses", "misses")]
    ratios = (f"MR in\n{size_text(pages, table.page_bytes)}" for pages in sizes)
    sets = "working\nset, mean", "working\nset, most"
    for heading in (*counts, "dropped", *ratios, "enough", "all\nreuse", *sets):
        rows.add_column(heading, justify="right", vertical="bottom")
    for owner, curve in zip(owners, curves, strict=True):
        working_set = table.working_set(owner).values()
        rows.add_row(
            owner_text(table, owner),
            *(f"{count:,}" for count in (curve.accesses, curve.misses, curve.dropped)),
            *(f"{curve.miss_ratio_at(pages):.4f}" for pages in sizes),
            *(size_text(pages, table.page_bytes) for pages in (curve.smallest_size(), curve.reuse_pages)),
            *(size_text(pages, table.page_bytes, 3) for pages in (fmean(working_set), max(working_set))),
        )
    return "\n".join([plain_text(rows), *_footnotes(table)])


def owner_text(table: EpochTable, owner: Owner) -> str:
    """The context's number, and the name of the owner if it has one."""
    named = owner.process or owner.context in table.context_names
    return f"{owner.context} {table.name_of(owner) if named else ''}"


def _footnotes(table: EpochTable) -> list[str]:
    notes = [
        f"MR: miss ratio; enough: the smallest memory within {EPSILON:g} of the best MR",
        "all reuse: the smallest with the best MR; working set: the memory accessed in an epoch",
    ]
    if table.scale:
        notes.append(
            f"sampled: 1 page of {1 << table.scale} takes part; ratios and sizes are estimates from those"
        )
    return [*notes, *filter(None, [all_accesses_text(table)])]
