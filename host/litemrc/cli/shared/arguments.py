"""Types of arguments: each parses a text, or raises ArgumentTypeError with the value and what is allowed."""

import argparse
import math
import re
from collections.abc import Callable, Collection
from typing import TypeVar

from litemrc.errors import choose_from

Value = TypeVar("Value")
_SAMPLE_RATES = 64  # 1, 1/2, 1/4 ...; the device refuses the lowest ones


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

    Parameters:
        kind: what the names stand for, such as "policy".
        all_names: "all" stands for every known name.
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
