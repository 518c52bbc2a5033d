"""Ranges A:B on the command line; both ends belong to the range, and A: has no upper end."""

import argparse
import re
from dataclasses import dataclass, field

from litemrc.errors import UserError

_MOST_DIGITS = 20
_HEX = "0x"


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

    Attributes:
        text: as the user wrote it.
        lower, upper: both belong to the range; None: no upper end.
        in_bytes: they are byte addresses.
    """

    text: str = field(compare=False)
    lower: int
    upper: int | None
    in_bytes: bool

    def frames(self, page_bytes: int, base_address: int, last_frame: int) -> range:
        """Return the frames; those of addresses are the frames that hold a byte of the range.

        Parameters:
            last_frame: in place of an upper end that is not given.

        Raises:
            UserError: addresses below frame 0.
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
