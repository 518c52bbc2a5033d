# SPDX-License-Identifier: BSD-2-Clause
"""Sizes of memories, ranges of pages and of epochs on the command line: pages, or bytes with a unit."""

import argparse
import re
from dataclasses import dataclass, field

from litemrc.curves.sizes import MemorySize
from litemrc.errors import UserError

_MOST_SIZES = 4096
_MOST_DIGITS = 20
_HEX = "0x"


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


def epoch_range(text: str) -> tuple[int, int | None]:
    """Parse epochs, such as 100:199 or 100:; the upper end is None if it is not given."""
    match = re.fullmatch(rf"(\d{{1,{_MOST_DIGITS}}}):(\d{{1,{_MOST_DIGITS}}})?", text, re.ASCII)
    lower, upper = (match[1], match[2]) if match else ("1", "0")
    if upper is not None and int(upper) < int(lower):
        raise argparse.ArgumentTypeError(f"must be a range of epochs, such as 100:199 or 100: (got {text!r})")
    return int(lower), None if upper is None else int(upper)


@dataclass(frozen=True)
class PageRange:
    """A range of frames, or of byte addresses.

    Attributes
    ----------
    text
        as the user wrote it.
    lower, upper
        both belong to the range; None: no upper end.
    in_bytes
        they are byte addresses.
    """

    text: str = field(compare=False)
    lower: int
    upper: int | None
    in_bytes: bool

    def frames(self, page_bytes: int, base_address: int, last_frame: int) -> range:
        """Return the frames; those of addresses are the frames that hold a byte of the range.

        Parameters
        ----------
        last_frame
            in place of an upper end that is not given.

        Raises
        ------
        UserError
            addresses below frame 0.
        """
        if not self.in_bytes:
            return range(self.lower, (last_frame if self.upper is None else self.upper) + 1)
        if self.lower < base_address:
            raise UserError(
                f"address {self.lower:#x} lies below frame 0, whose address is {base_address:#x}",
                where=f"--pages {self.text}",
                remedy="give addresses of the memory, or numbers of frames without 0x",
            )
        lower = (self.lower - base_address) // page_bytes
        upper = last_frame if self.upper is None else (self.upper - base_address) // page_bytes
        return range(lower, upper + 1)


def page_range(text: str) -> PageRange:
    """Parse frames, such as 1024:2047 or 1024:, or byte addresses, such as 0x40000000:0x400fffff."""
    number = rf"(?:{_HEX}[0-9a-fA-F]{{1,16}}|\d{{1,{_MOST_DIGITS}}})"
    match = re.fullmatch(rf"({number}):({number})?", text, re.ASCII)
    lower, upper = (match[1], match[2]) if match else ("1", "0")
    in_bytes = lower.startswith(_HEX)
    base = 16 if in_bytes else 10
    mixed = upper is not None and upper.startswith(_HEX) != in_bytes
    if mixed or (upper is not None and int(upper, base) < int(lower, base)):
        raise argparse.ArgumentTypeError(
            "must be a range of frames, such as 1024:2047 or 1024:,"
            f" or of addresses, such as 0x40000000:0x400fffff (got {text!r})"
        )
    return PageRange(text, int(lower, base), None if upper is None else int(upper, base), in_bytes)
