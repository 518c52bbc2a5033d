# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc curve FILE`: the miss-ratio curves of an epoch table as a table, JSON or a picture."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from litemrc.cli.shared.arguments import add_epoch_range_arguments, add_output_formats, add_plot_argument
from litemrc.cli.shared.messages import warning
from litemrc.cli.shared.results import check_pictures
from litemrc.epochs.split import ACCESSES
from litemrc.errors import UserError, closest
from litemrc.extras import require

if TYPE_CHECKING:
    from litemrc.epochs.processes import Owner
    from litemrc.epochs.table import EpochTable

_MOST_WARNINGS = 3
_EPILOG = """\
A device with an operating system reports the process that each context tracks. Each process has its own
curve, even if one context tracked several processes in turn. Context 0 counts the kernel and all processes
that no context tracks.

By default all owners of pages that have data are shown. If there are several, --json prints "context": null
and the sums of their counters: the total misses if each owner had a memory of that size to itself.

Where reads and writes were counted apart (litemrc device --split), both are shown below their owner, whose
line is their sum; --only shows the curve of one of them. Both move pages in one LRU stack: a curve of the
writes counts those that hit in a memory that reads fill, too.

Under an operating system that tracks evicted pages, a curve reaches beyond the memory. An access to an
evicted page (refault) is a miss to the hardware, but it hits in a memory that still holds the page. A line
separates the sizes up to the resident pages from those beyond. --no-tail shows the hardware's counters alone.

--json prints one object: context, processes (context, pid, comm, first_epoch and last_epoch of each),
accesses, misses, dropped, outside, unsampled, scale_log2, page_bytes, resolution_pages, sizes_pages,
miss_ratio, epochs, working_set_pages, tail. tail is null if no evicted page was tracked. Else it has
refaults; unidentified: evictions and refaults whose page or order is unknown (such refaults remain misses);
resident_pages and evicted_pages, means over the epochs; resident_least and resident_most; open_refaults:
part of refaults, which may need more memory than the largest size. --csv prints a row for each owner and
memory size.

miss_ratio[i] is the miss ratio of a memory of sizes_pages[i] pages. Between two sizes the ratio of the
smaller one holds; below the first size the ratio is 1. working_set_pages[i] is the working-set size in epoch
epochs[i]. dropped, outside and unsampled count the accesses that were dropped, out of range, and to pages not
sampled, in all epochs in which the context reported; the context of these accesses is unknown.

With scale_log2 above 0 only 1 page of 2^scale_log2 is sampled: accesses and misses count the sampled pages
only, sizes are scaled to the whole memory, and ratios and working sets are estimates.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc curve`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="epoch table of collect or demo (Parquet), or folder of serve --history",
    )
    owner = parser.add_mutually_exclusive_group()
    owner.add_argument("--context", metavar="C", help="number or name of one context")
    owner.add_argument("--process", metavar="P", help="pid or name of the processes")
    parser.add_argument("--only", choices=ACCESSES, help="count these accesses alone, if they were split")
    parser.add_argument("--no-tail", action="store_true", help="leave out refaults of evicted pages")
    add_epoch_range_arguments(parser)
    add_output_formats(parser)
    add_plot_argument(parser, "the curves")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc curve`."""
    # Imported here: these take long to load.
    from litemrc.checks.tail import check_tails
    from litemrc.cli.curves.counter_table import counter_table
    from litemrc.cli.curves.mrc_table import csv_pieces, write
    from litemrc.cli.shared.text_plot import spark_lines, text_plot
    from litemrc.epochs.files import read_epochs

    check_pictures(args.plot)
    whole = _history(args.file) if args.file.is_dir() else read_epochs(args.file)
    if args.no_tail:
        whole = whole.without_tail()
    for text in check_tails(whole).damage[:_MOST_WARNINGS]:
        warning(f"the tail is damaged: {text}")
    table = _select_epochs(whole, args)
    _check_scale(table, args.file)
    owners = _select_owners(table, args, args.file)
    curve = table.curve(owners[0] if len(owners) == 1 else owners)
    if curve.overflow:
        warning("a 32-bit counter saturated: the curve is approximate")
    if table.interrupted:
        warning("the collection was interrupted before its end")
    curves = [table.curve(owner) for owner in owners]
    if args.json:
        write([json.dumps(json_object(table, owners), allow_nan=False), "\n"])
    elif args.csv:
        write(csv_pieces(curves))
    else:
        names = [table.name_of(owner) for owner in owners]
        picture = (
            text_plot(curve, table.page_bytes)
            if len(owners) == 1
            else spark_lines(curves, names, table.page_bytes)
        )
        write([f"{counter_table(table, owners)}\n\n{picture}\n"])
    if args.plot:
        # Imported here: matplotlib takes long to load, and complains on stderr without a home directory.
        from litemrc.plots.curves import curves_figure
        from litemrc.plots.files import save_figure

        save_figure(curves_figure(table, owners), args.plot)
    return 0


