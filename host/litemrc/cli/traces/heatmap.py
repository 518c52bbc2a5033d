# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc heatmap FILE`: which pages were accessed when, as a map of address by time."""

import argparse
import json
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.memory import epoch_range, page_range
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import shown
from litemrc.cli.shared.results import check_pictures, until_stopped
from litemrc.cli.traces.arguments import add_context_argument, add_input_arguments, contexts_noted, opened
from litemrc.cli.traces.heat_text import heat_text, is_unicode
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path

if TYPE_CHECKING:
    from litemrc.pages.page_bitmaps import PageBitmaps

_DEFAULT_SIZE = (80, 24)
_EPILOG = """\
TRACE is a trace, of which each --epoch references are an epoch, or a Parquet file of page bitmaps, which has
epochs of its own. The value of a cell is the share of its (page, epoch) pairs in which the page was accessed.

Of a trace, large gaps between used pages are left out; its frames are page numbers. Both ends of --pages and
--epochs belong to the range; A: has no upper end.

--damo writes a record that damo 3.4 draws and reports: damo report heatmap --input OUT. A sampling interval
is an epoch, an aggregation interval is --aggregation of them; nr_accesses counts the epochs in which a page
was accessed, and a region is a run of pages with the same number. If the length of epochs in time is not
known, as of traces, an epoch lasts 1 ms.

--json prints one object: {"share": [[...], ...], "epoch_edges": [...], "page_edges": [...], "addresses":
[...], "ranges": [[address, pages], ...], "page_bytes", "pages", "epochs", "missing_epochs", "written",
"source", "interrupted"}. share[i][j] is the cell of pages page_edges[i] to page_edges[i + 1] - 1, counted
over the ranges, the first at addresses[i], and of epochs epoch_edges[j] to epoch_edges[j + 1] - 1; null if
all these epochs are missing.

  litemrc heatmap sort.parquet --epoch 5000 --out sort.png
  litemrc heatmap "gen:phases?n=4000000" --pages 0:16383 --epochs 0:99
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc heatmap`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser)
    parser.add_argument(
        "--epoch", metavar="N", type=positive, help="of a trace: references of an epoch (10000)"
    )
    add_context_argument(parser)
    parser.add_argument("--writes", action="store_true", help="the pages written, in place of those accessed")
    parser.add_argument(
        "--pages",
        metavar="A:B",
        type=page_range,
        help="only frames A to B, or with 0x, the pages of byte addresses A to B",
    )
    parser.add_argument("--epochs", metavar="A:B", type=epoch_range, help="only epochs A to B")
    parser.add_argument(
        "--cells",
        metavar="COLUMNSxROWS",
        type=_cells,
        help="the most columns and rows on stdout (as fit the terminal; --json: 80x24)",
    )
    parser.add_argument("-o", "--out", metavar="FILE", type=Path, help="also draw a picture: .png or .svg")
    parser.add_argument("--title", help="title of the picture (default: the name of the file)")
    parser.add_argument(
        "--save", metavar="FILE.parquet", type=Path, help="also write the page bitmaps of all epochs"
    )
    parser.add_argument("--damo", metavar="FILE", type=Path, help="also write a record for damo")
    parser.add_argument(
        "--aggregation", metavar="N", type=positive, default=1, help="of --damo: epochs of an interval (1)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc heatmap`."""
    check_pictures(args.out)
    for path in (args.save, args.damo):
        if path:
            check_output_path(path)
    bitmaps, stopped = read_bitmaps(args)
    from litemrc.api.heat import heat_of  # loads numpy

    shown = bitmaps.shown
    columns, rows = args.cells or _cells_of_output(as_json=args.json)
    result = heat_of(
        bitmaps,
        where=args.trace,
        name=args.trace,
        written=args.writes,
        frames=args.pages and (lambda last: args.pages.frames(shown.page_bytes, shown.base_address, last)),
        epochs=args.epochs,
        cells=(columns, rows),
    )
    if args.json:
        print(json.dumps(result.document(interrupted=stopped is not None), allow_nan=False), flush=True)
    else:
        print(
            heat_text(result.map, result.bitmaps, columns, rows, unicode=is_unicode(sys.stdout)), flush=True
        )
    if args.save:
        result.save_pages(args.save)
        note(f"{bitmaps.epoch.size:,} epochs saved in {args.save}")
    if args.damo:
        _write_record(result.bitmaps, result.bits, args)
    if args.out:
        result.save(args.out, title=args.title)
    if stopped:
        warning("interrupted: the running epoch is not shown")
        raise stopped
    return 0


def _write_record(bitmaps: "PageBitmaps", bits: range, args: argparse.Namespace) -> None:
    from litemrc.pages.damo_record import write_damo_record

    done = write_damo_record(args.damo, bitmaps, aggregation=args.aggregation, written=args.writes, bits=bits)
    note(f"{done.snapshots:,} snapshots with {done.regions:,} regions for damo in {args.damo}")
    begin, end = bitmaps.shown.addresses([bits.start, bits.stop])
    if not begin:  # damo 3.4 takes a lowest address of 0 for one that is not known yet
        note(f"damo 3.4 needs the addresses, as the lowest one is 0: --address_range 0 {end}")


def _cells_of_output(*, as_json: bool) -> tuple[int, int]:
    columns, lines = _DEFAULT_SIZE if as_json else shutil.get_terminal_size(_DEFAULT_SIZE)
    return (columns, lines) if as_json else (max(columns - 22, 16), max(lines - 7, 4))


def _cells(text: str) -> tuple[int, int]:
    """Parse columns and rows, such as 100x40."""
    columns, _, rows = text.partition("x")
    try:
        return positive(columns, 10_001), positive(rows, 10_001)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"must be columns and rows, each 1 to 10000, such as 100x40 (got {text!r})"
        ) from None


def read_bitmaps(args: argparse.Namespace) -> "tuple[PageBitmaps, BaseException | None]":
    """Return the bitmaps of all epochs, and the Ctrl-C that ended the reading of a trace early, or None.

    Raises
    ------
    UserError
        the file is damaged or has no epoch, or an option is not for it.
    KeyboardInterrupt
        before the first epoch ended.
    """
    from litemrc.api.epochs import no_references  # loads numpy
    from litemrc.api.heat import (
        EPOCH,
        bitmaps_of,
        is_bitmap_file,
        not_of_bitmaps,
        stored_bitmaps,
        trace_epochs,
    )

    if is_bitmap_file(args.trace):
        for option in ("epoch", "context", "format", "columns", "page_size"):
            if getattr(args, option) is not None:
                raise not_of_bitmaps("--" + option.removesuffix("s").replace("_", "-"), args.trace)
        return stored_bitmaps(args.trace), None

    with opened(args) as trace:
        chunks = shown(trace, "reading")
        with closing(chunks):
            parts = trace_epochs(contexts_noted(chunks, args), args.epoch or EPOCH, args.context)
            epochs, stopped = until_stopped(parts)
        if isinstance(stopped, UserError):  # a map of what is no trace would mislead
            raise stopped
        if not epochs:
            raise no_references(args.context, args.trace)
        for text in trace.notes:
            note(text)
        return bitmaps_of(
            epochs, trace.page_bytes, source=args.trace, interrupted=stopped is not None
        ), stopped
