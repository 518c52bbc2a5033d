"""Text files in blocks of whole lines, for the formats that parse many lines at once."""

from collections.abc import Iterator
from typing import NamedTuple

from litemrc.errors import UserError
from litemrc.traces.formats.streams import ByteSource

BLOCK_BYTES = 4 << 20
LONGEST_LINE = 64 << 10


class Block(NamedTuple):
    """Whole lines, the last of which may lack its newline.

    Attributes:
        text: the bytes.
        first_line: number of its first line in the file, counted from 1.
    """

    text: bytes
    first_line: int


def blocks(source: ByteSource, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """Cut a stream into blocks of about `block_bytes`.

    Raises:
        UserError: not text: a zero byte, or a line longer than `LONGEST_LINE` bytes.
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
                remedy="name the format, with --format",
            )
        if block:
            yield Block(block, line)
            line += block.count(b"\n")
    if rest:
        yield Block(rest, line)