def _history(folder: Path) -> EpochTable:
    require("device")
    from litemrc.feed.history.reading import read_history

    table, damages = read_history(folder)
    for damage in damages:
        warning(f"the history is damaged: {damage}")
    return table


def _select_epochs(table: EpochTable, args: argparse.Namespace) -> EpochTable:
    first, last = args.first_epoch, args.last_epoch
    selected = table.between(first, None if last is None else last + 1)
    if table.epoch.size and not selected.epoch.size:
        raise UserError(
            "the range of --from and --to holds no epoch of the file",
            where=str(args.file),
            remedy=f"the file holds epochs {table.epoch.min()} to {table.epoch.max()}",
        )
    return selected


def _check_scale(table: EpochTable, path: Path) -> None:
    if len(table.scales) == 1:
        return
    spans = [table.epoch[table.scale_log2 == scale] for scale in table.scales]
    raise UserError(
        "the sampling rate changed between epochs: their counters cannot be summed",
        where=str(path),
        remedy="select epochs of one rate with --from and --to: "
        + ", ".join(
            f"{epochs.min()} to {epochs.max()} sample 1 page of {1 << scale}"
            for scale, epochs in zip(table.scales, spans, strict=True)
        ),
    )


def _select_owners(table: EpochTable, args: argparse.Namespace, path: Path) -> list[Owner]:
    """Return the owners that the arguments select; all of them have data."""
    with_data = table.owners_with_data
    if not with_data:
        raise UserError(
            "no context counted an access",
            where=str(path),
            remedy="collect while a program runs, or collect more epochs",
        )
    if args.only:
        with_data = [
            part for owner in with_data for part in table.parts_of(owner) if part.accesses == args.only
        ]
        if not with_data:
            remedy = "omit --only, or collect with split on: litemrc device --split"
            raise UserError(f"no {args.only} were counted apart", where=str(path), remedy=remedy)
    if args.process is not None:
        return _select_processes(with_data, args.process, path)
    if args.context is None:
        return with_data
    contexts = table.contexts_with_data
    wanted = [c for c in contexts if args.context in (str(c), table.context_names.get(c))][:1]
    found = [owner for owner in with_data if owner.context in wanted]
    if not found:
        names = [table.name_of(context) for context in contexts]
        listed = ", ".join(f"{context} ({name})" for context, name in zip(contexts, names, strict=True))
        raise UserError(
            f"context {args.context} has no data",
            where=str(path),
            remedy=f"{closest(args.context, names)} contexts with data: {listed}".lstrip(),
        )
    return found


def _select_processes(with_data: list[Owner], wanted: str, path: Path) -> list[Owner]:
    found = [owner for owner in with_data if owner.process and owner.process.is_called(wanted)]
    if not found:
        labels = [owner.process.label for owner in with_data if owner.process]
        raise UserError(
            f"process {wanted} has no data",
            where=str(path),
            remedy=f"{closest(wanted, labels)} processes with data: {', '.join(labels)}".lstrip()
            if labels
            else "no process was tracked; use --context",
        )
    return found


def json_object(table: EpochTable, owners: Sequence[Owner]) -> dict[str, object]:
    """Return what --json prints: the sum of the owners' curves; a ratio is null if there was no access."""
    curve, working_set = table.curve(owners), table.working_set(owners)
    contexts = {owner.context for owner in owners}
    return {
        "context": contexts.pop() if len(contexts) == 1 else None,
        "processes": [asdict(owner.process) for owner in owners if owner.process],
        "accesses": curve.accesses,
        "misses": curve.misses,
        "dropped": curve.dropped,
        "outside": table.sum_of_epochs("outside", owners),
        "unsampled": table.sum_of_epochs("unsampled", owners),
        "scale_log2": table.scale,
        "page_bytes": curve.page_bytes,
        "resolution_pages": curve.resolution_pages,
        "sizes_pages": curve.sizes_pages.tolist(),
        "miss_ratio": [None if np.isnan(ratio) else float(ratio) for ratio in curve.miss_ratio],
        "epochs": list(working_set),
        "working_set_pages": list(working_set.values()),
        "tail": curve.tail and asdict(curve.tail),
    }
