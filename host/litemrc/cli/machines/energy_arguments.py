"""What the arguments of `litemrc simulate energy` may say."""

import argparse

from litemrc.cli.shared.arguments import positive
from litemrc.policies.energy import SCHEMES


def scheme_names(text: str) -> list[str]:
    """Names of schemes, with commas between them, as argparse wants them."""
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in SCHEMES:
            raise argparse.ArgumentTypeError(f"no scheme {name!r}: they are {', '.join(SCHEMES)}")
    return names


def numbers(text: str) -> list[int]:
    """Numbers from 1, with commas between them, as argparse wants them."""
    return list(dict.fromkeys(positive(part) for part in text.split(",")))


def part_of_one(text: str) -> float:
    """A number from 0 to 1, as argparse wants it."""
    return _number(text, 1.0)


def milliwatts(text: str) -> float:
    """A power from 0, as argparse wants it."""
    return _number(text, 1e9)


def _number(text: str, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {most:g}")
    return number
