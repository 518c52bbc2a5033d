"""Memory sizes as people write them, "16M" or "512 KiB"; everything else counts in pages."""

import re

from litemrc.errors import UserError

MIB = 1 << 20
PAGE_BYTES = 4096
EPSILON = 0.01  # a miss ratio this much above the minimum is as good: one more miss in 100 accesses
_POWERS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def size_text(pages: float, page_bytes: int, digits: int = 4) -> str:
    """Return a memory size with its unit, to so many digits: "64 B", "512 KiB", "1.5 MiB"."""
    size = pages * page_bytes
    if 0 < size < 1024:
        return f"{size:.{digits}g} B"
    return f"{size / MIB:.{digits}g} MiB" if size >= MIB else f"{size / 1024:.{digits}g} KiB"


def size_bytes(text: str) -> int:
    """Return the bytes of "16M", "1.5 MiB", "512 KiB", "1G" or "4096"; units are powers of 1024.

    Raises:
        UserError: the text is not a size, or not a whole number of bytes.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    size = float(match[1]) * (1 << _POWERS[match[2].upper()]) if match else 0.5
    if not size.is_integer():
        raise UserError(
            f"{text!r} is not a memory size", remedy="write a number of bytes, or one with K, M, G or T: 16M"
        )
    return int(size)
