"""Arguments that the commands of `litemrc trace` share."""

import argparse
from pathlib import Path

from litemrc.errors import UserError
from litemrc.traces import Trace, open_trace
from litemrc.traces.cache_shape import size_of
from litemrc.traces.opening import FORMATS, format_of
from litemrc.traces.trace import PAGE_BYTES

FORMATS_HELP = f"formats: {', '.join(FORMATS)}; .gz, .zst or .xz behind the ending compresses"

_INTERVALS = "intervals"


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the trace to read."""
    parser.add_argument("trace", metavar="TRACE", help="file, or URL such as gen:zipf?pages=1000&n=100000")
    parser.add_argument(
        "--format", metavar="NAME", choices=list(FORMATS), help="of TRACE (default: by its ending)"
    )
    add_page_argument(parser)


def add_page_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the size of a page."""
    parser.add_argument(
        "--pages", metavar="BYTES", type=page_bytes, default=PAGE_BYTES, help="size of a page (4k)"
    )


def add_interval_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the interval of IN/OUT records."""
    parser.add_argument(
        "--interval",
        metavar="N",
        type=size,
        help="write IN/OUT records (Glass 1997, 2.1) of intervals of N units of time",
    )


def opened(args: argparse.Namespace) -> Trace:
    """The trace that `add_input_arguments` declared."""
    return open_trace(args.trace, args.format, args.pages)


def size(text: str) -> int:
    """A positive number with k or m behind it, as argparse wants it."""
    try:
        return size_of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def page_bytes(text: str) -> int:
    """The size of a page, as argparse wants it."""
    number = size(text)
    if number & (number - 1) or number < 64:
        raise argparse.ArgumentTypeError(f"{text!r} is no power of two of at least 64")
    return number


def output_format(out: Path, interval: int | None, name: str | None = None) -> str | None:
    """Name of the format to write, None: by the ending of `out`; with an interval, IN/OUT records.

    Raises:
        UserError: an interval, but another format by name or ending.
    """
    if interval is None:
        return name
    if name not in (None, _INTERVALS) or (name is None and not is_intervals(out)):
        raise UserError(
            "--interval writes IN/OUT records, which is another format than that of the name",
            where=str(out),
            remedy="leave out --interval, or name the file FILE.inout",
        )
    return _INTERVALS


def is_intervals(out: Path) -> bool:
    """Does the name of a file say that it holds IN/OUT records?"""
    return format_of(out) is FORMATS[_INTERVALS]
