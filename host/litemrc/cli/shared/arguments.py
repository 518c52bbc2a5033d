# SPDX-License-Identifier: BSD-2-Clause
"""Arguments that mean the same in every command: their types, and the options that declare them."""

import argparse
import math
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from litemrc.curves.sizes import is_page_size, size_bytes
from litemrc.errors import UserError, choose_from

Value = TypeVar("Value")
_SAMPLE_RATES = 64  # 1, 1/2, 1/4 ...; the device refuses the lowest ones
# Names of the protocol's schema that parsers need without loading it; a test compares them.
EPOCH_UNITS = ("accesses", "cycles")
RANK_POLICIES = ("none", "static", "dynamic", "mrc")
POWER_STATES = ("awake", "power_down", "self_refresh", "self_refresh_partial")
PAGE_COUNTERS = ("delay", "update")
BUS_MASTERS = ("cpu", "remote", "traffic")


def spelled(name: str) -> str:
    """Return a name of the protocol's schema in the spelling of the command line."""
    return name.replace("_", "-")


def natural(text: str, limit: int = 2**32) -> int:
    """Parse a whole number from 0 to below `limit`."""
    if not (text.isascii() and text.isdigit() and int(text) < limit):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {limit - 1} (got {text!r})")
    return int(text)


def positive(text: str, limit: int = 2**32) -> int:
    """Parse a whole number from 1 to below `limit`."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < limit):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {limit - 1} (got {text!r})")
    return int(text)


def number(text: str, limit: float) -> float:
    """Parse a number from 0 to `limit`."""
    try:
        value = float(text) if text.isascii() and "_" not in text else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= limit:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {limit:g} (got {text!r})")
    return value


def each_once(parse: Callable[[str], Value]) -> Callable[[str], list[Value]]:
    """Make a parser of comma-separated values; repeated ones count once."""
    return lambda text: list(dict.fromkeys(parse(part) for part in text.split(",")))


def names_of(kind: str, known: Collection[str], *, all_names: bool = False) -> Callable[[str], list[str]]:
    """Make a parser of comma-separated names.

    Parameters
    ----------
    kind
        what the names stand for, such as "policy".
    all_names
        "all" stands for every known name.
    """

    def parse(text: str) -> list[str]:
        if all_names and text == "all":
            return list(known)
        for name in text.split(","):
            if name not in known:
                remedy = choose_from(name, known) + (", or all" if all_names else "")
                raise argparse.ArgumentTypeError(f"no {kind} is named {name!r}; {remedy}")
        return list(dict.fromkeys(text.split(",")))

    return parse


def sample_rate(text: str) -> int:
    """Return K of the sample rate 1/2^K."""
    match = re.fullmatch(r"1/(\d{1,19})", text, re.ASCII)
    try:
        mantissa, exponent = math.frexp(1 / int(match[1]) if match else float(text))
    except (ValueError, ZeroDivisionError):
        mantissa, exponent = 0.0, 0
    if mantissa != 0.5 or not 0 <= 1 - exponent < _SAMPLE_RATES:
        raise argparse.ArgumentTypeError(f"must be 1 or a power of 1/2, such as 1/4 or 0.25 (got {text!r})")
    return 1 - exponent


def tcp_port(text: str) -> int:
    """Parse the number of a TCP port."""
    return positive(text, limit=2**16)


def numbers_of(text: str, what: str, most: int) -> frozenset[int]:
    """Parse a number of things from 0 on, or a list of their numbers: 2, or 0,2-3.

    Parameters
    ----------
    what
        the things, for messages.
    most
        their largest number.

    Raises
    ------
    argparse.ArgumentTypeError
        neither, or more than `most`.
    """
    if text.isascii() and text.isdigit() and 0 < int(text) <= most:
        return frozenset(range(int(text)))
    if re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text, re.ASCII) and not text.isdigit():
        bounds = [int(number) for number in re.findall(r"\d+", text)]
        if max(bounds) < most and (numbers := listed(text)):
            return numbers
    raise argparse.ArgumentTypeError(
        f"must be a number of {what} from 1 to {most}, or a list such as 1-2 or 0,3 (got {text!r})"
    )


def listed(text: str) -> frozenset[int]:
    """Parse the kernel's format of a list: 0,2-3."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    """Declare -q."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no notes")


def add_page_size_argument(
    parser: argparse.ArgumentParser, default: str = "that of the file, else 4k", *, of_file: bool = False
) -> None:
    """Declare the page size; `args.page_size` is None or bytes.

    Parameters
    ----------
    of_file
        any size that `litemrc.mrc` takes; else one that a recorded memory may have.
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
