"""Sizes of a cache, and how people write them: `16k:4:32` is 16 KiB, 4 ways, lines of 32 bytes."""

import re
from dataclasses import dataclass

from litemrc.errors import UserError

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}
REMEDY = "write SIZE:WAYS:LINE, such as 16k:4:32, with powers of two"


@dataclass(frozen=True)
class CacheShape:
    """A set-associative cache.

    Attributes:
        bytes: capacity; ways: lines in a set; line_bytes: bytes in a line.
    """

    bytes: int
    ways: int
    line_bytes: int

    @property
    def sets(self) -> int:
        return self.bytes // (self.ways * self.line_bytes)

    @classmethod
    def parse(cls, text: str) -> "CacheShape":
        """Raises UserError for anything but SIZE:WAYS:LINE of which sets and lines are powers of two."""
        words = text.split(":")
        if len(words) != 3:
            raise UserError(f"{text!r} is no cache", remedy=REMEDY)
        shape = cls(size_of(words[0]), size_of(words[1]), size_of(words[2]))
        whole = shape.sets * shape.ways * shape.line_bytes == shape.bytes
        if not whole or not _power_of_two(shape.sets) or not _power_of_two(shape.line_bytes):
            raise UserError(f"{text!r}: sets and bytes of a line must be powers of two", remedy=REMEDY)
        return shape

    def __str__(self) -> str:
        unit = next(unit for unit in ("m", "k", "") if self.bytes % _UNITS[unit] == 0)
        return f"{self.bytes // _UNITS[unit]}{unit}:{self.ways}:{self.line_bytes}"


def size_of(text: str) -> int:
    """A number of at least 1 with k (1024) or m behind it.

    Raises:
        UserError: it is none.
    """
    match = re.fullmatch(r"([0-9]{1,15})([km]?)", text.lower())
    if not match or not int(match[1]):
        raise UserError(f"{text!r} is no size", remedy="write a number, with k or m for KiB or MiB")
    return int(match[1]) * _UNITS[match[2]]


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
