# SPDX-License-Identifier: BSD-2-Clause
"""Text traces: one reference per line, in one of three forms, the same on all lines of a file.

    page
    time page r|w
    time page r|w context

Numbers are decimal, or hexadecimal with 0x. Empty lines and lines that begin with # are skipped, except
`# page_bytes N` before the first reference. The writer uses the number of the reference for missing times and
r for missing directions.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.lines import BLOCK_BYTES, Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.space_separated import DIRECTIONS, KEYWORD, flags, lines_of, read_columns
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import TraceWriter, WriteOptions, disorder, stored_size

_HEAD_BYTES = 64 << 10
_FORMS = {1: "page", 3: "time page r|w", 4: "time page r|w context"}
_COLUMNS = {
    "time": pa.uint64(),
    "page": pa.uint64(),
    "write": KEYWORD,
    "context": pa.uint32(),
}


class TextTrace(SourceTrace):
    """Reads text, many lines at once; a block with an unusual line is parsed line by line for its error."""

    format = "text"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source)
        self.stored_page_bytes = page_bytes_in(source)
        self._fields = 0
        self._time = 0

    def __iter__(self) -> Iterator[Chunk]:
        for block in blocks(self._source):
            if not self._fields:
                if not block.text.strip():
                    continue
                self._fields = _fields_of(block.text)
            chunk = self._parse_fast(block.text) or self._parse_lines(block)
            if len(chunk):
                if chunk.times is not None:
                    self._time = int(chunk.times[-1])
                yield chunk

    def _parse_fast(self, text: bytes) -> Chunk | None:
        """Return the chunk, or None if a line has an unusual form."""
        if self._fields not in _FORMS:
            return None
        names = ["page"] if self._fields == 1 else list(_COLUMNS)[: self._fields]
        column = read_columns(text, {name: _COLUMNS[name] for name in names})
        if column is None:
            return None
        times = column["time"].to_numpy() if "time" in column else None
        writes = flags(column["write"], DIRECTIONS) if "write" in column else None
        if "write" in column and writes is None:
            return None
        if times is not None and self._first_disorder(times, self._time) is not None:
            return None
        contexts = column["context"].to_numpy() if "context" in column else None
        return Chunk(column["page"].to_numpy(), writes, times, contexts)

    def _parse_lines(self, block: Block) -> Chunk:
        rows: list[tuple[int, ...]] = []
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            words = line.decode("ascii", "replace").split()
            if not words or words[0].startswith("#"):
                continue
            where = f"{self.name}, line {number}"
            if len(words) != self._fields or self._fields not in _FORMS:
                form = _FORMS.get(self._fields, " or ".join(_FORMS.values()))
                raise UserError(
                    f"{len(words)} words in a line of a trace of {form!r}",
                    where=where,
                    remedy=f"write {form!r} on each line, or name the format, such as --format perf or"
                    " lackey",
                )
            if self._fields == 1:
                rows.append((_number(words[0], "page", where),))
                continue
            if words[2] not in DIRECTIONS:
                raise UserError(f"{words[2][:40]!r} is not a direction", where=where, remedy="write r or w")
            time = _number(words[0], "time", where)
            if time < self._time and not self.sorts:
                raise disorder(time, self._time, where)
            self._time = time
            context = [_number(word, "context", where, bits=32) for word in words[3:]]
            rows.append((_number(words[1], "page", where), DIRECTIONS[words[2]], time, *context))
        types = ("u8", "?", "u8", "u4")
        columns = zip(*rows, strict=True) if rows else [()] * max(self._fields, 1)
        return Chunk(*(np.array(values, dtype=t) for values, t in zip(columns, types, strict=False)))


class TextWriter(TraceWriter):
    """Writes the shortest form that keeps all columns of the first chunk."""

    def __init__(self, sink: BinaryIO, options: WriteOptions) -> None:
        self._sink = sink
        sink.write(f"# page_bytes {options.page_bytes}\n".encode())
        self._written = 0

    def write(self, chunk: Chunk) -> None:
        count = len(chunk)
        columns: list[NDArray] = [chunk.pages]
        if not (chunk.times is None and chunk.writes is None and chunk.contexts is None):
            times = chunk.times
            if times is None:
                times = np.arange(self._written, self._written + count, dtype=np.uint64)
            writes = np.zeros(count, dtype=bool) if chunk.writes is None else chunk.writes
            columns = [times, chunk.pages, np.where(writes, "w", "r")]
            if chunk.contexts is not None:
                columns.append(chunk.contexts)
        self._sink.write(lines_of(columns))
        self._written += count

    def finish(self) -> None:
        pass


def page_bytes_in(source: ByteSource) -> int | None:
    """Return the page size in the comments at the beginning of a text; None without one.

    Raises
    ------
    UserError
        not a power of two.
    """
    for number, line in enumerate(bytes(source.peek(BLOCK_BYTES)[:_HEAD_BYTES]).split(b"\n"), 1):
        if found := re.fullmatch(rb"\s*#\s*page_bytes\s+(\S+)\s*", line):
            return stored_size(found[1].decode("ascii", "replace"), f"{source.name}, line {number}")
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    return None


def _fields_of(text: bytes) -> int:
    """Return the number of words in the first line with words; 0 without one."""
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
    return len(next(lines, b"").split())


def _number(word: str, what: str, where: str, bits: int = 64) -> int:
    if word.startswith("-") and word[1:].isdigit():
        raise UserError(f"{what} {word[:40]} is negative", where=where, remedy="give 0 or more")
    match = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,40})|([0-9]{1,40})", word)
    if not match:
        raise UserError(
            f"{word[:40]!r} is not a {what} number", where=where, remedy="write decimal or 0x digits"
        )
    value = int(match[1], 16) if match[1] else int(match[2])
    if value >= 1 << bits:
        raise UserError(
            f"{what} {word} does not fit into {bits} bits", where=where, remedy="use smaller numbers"
        )
    return value
