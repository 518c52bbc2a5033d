"""`litemrc heatmap FILE`: which pages were accessed when, as a map of address by time."""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.memory import epoch_range, page_range
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.results import check_pictures
from litemrc.cli.traces.arguments import add_context_argument, add_input_arguments
from litemrc.cli.traces.heat_text import EPOCH, heat_document, heat_text, is_unicode, read_bitmaps
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path

if TYPE_CHECKING:
    from litemrc.pages.page_bitmaps import PageBitmaps

_PICTURE_CELLS = (480, 960)  # rows and columns: about the pixels of the map
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
        "--epoch", metavar="N", type=positive, help=f"of a trace: references of an epoch ({EPOCH})"
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
    # Imported here: they load numpy.
    from litemrc.pages.page_bitmaps import heat_map

    if args.writes and not bitmaps.writes_known:
        raise UserError("which accesses were writes is not known", where=args.trace, remedy="omit --writes")
    chosen, bits = _chosen_epochs(bitmaps, args), _chosen_bits(bitmaps, args)
    columns, rows = args.cells or _cells_of_output(as_json=args.json)
    drawn = heat_map(chosen, rows, columns, written=args.writes, bits=bits)
    if args.json:
        print(
            json.dumps(heat_document(drawn, chosen, interrupted=stopped is not None), allow_nan=False),
            flush=True,
        )
    else:
        print(heat_text(drawn, chosen, columns, rows, unicode=is_unicode(sys.stdout)), flush=True)
    if args.save:
        from litemrc.pages.files import write_page_bitmaps

        write_page_bitmaps(args.save, bitmaps)
        note(f"{bitmaps.epoch.size:,} epochs saved in {args.save}")
    if args.damo:
        _write_record(chosen, bits, args)
    if args.out:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.heat import heat_figure

        picture = heat_map(chosen, *_PICTURE_CELLS, written=args.writes, bits=bits)
        title = Path(args.trace).name if args.title is None else args.title
        save_figure(heat_figure(picture, chosen, title=title), args.out)
    if stopped:
        warning("interrupted: the running epoch is not shown")
        raise stopped
    return 0


def _chosen_epochs(bitmaps: "PageBitmaps", args: argparse.Namespace) -> "PageBitmaps":
    if not args.epochs:
        return bitmaps
    lower, upper = args.epochs
    first, last = int(bitmaps.epoch[0]), int(bitmaps.epoch[-1])
    chosen = bitmaps.between(lower, (last if upper is None else upper) + 1)
    if not chosen.epoch.size:
        raise UserError(
            f"the range of --epochs holds no epoch: they are {first} to {last}",
            where=args.trace,
            remedy="choose some of them",
        )
    return chosen


def _chosen_bits(bitmaps: "PageBitmaps", args: argparse.Namespace) -> range:
    pages = bitmaps.shown
    if not args.pages:
        return range(pages.pages)
    last = pages.ranges[-1].stop - 1
    bits = pages.bits(args.pages.frames(pages.page_bytes, pages.base_address, last))
    if not bits:
        first = pages.ranges[0].start
        begin, end = (pages.base_address + frame * pages.page_bytes for frame in (first, last + 1))
        raise UserError(
            f"the range of --pages holds no page shown: they are among frames {first} to {last},"
            f" addresses {begin:#x} to {end - 1:#x}",
            where=args.trace,
            remedy="choose some of them",
        )
    return bits


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
