# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace convert TRACE --out FILE`: store a trace in another format."""

import argparse
from contextlib import closing

from litemrc.api.writing import options_of, output_format, stored
from litemrc.cli.shared.arguments import add_out_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import (
    FORMATS_HELP,
    add_input_arguments,
    add_interval_argument,
    opened,
)
from litemrc.traces.opening import FORMATS


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace convert`."""
    parser.epilog = FORMATS_HELP
    add_input_arguments(parser)
    add_out_argument(parser, "file to write; it appears when it is complete")
    parser.add_argument(
        "--out-format", metavar="NAME", choices=list(FORMATS), help="format of --out (default: by its suffix)"
    )
    add_interval_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace convert`."""
    name = output_format(args.out, args.interval, args.out_format, ("--interval", "--out-format"))
    with opened(args) as trace, closing(shown(trace, "converting")) as chunks:
        written = stored(chunks, args.out, name, options_of(trace, args.interval), trace.notes)
    print(f"{written.references:,} references written to {args.out}")
    if written.lost:
        warning(f"the format of {args.out} lacks {', '.join(written.lost)}")
    for text in written.notes:
        note(text)
    return 0
