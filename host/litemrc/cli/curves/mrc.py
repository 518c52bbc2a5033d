# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc mrc TRACE...`: the miss-ratio curves of traces under LRU; Ctrl-C prints the curves so far."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litemrc.cli.curves.engine_arguments import add_cluster_arguments, add_engine_arguments, on_cluster
from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, positive
from litemrc.cli.shared.memory import MemorySize, add_sizes_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.results import check_pictures
from litemrc.cli.traces.arguments import add_format_arguments
from litemrc.errors import UserError
from litemrc.native.stack_engines import STACK_ENGINES

if TYPE_CHECKING:
    from litemrc.api.stacks import Context
    from litemrc.cli.curves.measuring import Measured, Measuring
    from litemrc.curves.curve import Curve

_OF_HARDWARE = "".join(
    f"{name:<7} the monitor's engine hls/{engine.unit}: {'exact' if engine.exact else 'estimated'}, "
    "at multiples of frames / groups pages\n"
    for name, engine in STACK_ENGINES.items()
)
_NAMES = " and ".join(STACK_ENGINES)
_EPILOG = f"""\
exact   LRU stack distances of all references: the miss ratio at every size from 1 page to the footprint
{_OF_HARDWARE}\
shards  exact distances within a sample of the pages, scaled up (Waldspurger et al., FAST 2015); at rate 0.01
        seven times as fast, three times with its band. It is inaccurate in two cases. Where a curve has a
        cliff, as a loop has at its footprint, the cliff is displaced by the sampling error of the footprint,
        and next to it the error equals the height of the cliff. Where few pages take most references, the
        curve is shifted at sizes too small to hold them, by whether these pages are sampled. Sizes below
        1 / sample rate are not resolved. The curve has a 95 % confidence band at each size, from a
        delete-a-group jackknife over 8 parts of the sample.
os      the tracker without hardware (Zhou et al., ASPLOS 2004, section 3.2). The pages used last are on a
        scan list, whose accessed bits are read after every period; an access to any other page is a
        protection fault. Repeated accesses to a page within a period are not seen: they count as hits of the
        first group of pages, or, with --seen-only, not at all, as in the paper. The resolution is
        --group-pages. --json adds faults (protection faults), scans, and overhead, the time of tracking as a
        share of the program's. The curve ends with the last scan.

--by bytes measures objects of different sizes, as oracleGeneral has them, exactly: an access hits in a memory
of the bytes of all objects used since the last access to its object, and its own. The curve has page_bytes 1.

--column names the columns of text and CSV traces: `address` (byte addresses in place of pages), or such as
`address=addr:hex,write=rw,time=1` (a name, or a number from 1; :hex for hexadecimal numbers without 0x).

{_NAMES} have the smallest number of frames, of those compiled, that holds the pages of the trace:
they are counted first, in a pass of its own. stdin is read only once and needs --frames.

A trace with contexts (processes or address spaces) gives a curve for each context. A page belongs to the
context that first accessed it, as in the monitor. --context all measures one LRU stack of all contexts.

--window N gives a curve for each N references, over one LRU stack that continues: counters start at 0 in each
window, the stack does not. The first access of a window to a page that was accessed before is a hit in a
memory that still holds the page; only first accesses of the whole trace are cold misses. Each curve has 8
sizes in each power of two, or those of --sizes. --plot draws a heat map.

--scheduler or --workers measures on a Dask cluster, by engine exact (by pages) or shards. TRACE is then a
folder, a quoted glob, a file or a URL (s3://, gs://, gen:). The files of a folder are the parts of one trace,
in natural order; every worker must be able to read them. The curve is that of one machine, to the last count,
even if workers die. Traces with contexts need --context all. --sample-pages reads the trace twice.

--json prints one object: name, accesses, cold_misses, page_bytes, resolution_pages, sizes_pages, miss_ratio;
for a band miss_ratio_low and miss_ratio_high. miss_ratio[i] is the miss ratio of a memory of sizes_pages[i]
pages. The ratio of the last size holds for all larger sizes. Several curves are {{"curves": [such objects]}}.
--csv prints a row for each curve and size. `litemrc allocate`, `compare` and `litemrc.read` read this JSON.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc mrc`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "traces",
        metavar="TRACE",
        nargs="+",
        help="file, - for stdin, or URL such as s3://bucket/file.parquet or gen:zipf?pages=1000&n=100000",
    )
    add_format_arguments(parser)
    add_engine_arguments(parser)
    add_cluster_arguments(parser)
    parser.add_argument(
        "--context",
        metavar="C",
        type=_context,
        default="each",
        help="number of one context, each (a curve for each), or all (one LRU stack) (%(default)s)",
    )
    parser.add_argument(
        "--window", metavar="N", type=positive, help="a curve for each window of N references"
    )
    add_sizes_argument(parser)
    add_output_formats(parser)
    add_plot_argument(parser, "the curves, or a heat map of the windows")


def prepare(args: argparse.Namespace) -> "Measuring":
    """Return how the traces are measured.

    Raises
    ------
    UserError
        the engine, its parameters or the number of traces is wrong.
    """
    # Imported here and below: they load numpy.
    from litemrc.cli.curves.measuring import Measuring

    if args.window and len(args.traces) > 1:
        raise UserError(
            f"--window takes one trace (got {len(args.traces)})", where="--window", remedy="name one trace"
        )
    how = Measuring(
        args.format,
        args.page_size,
        args.engine,
        {
            "by": args.by,
            "threads": args.threads,
            "sample_rate": args.sample_rate,
            "sample_pages": args.sample_pages,
            "band": args.band,
            "frames": args.frames,
            "groups": args.groups,
            "scan_list": args.scan_list,
            "period": args.period,
            "group_pages": args.group_pages,
            "seen_only": args.seen_only,
            "reference_ns": args.reference_ns,
        },
        args.context,
        args.columns,
        args.bounded,
        args.sort,
    )
    how.check(args.traces)
    return how


def main(args: argparse.Namespace) -> int:
    """Run `litemrc mrc`."""
    from litemrc.cli.curves.measuring import measure, measure_windows

    check_pictures(args.plot)
    how = prepare(args)
    if on_cluster(args):
        from litemrc.cli.curves.cluster_measuring import measure_on_cluster

        measured = measure_on_cluster(how, args)
    elif args.window:
        measured = measure_windows(
            how, args.traces[0], args.window, lambda trace: _sizes(args.sizes, trace.page_bytes)
        )
    else:
        measured = measure(how, args.traces)
    if measured.stopped:
        warning("interrupted: the curves cover the references read so far")
    for text in measured.notes:
        note(text)
    _print(args, measured)
    if args.plot:
        _draw(args, measured.curves)
    if measured.stopped:
        raise measured.stopped
    return 0


def _print(args: argparse.Namespace, measured: "Measured") -> None:
    from litemrc.cli.curves.mrc_table import (
        csv_pieces,
        json_document,
        mrc_rows,
        mrc_table,
        only,
        window_table,
        write,
    )
    from litemrc.native.os_tracker import DEFAULT_REFERENCE_NS

    curves: Sequence[Curve] = measured.curves
    if args.sizes and not args.window:
        curves = [only(curve, _sizes(args.sizes, curve.page_bytes) or []) for curve in curves]
    if hasattr(args, "take_rows"):
        args.take_rows(mrc_rows(curves, measured.tracked, all_sizes=bool(args.sizes)))
    elif args.json:
        single = len(curves) == 1 and not args.window
        stopped = measured.stopped is not None
        write(json_document(curves, measured.tracked, single=single, interrupted=stopped))
    elif args.csv:
        write(csv_pieces(curves))
    elif args.window:
        write(f"{line}\n" for line in window_table(curves, all_sizes=bool(args.sizes)))
    else:
        write(f"{line}\n" for line in mrc_table(curves, all_sizes=bool(args.sizes)))
        for tracked in measured.tracked:
            note(
                f"{tracked['faults']:,} protection faults, {tracked['scans']:,} scans;"
                f" overhead {tracked['overhead']:.2%} at {args.reference_ns or DEFAULT_REFERENCE_NS:,.0f} ns"
                " a reference (see --reference-ns)"
            )


def _draw(args: argparse.Namespace, curves: "Sequence[Curve]") -> None:
    # Imported here: matplotlib takes long to load.
    from litemrc.cli.curves.measuring import trace_names
    from litemrc.plots.files import save_figure
    from litemrc.plots.mrc import mrc_figure, windows_figure

    (title, *others) = trace_names(args.traces)
    if args.window:
        save_figure(windows_figure(curves, title=title), args.plot)
    else:
        save_figure(mrc_figure(curves, title="" if others or len(curves) == 1 else title), args.plot)


def _sizes(sizes: "list[MemorySize] | None", page_bytes: int) -> list[int] | None:
    """Return memory sizes in pages, rising."""
    return sorted({size.pages(page_bytes, "--sizes") for size in sizes}) if sizes else None


def _context(text: str) -> "Context":
    if text in ("each", "all"):
        return text  # type: ignore[return-value]  # a literal of Context
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 32):
        raise argparse.ArgumentTypeError(f"must be the number of a context, each or all (got {text!r})")
    return int(text)
