"""What the arguments of `litemrc simulate placement` may say."""

import argparse
import re

from litemrc.errors import UserError
from litemrc.machines.placement.machine import ALLOCATORS
from litemrc.traces.allocations.footprint import Footprint

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def byte_size(text: str) -> int:
    """A size such as 32G, 512M, 4096 or 0, as argparse wants it."""
    match = re.fullmatch(r"(\d+)([KMGT]?)(i?B)?", text, re.IGNORECASE | re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size, such as 512M or 32G")
    return int(match[1]) * _UNITS[match[2].upper()]


def allocator_names(text: str) -> list[str]:
    """Names of allocators, with commas between them, as argparse wants them."""
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in ALLOCATORS:
            raise argparse.ArgumentTypeError(f"no allocator {name!r}: they are {', '.join(ALLOCATORS)}")
    return names


def footprint(text: str) -> Footprint:
    """Percents LOW:MEAN:HIGH of memory, as argparse wants them."""
    try:
        low, mean, high = (float(part) / 100 for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not LOW:MEAN:HIGH, percents such as 10:30:50"
        ) from None
    try:
        return Footprint(low, high, mean)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def natural(text: str) -> int:
    """A number from 0 to below 2^32, as argparse wants it."""
    if not (text.isascii() and text.isdigit() and int(text) < 2**32):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {2**32 - 1}")
    return int(text)


def percent(text: str) -> int:
    """A number from 1 to 100, as argparse wants it."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 100")
    return int(text)
