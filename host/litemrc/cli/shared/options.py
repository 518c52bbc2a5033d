"""Options that mean the same in every command."""

import argparse
from pathlib import Path

from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.extras import require
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    """Declare -q."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no notes")


def add_page_size_argument(
    parser: argparse.ArgumentParser, default: str = "that of the file, else 4k", *, required: bool = False
) -> None:
    """Declare the page size; `args.page_size` is None or bytes."""
    parser.add_argument(
        "--page-size", metavar="SIZE", type=page_size, required=required, help=f"bytes of a page ({default})"
    )


def add_output_formats(parser: argparse.ArgumentParser, *, csv: bool = True) -> None:
    """Declare --json and --csv, one of which replaces the tables on stdout."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    if csv:
        formats.add_argument("--csv", action="store_true", help="print the table as CSV and nothing else")


def add_plot_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the file of a picture."""
    parser.add_argument("--plot", metavar="FILE", type=Path, help=f"draw {what}: .png or .svg")


def check_picture(path: Path | None) -> None:
    """Check before the work that a picture can be drawn and written after it; None: no picture is wanted.

    Raises:
        UserError: a path that cannot be written, another suffix, or matplotlib is not installed.
    """
    if path is not None:
        check_output_path(path, PICTURE_SUFFIXES)
        require("plot")


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
    """Parse the size of a page: bytes, or with a unit such as 4k."""
    from litemrc.curves.sizes import size_bytes

    try:
        size = size_bytes(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if size & (size - 1) or not 64 <= size <= 1 << 40:
        raise argparse.ArgumentTypeError(f"must be a power of two of at least 64 (got {text!r})")
    return size


def chosen_page_size(option: int | None, carried: int | None, where: str) -> int:
    """Return the page size in bytes: the file's, the option's, or else 4096.

    Raises:
        UserError: the option contradicts the file.
    """
    if option and carried and option != carried:
        raise UserError(
            f"--page-size is {option} bytes, but the file has pages of {carried} bytes",
            where=where,
            remedy=f"omit --page-size, or give --page-size {carried}",
        )
    return carried or option or PAGE_BYTES


def _epoch(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 32):
        raise argparse.ArgumentTypeError(f"must be the number of an epoch, 0 or more (got {text!r})")
    return int(text)
