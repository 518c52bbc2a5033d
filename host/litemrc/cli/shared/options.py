"""Options that mean the same in every command."""

import argparse
from pathlib import Path

from litemrc.curves.sizes import is_page_size, size_bytes
from litemrc.errors import UserError


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    """Declare -q."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no notes")


def add_page_size_argument(
    parser: argparse.ArgumentParser, default: str = "that of the file, else 4k", *, of_file: bool = False
) -> None:
    """Declare the page size; `args.page_size` is None or bytes.

    Parameters:
        of_file: any size that `litemrc.mrc` takes; else one that a recorded memory may have.
    """
    kind = page_size_of_file if of_file else page_size
    parser.add_argument("--page-size", metavar="SIZE", type=kind, help=f"bytes of a page ({default})")


def add_output_formats(parser: argparse.ArgumentParser, *, csv: bool = True) -> None:
    """Declare --json and --csv, one of which replaces the tables on stdout."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    if csv:
        formats.add_argument("--csv", action="store_true", help="print the table as CSV and nothing else")


def add_plot_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the file of a picture."""
    parser.add_argument("--plot", metavar="FILE", type=Path, help=f"draw {what}: .png or .svg")


def add_out_argument(
    parser: argparse.ArgumentParser, what: str, *, metavar: str = "FILE", default: Path | None = None
) -> None:
    """Declare the file or folder to write; required without a default."""
    parser.add_argument(
        "-o",
        "--out",
        metavar=metavar,
        type=Path,
        required=default is None,
        default=default,
        help=what if default is None else f"{what} (%(default)s)",
    )


def add_epoch_range_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the first and the last epoch to use; None: no limit."""
    for option, which in (("--from", "first"), ("--to", "last")):
        parser.add_argument(
            option,
            metavar="EPOCH",
            dest=f"{which}_epoch",
            type=_epoch,
            help=f"{which} epoch to use (default: that of the file)",
        )


def page_size(text: str) -> int:
    """Parse the size of a page of a memory: bytes, or with a unit such as 4k; a cache line or more."""
    size = page_size_of_file(text)
    if not 64 <= size <= 1 << 40:
        raise argparse.ArgumentTypeError(f"must be a power of two of at least 64 (got {text!r})")
    return size


def page_size_of_file(text: str) -> int:
    """Parse the size of a page of a trace or a curve, as the API takes it."""
    try:
        size = size_bytes(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not is_page_size(size):
        raise argparse.ArgumentTypeError(f"must be a power of two (got {text!r})")
    return size


def _epoch(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 32):
        raise argparse.ArgumentTypeError(f"must be the number of an epoch, 0 or more (got {text!r})")
    return int(text)
