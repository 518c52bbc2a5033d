# SPDX-License-Identifier: BSD-2-Clause
"""Cuts text files into blocks of whole lines, for formats that parse many lines at once."""

from collections.abc import Iterator
from typing import NamedTuple

from litemrc.errors import UserError
from litemrc.traces.formats.streams import ByteSource

BLOCK_BYTES = 4 << 20
LONGEST_LINE = 64 << 10


class Block(NamedTuple):
    """Whole lines; the last one may lack its newline.

    Attributes
    ----------
    text
        the bytes.
    first_line
        line number of the first line, from 1.
    """

    text: bytes
    first_line: int


def blocks(source: ByteSource, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield a stream in blocks of about `block_bytes`.

    Raises
    ------
    UserError
        no text: a zero byte, or a line longer than `LONGEST_LINE` bytes.
    """
    rest, line = b"", 1
    while True:
        fresh = source.read(block_bytes)
        if not fresh:
            break
        text = rest + fresh
        cut = text.rfind(b"\n") + 1
        block, rest = text[:cut], text[cut:]
        if b"\0" in block or b"\0" in rest or len(rest) > LONGEST_LINE:
            raise UserError(
                "not a text file",
                where=f"{source.name}, after line {line}",
                remedy="give the format with --format",
            )
        if block:
            yield Block(block, line)
            line += block.count(b"\n")
    if rest:
        yield Block(rest, line)
