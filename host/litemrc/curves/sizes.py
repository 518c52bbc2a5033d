# SPDX-License-Identifier: BSD-2-Clause
"""Memory sizes as people write them, "16M" or "512 KiB"; everything else counts in pages."""

import re
from dataclasses import dataclass, field

from litemrc.errors import UserError

MIB = 1 << 20
PAGE_BYTES = 4096
EPSILON = 0.01  # a miss ratio this much above the minimum is as good: one more miss in 100 accesses
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_MOST_PAGES = 1 << 53
_POWERS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def size_text(pages: float, page_bytes: int, digits: int = 4) -> str:
    """Return a memory size in the largest unit that it reaches: "64 B", "1.5 MiB", "16 GiB".

    `digits` are significant digits; those before the point are never rounded away. The page of
    `litemrc serve` has the same rules (serve/page/format.js).
    """
    size, unit = pages * page_bytes, 0
    while unit < len(_UNITS) - 1 and abs(_rounded(size, digits)) >= 1024:
        size, unit = size / 1024, unit + 1
    return f"{_rounded(size, digits):.15g} {_UNITS[unit]}"


def size_unit(most_bytes: float) -> tuple[str, int]:
    """Return the unit of an axis that reaches to `most_bytes`, and its bytes: at least two of the unit."""
    power = max(0, min(int(most_bytes / 2).bit_length() - 1, 40)) // 10 if most_bytes >= 2 else 0
    return _UNITS[power], 1 << 10 * power


def _rounded(size: float, digits: int) -> float:
    whole = len(str(int(abs(size))))
    return round(size, max(digits - whole, 0)) if whole > 1 or abs(size) >= 1 else float(f"{size:.{digits}g}")


def is_page_size(size: int) -> bool:
    """Return whether pages may have n bytes: a power of two, at most 128 TiB."""
    return 1 <= size <= 1 << 47 and not size & (size - 1)


def size_bytes(text: str) -> int:
    """Return the bytes of "16M", "1.5 MiB", "512 KiB", "1G" or "4096"; units are powers of 1024.

    Raises
    ------
    UserError
        the text is not a size, or not a whole number of bytes.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    size = float(match[1]) * (1 << _POWERS[match[2].upper()]) if match else 0.5
    if not size.is_integer():
        raise UserError(
            f"{text!r} is not a memory size", remedy="write a number of bytes, or one with K, M, G or T: 16M"
        )
    return int(size)


@dataclass(frozen=True)
class MemorySize:
    """A size whose page size may become known later.

    Attributes
    ----------
    text
        as the user wrote it.
    number
        of pages, or of bytes if `in_bytes`.
    """

    text: str = field(compare=False)
    number: int
    in_bytes: bool

    @classmethod
    def of(cls, size: int | str, where: str = "") -> "MemorySize":
        """Return pages, such as 4096, or bytes with a unit, such as "16M" or "512k"; at least 1.

        Raises
        ------
        UserError
            something else.
        """
        text = str(size)
        if text.isascii() and text.isdigit():
            found = cls(text, int(text), in_bytes=False)
        else:
            try:
                found = cls(text, size_bytes(text), in_bytes=True)
            except UserError:
                found = cls(text, 0, in_bytes=True)
        if not 0 < found.number < _MOST_PAGES:
            raise UserError(
                f"must be a number of pages, or bytes with a unit, such as 4096 or 16M (got {text!r})",
                where=where,
            )
        return found

    def pages(self, page_bytes: int, option: str = "--memory") -> int:
        """Return the size in pages.

        Raises
        ------
        UserError
            not a whole number of pages, or none.
        """
        if not self.in_bytes:
            return self.number
        pages, rest = divmod(self.number, page_bytes)
        if rest or not pages:
            raise UserError(
                f"{self.text} is not a whole number of pages of {page_bytes} bytes",
                where=option,
                remedy=f"give a multiple of {page_bytes} bytes, or a number of pages",
            )
        return pages
