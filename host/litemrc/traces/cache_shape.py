# SPDX-License-Identifier: BSD-2-Clause
"""Geometry of a cache; `16k:4:32` means 16 KiB, 4 ways, lines of 32 bytes; `4k:1:32:wt` is write-through."""

import re
from dataclasses import dataclass

from litemrc.errors import UserError

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}
REMEDY = "write SIZE:WAYS:LINE, such as 16k:4:32, with powers of two; :wt at the end means write-through"


@dataclass(frozen=True)
class CacheShape:
    """A set-associative cache.

    Attributes
    ----------
    bytes
        capacity.
    ways
        lines per set.
    line_bytes
        bytes per line.
    write_through
        stores go on to the next level, and allocate no line where they miss.
    """

    bytes: int
    ways: int
    line_bytes: int
    write_through: bool = False

    @property
    def sets(self) -> int:
        return self.bytes // (self.ways * self.line_bytes)

    @classmethod
    def parse(cls, text: str) -> "CacheShape":
        """Parse SIZE:WAYS:LINE or SIZE:WAYS:LINE:wt.

        Raises
        ------
        UserError
            another form, or sets or lines that are not powers of two.
        """
        words = text.split(":")
        through = words[3:] == ["wt"]
        if len(words) != 3 + through:
            raise UserError(f"{text!r} is not a cache geometry", remedy=REMEDY)
        shape = cls(size_of(words[0]), size_of(words[1]), size_of(words[2]), through)
        whole = shape.sets * shape.ways * shape.line_bytes == shape.bytes
        if not whole or not _power_of_two(shape.sets) or not _power_of_two(shape.line_bytes):
            raise UserError(
                f"{text!r}: the number of sets and the line size must be powers of two", remedy=REMEDY
            )
        return shape

    def __str__(self) -> str:
        unit = next(unit for unit in ("m", "k", "") if self.bytes % _UNITS[unit] == 0)
        kind = ":wt" if self.write_through else ""
        return f"{self.bytes // _UNITS[unit]}{unit}:{self.ways}:{self.line_bytes}{kind}"


def size_of(text: str) -> int:
    """Parse a number of at least 1 with an optional suffix k or m (KiB, MiB).

    Raises
    ------
    UserError
        another form.
    """
    match = re.fullmatch(r"([0-9]{1,15})([km]?)", text.lower())
    if not match or not int(match[1]):
        raise UserError(f"{text!r} is not a size", remedy="write a number, with k or m for KiB or MiB")
    return int(match[1]) * _UNITS[match[2]]


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


# The processor of Zhou et al. 2004, section 5.2.
INSTRUCTIONS = CacheShape(16 << 10, 1, 32)
LEVELS = (CacheShape(16 << 10, 4, 32), CacheShape(256 << 10, 4, 64))
