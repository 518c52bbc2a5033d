# SPDX-License-Identifier: BSD-2-Clause
"""A stream of Arrow record batches in a file of records: however its writer ended, what was appended is read.

The schema is repeated (before batches 0, 1, and every 64th), so that no single damage takes the rest with it.
A record is `MAGIC`, the length of its content, the CRC-32C of its content and that of these 12 bytes, then
the content; numbers are 32 bits, little-endian. Length and CRC-32C are verified before anything else reads
the bytes. Behind damage, reading goes on at the next whole header.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import google_crc32c
import pyarrow as pa

MAGIC = b"\x9eLMR"
_HEADER = struct.Struct("<4sII")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _HEADER.size + _CRC.size
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")
_SCHEMA_EVERY = 64  # batches
_FORMER_BEGINS = b"\xff\xff\xff\xff"  # an Arrow stream, without records


@dataclass(frozen=True)
class Record:
    """A record, or bytes that hold none.

    Attributes
    ----------
    begin, end
        the first byte, and the one behind the last.
    content
        None: the bytes hold no whole record.
    torn
        these are the beginning of the record that was being written when the file ended.
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


class OpenStream:
    """Appends batches to a new file; none waits in this process.

    Attributes
    ----------
    path
        of the file.
    size
        bytes written.

    Raises, from every method:
        OSError: the operating system refused the write; the file then ends in a part of a record.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.size = path, 0
        self._schema = schema.serialize().to_pybytes()
        self._batches = 0
        self._gathered = _Gathered()
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._gathered, mode="w"), schema, options=_COMPRESSED)
        self._file = path.open("xb", buffering=0)

    def append(self, batch: pa.RecordBatch) -> None:
        """Append a batch; when this returns, a kill of the process does not lose it."""
        self._writer.write_batch(batch)
        content = self._gathered.take()
        if self._batches == 0:  # the writer put the schema in front
            content = content[len(self._schema) :]
        content = record(content)
        if self._batches < 2 or self._batches % _SCHEMA_EVERY == 0:
            content = record(self._schema) + content
        self._batches += 1
        self.size += len(content)
        while content:  # a disk that becomes full takes a part, and refuses the rest
            content = content[self._file.write(content) :]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Gathered(io.RawIOBase):
    """What the writer writes in small parts."""

    def __init__(self) -> None:
        self._content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, part: "memoryview | bytes") -> int:  # type: ignore[override]
        self._content += part
        return len(part)

    def take(self) -> bytes:
        content = bytes(self._content)
        self._content.clear()
        return content


@dataclass(frozen=True)
class Damaged:
    """A damaged range of a stream.

    Attributes
    ----------
    begin, end
        its first byte, and the one behind its last.
    row
        the first row of the table that lies behind it.
    """

    begin: int
    end: int
    row: int


@dataclass(frozen=True)
class Stream:
    """What a file that `OpenStream` writes or wrote holds.

    Attributes
    ----------
    table
        the rows of all whole batches; None: no batch is whole.
    torn
        bytes of the batch that was being written when the file ended.
    damages
        in the order of the file.
    former
        the file is an Arrow stream without checksums, of a former version; nothing of it was read.
    """

    table: pa.Table | None
    torn: int = 0
    damages: tuple[Damaged, ...] = ()
    former: bool = False


def read_stream(path: Path) -> Stream:
    """Return what a stream holds; Arrow sees only bytes whose checksum is right.

    Raises
    ------
    OSError
        the file cannot be read.
    """
    content = path.read_bytes()
    if content.startswith(_FORMER_BEGINS) and not has_records(content):
        return Stream(None, former=True)
    found = list(records(content))
    messages = [each.content and _message(each.content) for each in found]
    schema = next((_schema(each) for each in messages if each and each.type == "schema"), None)
    batches: list[pa.RecordBatch] = []
    damages: list[Damaged] = []
    rows = behind = 0
    for part, message in zip(found, messages, strict=True):
        if message and message.type == "schema" and schema is not None:
            continue
        batch = _batch(message, schema) if message and schema else None
        if batch is not None:
            batches.append(batch)
            rows += len(batch)
            behind = part.end
        elif not part.torn:
            damages.append(Damaged(part.begin, part.end, rows))
            behind = part.end
    table = pa.Table.from_batches(batches) if batches else None
    return Stream(table, len(content) - behind, tuple(damages))


def _message(content: bytes) -> pa.ipc.Message | None:
    try:
        return pa.ipc.read_message(content)
    except pa.ArrowException:
        return None


def _schema(message: pa.ipc.Message) -> pa.Schema | None:
    try:
        return pa.ipc.read_schema(message)
    except pa.ArrowException:
        return None


def _batch(message: pa.ipc.Message, schema: pa.Schema) -> pa.RecordBatch | None:
    try:
        batch = pa.ipc.read_record_batch(message, schema)
        batch.validate(full=True)
    except (OSError, pa.ArrowException):
        return None
    return batch
