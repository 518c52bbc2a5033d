"""`litemrc trace convert TRACE --out FILE`: store a trace in another format."""

import argparse
from contextlib import closing

from litemrc.cli.shared.arguments import add_out_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import shown
from litemrc.cli.traces.arguments import (
    FORMATS_HELP,
    add_input_arguments,
    add_interval_argument,
    opened,
    output_format,
)
from litemrc.traces.opening import FORMATS, WriteOptions, create_trace, format_of


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
    name = output_format(args.out, args.interval, args.out_format)
    kept = format_of(args.out, name).columns
    references = 0
    lost: set[str] = set()
    with opened(args) as trace:
        options = WriteOptions(
            trace.page_bytes, trace.time_unit, args.interval or WriteOptions.interval, trace.origin
        )
        with (
            create_trace(args.out, name, options) as writer,
            closing(shown(trace, "converting")) as chunks,
        ):
            for chunk in chunks:
                writer.write(chunk)
                references += len(chunk)
                present = (c for c in ("times", "writes", "contexts") if getattr(chunk, c) is not None)
                lost.update(set(present) - kept)
        notes = trace.notes
    print(f"{references:,} references written to {args.out}")
    if lost:
        warning(f"the format of {args.out} lacks {', '.join(sorted(lost))}")
    for text in notes:
        note(text)
    return 0
