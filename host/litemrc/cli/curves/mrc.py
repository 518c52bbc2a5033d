"""`litemrc mrc TRACE`: a trace's miss ratio curve under LRU; Ctrl-C shows that of what was read so far."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import add_input_arguments, opened
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.native.engines import (
    DEFAULT_FRAMES,
    DEFAULT_GROUPS,
    DEFAULT_RATE,
    ENGINES,
    make_engine,
)
from litemrc.native.miss_ratios import MissRatios

_EPILOG = """\
exact   LRU stack distances of all references: the miss ratio at every size from 1 page to the footprint
group   the monitor's engine of hls/group_stack: exact, at multiples of frames / groups pages
bucket  the monitor's engine of hls/bucket_stack: estimated, at multiples of frames / groups pages
shards  exact distances among a sample of the pages, scaled up (Waldspurger et al., FAST 2015): ten times as
        fast. It fails where a curve falls off a cliff, as that of a loop does at its footprint: the cliff
        is misplaced by the sampling error of the footprint, and right beside it the ratio is off by as
        much as the cliff is high. And where few pages take most references: they are sampled or not, and
        the curve is shifted at sizes too small to hold them. Sizes below 1 / rate are not told apart.

--json prints one object: accesses, cold_misses, sizes_pages, miss_ratio. miss_ratio[i] belongs to a memory of
sizes_pages[i] pages. Beyond the last size the ratio stays as it is there.
"""
_PIECE = 4096  # numbers turned into text at once


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc mrc`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser)
    parser.add_argument("--engine", choices=ENGINES, default="exact", help="see below (%(default)s)")
    parser.add_argument("--threads", metavar="N", type=positive, help="exact: cores to use (1)")
    parser.add_argument("--rate", metavar="R", type=float, help=f"shards: share of pages ({DEFAULT_RATE})")
    parser.add_argument(
        "--sample-pages", metavar="N", type=positive, help="shards: follow N pages at most, at a falling rate"
    )
    parser.add_argument(
        "--frames",
        metavar="N",
        type=int,
        help=f"group, bucket: page frames, a power of two, 256 to 1048576 ({DEFAULT_FRAMES})",
    )
    parser.add_argument(
        "--groups", metavar="G", type=int, help=f"group, bucket: 16, 64 or 256 ({DEFAULT_GROUPS})"
    )
    parser.add_argument("--sizes", metavar="N,...", type=_sizes, help="only these memory sizes, in pages")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the curve, .png or .svg")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc mrc`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    engine = make_engine(
        args.engine,
        threads=args.threads,
        rate=args.rate,
        sample_pages=args.sample_pages,
        frames=args.frames,
        groups=args.groups,
    )
    stopped = None
    with opened(args) as trace:
        try:
            with closing(shown(trace, "measuring")) as chunks:
                for chunk in chunks:
                    engine.access(chunk.pages)
        except KeyboardInterrupt as error:
            stopped = error
        curve = engine.curve()
        if not curve.accesses:
            raise stopped or UserError("the trace has no reference", where=args.trace)
        if args.sizes:
            trace.check_memory(min(args.sizes))
            curve = curve.at(args.sizes)
        elif trace.minimum_pages > 1:
            curve = curve.from_size(trace.minimum_pages)
    if stopped:
        print("litemrc: warning: interrupted: the curve is that of the references so far", file=sys.stderr)
    for note in trace.notes:
        print(f"litemrc: note: {note}", file=sys.stderr)
    del engine  # of a large footprint, the state takes more memory than the curve
    if args.json:
        for piece in json_pieces(curve):
            sys.stdout.write(piece)
    else:
        print("\n".join(_table(curve, all_sizes=bool(args.sizes), page_bytes=args.pages)))
    if args.plot:
        # Only now: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.replacement import miss_ratio_figure

        figure = miss_ratio_figure(curve, page_bytes=args.pages, title=Path(args.trace).name)
        save_figure(figure, args.plot)
    if stopped:
        raise stopped
    return 0


def _sizes(text: str) -> list[int]:
    return [positive(size) for size in text.split(",")]


def json_pieces(curve: MissRatios) -> Iterator[str]:
    """What --json prints, in pieces: the text of a large curve takes ten times the memory of its numbers."""
    yield f'{{"accesses": {curve.accesses}, "cold_misses": {curve.cold_misses}, "sizes_pages": ['
    yield from _numbers(curve.sizes_pages)
    yield '], "miss_ratio": ['
    yield from _numbers(curve.miss_ratio)
    yield "]}\n"


def _numbers(array: np.ndarray) -> Iterator[str]:
    for start in range(0, array.size, _PIECE):
        text = json.dumps(array[start : start + _PIECE].tolist(), allow_nan=False)[1:-1]
        yield f", {text}" if start else text


def _table(curve: MissRatios, *, all_sizes: bool, page_bytes: int) -> Iterator[str]:
    yield f"{curve.accesses:,} accesses, {curve.cold_misses:,} cold misses"
    if not curve.sizes_pages.size:
        return
    shown = range(curve.sizes_pages.size)
    if not all_sizes:  # powers of two, as far as there are such, and the last one
        targets = 2 ** np.arange(int(curve.sizes_pages[-1]).bit_length())
        shown = sorted({*np.searchsorted(curve.sizes_pages, targets).tolist(), curve.sizes_pages.size - 1})
    yield f"{'pages':>12} {'memory':>12} {'miss ratio':>12}"
    for at in shown:
        pages = int(curve.sizes_pages[at])
        yield f"{pages:>12,} {size_text(pages, page_bytes):>12} {curve.miss_ratio[at]:>12.6f}"
