"""Numbers of memory nodes or trays on the command line, in the kernel's format of lists."""

import argparse
import re


def numbers_of(text: str, what: str, most: int) -> frozenset[int]:
    """Parse a number of things from 0 on, or a list of their numbers: 2, or 0,2-3.

    Parameters:
        what: the things, for messages.
        most: their largest number.

    Raises:
        argparse.ArgumentTypeError: neither, or more than `most`.
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
