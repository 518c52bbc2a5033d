# SPDX-License-Identifier: BSD-2-Clause
"""An epoch table as text: counters, and estimated beside exact curves, a line or two for each owner."""

from collections.abc import Sequence
from statistics import fmean

from litemrc.checks.comparison import ContextAccuracy
from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.curve import Curve
from litemrc.curves.drawing import shown_sizes
from litemrc.curves.sizes import EPSILON, size_text
from litemrc.epochs.accesses_text import all_accesses_text
from litemrc.epochs.processes import Owner
from litemrc.epochs.table import EpochTable


def counter_table(table: EpochTable, owners: Sequence[Owner] | None = None) -> str:
    """Return the counters, miss ratios at some sizes and working sets of owners (default: all with data)."""
    owners = owners or table.owners_with_data
    owners = [
        each for owner in owners for each in (owner, *(() if owner.accesses else table.parts_of(owner)))
    ]
    curves = [table.curve(owner) for owner in owners]
    sizes = shown_sizes(curves)
    evicting = any(curve.tail and curve.tail.evicts for curve in curves)
    headings = [
        "context",
        *(f"{'sampled' if table.scale else ''}\n{name}" for name in ("accesses", "misses")),
        "dropped",
        *(f"MR at\n{size_text(pages, table.page_bytes)}" for pages in sizes),
        f"size\nwithin {EPSILON:g}",
        "largest\nreuse",
        "mean\nWSS",
        "largest\nWSS",
        *(["mean\nresident", "\nrefaults"] if evicting else []),
    ]
    rows = []
    for owner, curve in zip(owners, curves, strict=True):
        working_set = table.working_set(owner).values()
        rows.append(
            [
                owner_text(table, owner),
                *(f"{count:,}" for count in (curve.accesses, curve.misses, curve.dropped)),
                *(f"{curve.at(pages=pages):.4f}" for pages in sizes),
                *(
                    size_text(pages, table.page_bytes)
                    for pages in (curve.size_within(), curve.max_reuse_distance)
                ),
                *(size_text(pages, table.page_bytes, 3) for pages in (fmean(working_set), max(working_set))),
                *(_tail_cells(curve) if evicting else []),
            ]
        )
    return "\n".join([text_table(headings, rows), *_footnotes(table, sizes), *_tail_notes(curves)])


def owner_text(table: EpochTable, owner: Owner) -> str:
    """Return the number of a context, and the name of its owner if it has one."""
    named = owner.process or owner.context in table.context_names
    return f"{owner.context} {table.name_of(owner) if named else owner.accesses}"


def _tail_cells(curve: Curve) -> list[str]:
    if not curve.tail:
        return ["-", "-"]
    return [size_text(curve.tail.resident_pages, curve.page_bytes, 3), f"{curve.tail.refaults:,}"]


def _tail_notes(curves: Sequence[Curve]) -> list[str]:
    """Explain the columns of evicted pages, and what is not known of them; nothing without evictions."""
    tails = [(each.name, each.page_bytes, each.tail) for each in curves if each.tail and each.tail.evicts]
    if not tails:
        return []
    ranges = []
    for name, page_bytes, tail in tails:
        ends = dict.fromkeys(size_text(n, page_bytes, 3) for n in (tail.resident_least, tail.resident_most))
        ranges.append(f"{name}: {' to '.join(ends)}")
    notes = [
        "refaults: accesses to evicted pages; with more memory they hit, so they are not in the misses",
        f"resident at the ends of epochs: {', '.join(ranges)}",
    ]
    if unidentified := sum(tail.unidentified for _, _, tail in tails):
        notes.append(f"{unidentified:,} evictions or refaults not identified: such refaults remain misses")
    if beyond := sum(tail.open_refaults for _, _, tail in tails):
        notes.append(f"{beyond:,} refaults at the largest size may need more memory: deeper ones count there")
    return notes


def _footnotes(table: EpochTable, sizes: Sequence[int]) -> list[str]:
    notes = [
        f"MR: miss ratio; size within {EPSILON:g}: smallest size within {EPSILON:g} of the minimum MR",
        "largest reuse: largest reuse distance, the smallest size with the minimum MR",
        "WSS: working-set size, the memory accessed in an epoch",
    ]
    if table.scale:
        notes.append(
            f"sampled: 1 page of {1 << table.scale} is monitored; ratios and sizes are estimated from it"
        )
        errors = [
            f"{size_error(pages, table.scale):.0%} at {size_text(pages, table.page_bytes)}" for pages in sizes
        ]
        notes.append(
            f"error of sizes by sampling (95 %, binomial): {', '.join(errors)}; that of ratios is unknown,"
            " as pages are not counted one by one"
        )
    return [*notes, *filter(None, [all_accesses_text(table)])]


def size_error(pages: int, scale_log2: int) -> float:
    """Return the relative error of a memory size that is estimated from 1 page of 2^scale_log2, at 95 %.

    Of `pages` pages, a binomially distributed number is monitored. The error of a miss ratio depends on the
    accesses to single pages as well, which the monitor does not count: a page with half of all accesses is
    sampled or not.
    """
    share = 2.0**-scale_log2
    return float(1.96 * ((1 - share) / (share * pages)) ** 0.5)


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
