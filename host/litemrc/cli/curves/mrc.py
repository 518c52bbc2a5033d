"""`litemrc mrc TRACE`: the miss-ratio curve of a trace under LRU; Ctrl-C prints the curve so far."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import add_input_arguments, opened
from litemrc.curves.curve import Curve
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

_EPILOG = """\
exact   LRU stack distances of all references: the miss ratio at every size from 1 page to the footprint
group   the monitor's engine hls/group_stack: exact, at multiples of frames / groups pages
bucket  the monitor's engine hls/bucket_stack: estimated, at multiples of frames / groups pages
shards  exact distances within a sample of the pages, scaled up (Waldspurger et al., FAST 2015); ten times
        faster. It is inaccurate in two cases. Where a curve has a cliff, as a loop has at its footprint, the
        cliff is displaced by the sampling error of the footprint, and next to it the error equals the height
        of the cliff. Where few pages take most references, the curve is shifted at sizes too small to hold
        them, by whether these pages are sampled. Sizes below 1 / sample rate are not resolved.

--json prints one object: accesses, cold_misses, page_bytes, sizes_pages, miss_ratio. miss_ratio[i] is the
miss ratio of a memory of sizes_pages[i] pages. The ratio of the last size holds for all larger sizes.
"""
_PIECE = 4096  # numbers formatted at once


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc mrc`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser)
    parser.add_argument("--engine", choices=ENGINES, default="exact", help="see below (%(default)s)")
    parser.add_argument("--threads", metavar="N", type=positive, help="exact: threads (1)")
    parser.add_argument(
        "--sample-rate", metavar="R", type=float, help=f"shards: fraction of pages sampled ({DEFAULT_RATE})"
    )
    parser.add_argument(
        "--sample-pages",
        metavar="N",
        type=positive,
        help="shards: sample at most N pages, at a decreasing rate",
    )
    parser.add_argument(
        "--frames",
        metavar="N",
        type=int,
        help=f"group, bucket: page frames, a power of two, 256 to 1048576 ({DEFAULT_FRAMES})",
    )
    parser.add_argument(
        "--groups",
        metavar="G",
        type=int,
        help=f"group, bucket: page groups, 16, 64 or 256 ({DEFAULT_GROUPS})",
    )
    parser.add_argument(
        "--sizes", metavar="N,...", type=_sizes, help="print only these memory sizes, in pages"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the curve, .png or .svg")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc mrc`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    engine = make_engine(
        args.engine,
        threads=args.threads,
        sample_rate=args.sample_rate,
        sample_pages=args.sample_pages,
        frames=args.frames,
        groups=args.groups,
    )
    stopped: KeyboardInterrupt | None = None
    with opened(args) as trace:
        try:
            with closing(shown(trace, "measuring")) as chunks:
                for chunk in chunks:
                    engine.access(chunk.pages)
        except KeyboardInterrupt as error:
            stopped = error
        curve = engine.curve(trace.page_bytes)
        if not curve.accesses:
            raise stopped or UserError("the trace has no reference", where=args.trace)
        if args.sizes:
            trace.check_memory(min(args.sizes))
            at = np.array(args.sizes), curve.exactly_at(args.sizes)
        elif trace.minimum_pages > 1:
            curve = curve.from_size(trace.minimum_pages)
    sizes, ratios = at if args.sizes else (curve.sizes_pages, curve.miss_ratio)
    if stopped:
        print("litemrc: warning: interrupted: the curve covers the references read so far", file=sys.stderr)
    for note in trace.notes:
        print(f"litemrc: note: {note}", file=sys.stderr)
    del engine  # the state of a large footprint takes more memory than the curve
    if args.json:
        for piece in json_pieces(curve, sizes, ratios):
            sys.stdout.write(piece)
    else:
        print("\n".join(_table(curve, sizes, ratios, all_sizes=bool(args.sizes))))
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.mrc import mrc_figure

        save_figure(mrc_figure([curve], title=Path(args.trace).name), args.plot)
    if stopped:
        raise stopped
    return 0


def _sizes(text: str) -> list[int]:
    return [positive(size) for size in text.split(",")]


def json_pieces(curve: Curve, sizes: NDArray[np.int64], ratios: NDArray[np.float64]) -> Iterator[str]:
    """Yield what --json prints, in pieces: the text of a curve takes ten times the memory of its numbers."""
    yield f'{{"accesses": {curve.accesses}, "cold_misses": {curve.misses}, '
    yield f'"page_bytes": {curve.page_bytes}, "sizes_pages": ['
    yield from _numbers(sizes)
    yield '], "miss_ratio": ['
    yield from _numbers(ratios)
    yield "]}\n"


def _numbers(array: NDArray[Any]) -> Iterator[str]:
    for start in range(0, array.size, _PIECE):
        text = json.dumps(array[start : start + _PIECE].tolist(), allow_nan=False)[1:-1]
        yield f", {text}" if start else text


def _table(
    curve: Curve, sizes: NDArray[np.int64], ratios: NDArray[np.float64], *, all_sizes: bool
) -> Iterator[str]:
    yield f"{curve.accesses:,} accesses, {curve.misses:,} cold misses"
    if not sizes.size:
        return
    rows = list(range(sizes.size))
    if not all_sizes:  # the powers of two up to the largest size, and the largest size
        targets = 2 ** np.arange(int(sizes[-1]).bit_length())
        rows = sorted({*np.searchsorted(sizes, targets).tolist(), rows[-1]})
    yield f"{'pages':>12} {'memory':>12} {'miss ratio':>12}"
    for row in rows:
        pages = int(sizes[row])
        yield f"{pages:>12,} {size_text(pages, curve.page_bytes):>12} {ratios[row]:>12.6f}"
