"""Arguments that the commands of `litemrc trace` share."""

import argparse

from litemrc.errors import UserError
from litemrc.traces import Trace, open_trace
from litemrc.traces.cache_shape import size_of
from litemrc.traces.opening import FORMATS
from litemrc.traces.trace import PAGE_BYTES

FORMATS_HELP = f"formats: {', '.join(FORMATS)}; .gz, .zst or .xz behind the ending compresses"


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


def output_format(interval: int | None, name: str | None) -> str | None:
    """Format to write: IN/OUT records if an interval is given."""
    if interval is not None and name not in (None, "intervals"):
        raise UserError(f"--interval makes no {name}", remedy="leave out --interval, or use --to intervals")
    return "intervals" if interval is not None else name
