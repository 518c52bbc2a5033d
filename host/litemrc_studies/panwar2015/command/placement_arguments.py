"""Argument types of `litemrc simulate placement`."""

import argparse
import re

from litemrc.cli.shared.arguments import positive
from litemrc.errors import UserError

from litemrc_studies.panwar2015.workloads.footprint import Footprint

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def byte_size(text: str) -> int:
    """Parse a size such as 32G, 512M, 4096 or 0."""
    match = re.fullmatch(r"(\d+)([KMGT]?)(i?B)?", text, re.IGNORECASE | re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"must be a size, such as 512M or 32G (got {text!r})")
    return int(match[1]) * _UNITS[match[2].upper()]


def footprint(text: str) -> Footprint:
    """Parse percentages LOW:MEAN:HIGH of memory."""
    try:
        low, mean, high = (float(part) / 100 for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be percentages LOW:MEAN:HIGH, such as 10:30:50 (got {text!r})"
        ) from None
    try:
        return Footprint(low, high, mean)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def percent(text: str) -> int:
    """Parse a whole number from 1 to 100."""
    return positive(text, limit=101)
