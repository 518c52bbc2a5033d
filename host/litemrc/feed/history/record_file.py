"""Records in a file: each has a length and a CRC-32C, verified before anything else reads its bytes.

A record is `MAGIC`, the length of its content, the CRC-32C of its content and that of these 12 bytes, then
the content; numbers are 32 bits, little-endian. Behind damage, reading goes on at the next whole header.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import google_crc32c

MAGIC = b"\x9eLMR"
_HEADER = struct.Struct("<4sII")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _HEADER.size + _CRC.size


@dataclass(frozen=True)
class Record:
    """A record, or bytes that hold none.

    Attributes:
        begin, end: the first byte, and the one behind the last.
        content: None: the bytes hold no whole record.
        torn: these are the beginning of the record that was being written when the file ended.
    """

    begin: int
    end: int
    content: bytes | None
    torn: bool = False


def record(content: bytes) -> bytes:
    """Return a record with this content."""
    header = _HEADER.pack(MAGIC, len(content), google_crc32c.value(content))
    return header + _CRC.pack(google_crc32c.value(header)) + content


def records(file: bytes) -> Iterator[Record]:
    """Yield the records of a file, and the ranges between them that hold none."""
    place = 0
    while place < len(file):
        length = _length_at(file, place)
        begin, end = place + _HEADER_BYTES, place + _HEADER_BYTES + (length or 0)
        content = file[begin:end]
        if length == len(content) and google_crc32c.value(content) == _HEADER.unpack_from(file, place)[2]:
            yield Record(place, end, content)
            place = end
            continue
        following = _next_header(file, place + 1)
        torn = following is None and end > len(file) and (length is not None or _may_begin(file[place:]))
        end = len(file) if following is None else following
        yield Record(place, end, None, torn)
        place = end


def has_records(file: bytes) -> bool:
    """Return whether a header is whole anywhere in a file."""
    return _next_header(file, 0) is not None


def _length_at(file: bytes, place: int) -> int | None:
    """The length of the record there; None: no whole header."""
    header = file[place : place + _HEADER.size]
    check = file[place + _HEADER.size : place + _HEADER_BYTES]
    if not header.startswith(MAGIC) or len(check) < _CRC.size:
        return None
    if google_crc32c.value(header) != _CRC.unpack(check)[0]:
        return None
    return int(_HEADER.unpack(header)[1])


def _next_header(file: bytes, place: int) -> int | None:
    while (place := file.find(MAGIC, place)) >= 0:
        if _length_at(file, place) is not None:
            return place
        place += 1
    return None


def _may_begin(rest: bytes) -> bool:
    return len(rest) < _HEADER_BYTES and rest[: len(MAGIC)] == MAGIC[: len(rest)]
