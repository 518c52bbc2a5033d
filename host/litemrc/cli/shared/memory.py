"""Sizes of memories on the command line: pages, or bytes with a unit."""

import argparse

from litemrc.curves.sizes import MemorySize
from litemrc.errors import UserError

_MOST_SIZES = 4096


def memory_size(text: str) -> MemorySize:
    """Parse pages, such as 4096, or bytes with a unit, such as 16M or 512k; at least 1."""
    try:
        return MemorySize.of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(error.what) from error


def memory_sizes(text: str) -> list[MemorySize]:
    """Parse sizes and ranges, such as 100,200 or 100-900:100 or 1M-8M:1M."""
    sizes: list[MemorySize] = []
    for part in text.split(","):
        span, _, step = part.partition(":")
        if not step:
            sizes.append(memory_size(part))
            continue
        low, high, width = (memory_size(word) for word in (*_pair(span, text), step))
        if not low.in_bytes == high.in_bytes == width.in_bytes:
            raise argparse.ArgumentTypeError(f"{part!r} mixes pages and bytes: give all three in one unit")
        numbers = range(low.number, high.number + 1, width.number)
        if len(sizes) + len(numbers) > _MOST_SIZES:
            raise argparse.ArgumentTypeError(f"must hold at most {_MOST_SIZES} sizes")
        sizes += [
            MemorySize(f"{number} bytes" if low.in_bytes else str(number), number, low.in_bytes)
            for number in numbers
        ]
    if not sizes or len(sizes) > _MOST_SIZES:
        raise argparse.ArgumentTypeError(f"must hold 1 to {_MOST_SIZES} sizes (got {text!r})")
    return list(dict.fromkeys(sizes))


def _pair(span: str, text: str) -> tuple[str, str]:
    low, dash, high = span.partition("-")
    if not dash:
        raise argparse.ArgumentTypeError(f"a range must be LOW-HIGH:STEP (got {text!r})")
    return low, high


def add_sizes_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the memory sizes of a curve that are printed."""
    parser.add_argument(
        "--sizes",
        metavar="SIZE,...",
        type=memory_sizes,
        help="only these memory sizes: pages, or bytes with a unit; ranges LOW-HIGH:STEP",
    )
