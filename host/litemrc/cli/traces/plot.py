# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace plot TRACE --out FILE`: the space-time graph of a trace, pages over time."""

import argparse
from pathlib import Path

from litemrc.cli.shared.arguments import add_out_argument
from litemrc.cli.shared.progress import shown
from litemrc.cli.shared.results import check_pictures
from litemrc.cli.traces.arguments import add_input_arguments, opened
from litemrc.errors import UserError
from litemrc.traces.formats.streams import STDIN
from litemrc.traces.summary import Summary, space_time


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace plot`."""
    add_input_arguments(parser)
    add_out_argument(parser, "picture, .png or .svg")
    parser.add_argument("--title", default=None, help="title of the picture (default: the name of the trace)")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace plot`."""
    check_pictures(args.out)
    if args.trace == STDIN:
        raise UserError("the trace is read twice, stdin only once", where="-", remedy="name a file")
    summary = Summary()
    with opened(args) as trace:
        for chunk in shown(trace, "counting"):
            summary.add(chunk)
    if not summary.references:
        raise UserError("the trace has no reference", where=args.trace, remedy="give a trace with references")
    with opened(args) as trace:
        graph = space_time(shown(trace, "drawing"), summary)
        unit, page_bytes = trace.time_unit, trace.page_bytes
    # Imported here: matplotlib takes long to load.
    from litemrc.plots.files import save_figure
    from litemrc.plots.heat import space_time_figure

    title = Path(args.trace).name if args.title is None else args.title
    save_figure(space_time_figure(graph, page_bytes=page_bytes, title=title, time_unit=unit), args.out)
    print(f"{summary.references:,} references to {graph.pages:,} pages plotted in {args.out}")
    return 0
