# SPDX-License-Identifier: BSD-2-Clause
"""How many bytes the record batches of an Arrow stream or file expand to, read from their headers alone.

Each compressed buffer states its length before it is expanded, and pyarrow believes it. A header is a table
of FlatBuffers, of which a few fields are needed; the layout is that of the Arrow columnar format, "IPC
messages" (Message.fbs), and of FlatBuffers' "Internals".
"""

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

MAGIC = b"ARROW1\0\0"
_CONTINUATION = b"\xff" * 4
_MOST_HEADER = 1 << 28
_DICTIONARY, _BATCH = 2, 3


def expanded_sizes(file: BinaryIO) -> Iterator[int]:
    """Yield the bytes of each message's buffers, expanded, from the start of a file that can seek.

    Raises
    ------
    ValueError
        a header is damaged. A file that ends too early ends the iteration: pyarrow says where.
    """
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        file.seek(0)
    try:
        while sizes := _next(file):
            yield sum(sizes[1:])
    except (struct.error, IndexError, OverflowError) as error:
        raise ValueError("a header of a message is damaged") from error


def _next(file: BinaryIO) -> list[int]:
    """Return 0 and the sizes of a message's buffers; empty at the end of the messages."""
    start = file.read(8)
    if start[:4] != _CONTINUATION:  # former versions have none
        file.seek(-len(start[4:]), os.SEEK_CUR)
        start = _CONTINUATION + start[:4]
    length = _number("<I", start, 4) if len(start) == 8 else 0
    header = file.read(length) if length < _MOST_HEADER else b""
    if not header or len(header) < length:
        return []
    body = file.tell()
    message = _Table(header, _number("<I", header))
    kind, body_bytes = message.number(1, "<B"), message.number(3, "<q")
    sizes = [0]
    if kind in (_DICTIONARY, _BATCH):
        batch = message.table(2)
        batch = batch.table(1) if kind == _DICTIONARY else batch
        compressed = batch.place(3) is not None
        for offset, stored in batch.pairs(2):
            if offset < 0 or stored < 0:
                raise IndexError(offset)
            size = stored
            if compressed and stored:
                file.seek(body + offset)
                size = _number("<q", file.read(8))
            sizes.append(stored if size < 0 else size)  # -1: this one is not compressed
    if body_bytes < 0:  # it would be read again and again
        raise IndexError(body_bytes)
    file.seek(body + body_bytes)
    return sizes


def _number(form: str, data: bytes, at: int = 0) -> int:
    (number,) = struct.unpack_from(form, data, at)
    return int(number)


class _Table:
    """A table of FlatBuffers at a place of a header; its fields are found by their numbers."""

    def __init__(self, header: bytes, at: int) -> None:
        self._header, self._at = header, at
        self._fields = at - _number("<i", header, at)

    def place(self, field: int) -> int | None:
        if 4 + 2 * field >= _number("<H", self._header, self._fields):
            return None
        offset = _number("<H", self._header, self._fields + 4 + 2 * field)
        return self._at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        at = self.place(field)
        return 0 if at is None else _number(form, self._header, at)

    def _target(self, field: int) -> int:
        at = self.place(field)
        if at is None:
            raise IndexError(field)
        return at + _number("<I", self._header, at)

    def table(self, field: int) -> "_Table":
        return _Table(self._header, self._target(field))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the elements of a vector of structs of two 64-bit numbers."""
        at = self._target(field)
        count = _number("<I", self._header, at)
        yield from struct.iter_unpack("<qq", self._header[at + 4 : at + 4 + 16 * count])
