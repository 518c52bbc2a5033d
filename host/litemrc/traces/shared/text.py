# SPDX-License-Identifier: BSD-2-Clause
"""Text traces of shared memory: `time processor page word r|w`, one reference per line.

Numbers are decimal. Empty lines and lines that begin with # are skipped, except `# page_bytes N` before the
first reference, which sets the page size; the default is 1,024 bytes.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from litemrc.errors import UserError
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.space_separated import DIRECTIONS, KEYWORD, flags, lines_of, read_columns
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.shared.chunk import (
    MOST_PROCESSORS,
    PAGE_BYTES,
    SharedChunk,
    SharedTrace,
    joined,
    parted,
    words_of_page,
)
from litemrc.traces.trace import first_disorder

FORM = "time processor page word r|w"
_NUMBERS = ("time", "processor", "page", "word")
_COLUMNS = {name: pa.uint64() for name in _NUMBERS} | {"write": KEYWORD}


class SharedTextTrace(SharedTrace):
    """Reads text, many lines at once; a block with an unusual line is parsed line by line for its error."""

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source.name)
        self._source = source
        self._time = 0
        self._blocks = blocks(source)
        self._first = next(self._blocks, None)
        if self._first:
            self._read_head(self._first.text)

    def __iter__(self) -> Iterator[SharedChunk]:
        for block in chain([self._first] if self._first else [], self._blocks):
            chunk = self._parse_fast(block.text) or self._parse_lines(block)
            if len(chunk):
                self._time = int(chunk.times[-1])
                yield chunk

    @property
    def fraction(self) -> float | None:
        return self._source.fraction

    def close(self) -> None:
        self._source.close()

    def _read_head(self, text: bytes) -> None:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith(b"#"):
                return
            size = re.fullmatch(rb"#\s*page_bytes\s+(\S+)\s*", line)
            if size:
                page_bytes = size[1].decode("ascii", "replace")
                self.page_bytes = 4 * words_of_page(page_bytes, f"{self.name}, line {number}")
            origin = re.fullmatch(rb"#\s*origin\s+(.*)", line)
            if origin:
                self.origin = origin[1].decode("utf-8", "replace").strip()

    @property
    def _page_words(self) -> int:
        return words_of_page(self.page_bytes, self.name)

    def _parse_fast(self, text: bytes) -> SharedChunk | None:
        """Return the chunk, or None if a line has an unusual form."""
        while text.startswith(b"#"):
            text = text.partition(b"\n")[2]
        column = read_columns(text, _COLUMNS)
        writes = None if column is None else flags(column["write"], DIRECTIONS)
        if column is None or writes is None:
            return None
        times, processors, pages, words = (column[name].to_numpy() for name in _NUMBERS)
        page_words = self._page_words
        if (
            first_disorder(times, self._time) is not None
            or (words >= page_words).any()
            or (processors >= MOST_PROCESSORS).any()
            or (pages >= (1 << 64) // page_words).any()
        ):
            return None
        return SharedChunk(joined(pages, words, page_words), processors.astype(np.uint16), writes, times)

    def _parse_lines(self, block: Block) -> SharedChunk:
        page_words = self._page_words
        rows: list[tuple[int, int, bool, int]] = []
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            fields = line.decode("ascii", "replace").split()
            if not fields or fields[0].startswith("#"):
                continue
            where = f"{self.name}, line {number}"
            if len(fields) != len(_COLUMNS):
                raise UserError(
                    f"{len(fields)} words in a line", where=where, remedy=f"write {FORM!r} on each line"
                )
            limits = {"processor": MOST_PROCESSORS, "page": (1 << 64) // page_words, "word": page_words}
            values = {}
            for name, text in zip(_NUMBERS, fields, strict=False):
                limit = limits.get(name, 1 << 64)
                if not text.isascii() or not text.isdigit() or int(text) >= limit:
                    raise UserError(
                        f"the {name} {text!r} is not valid",
                        where=where,
                        remedy=f"give a number from 0 to {limit - 1}",
                    )
                values[name] = int(text)
            if fields[4] not in DIRECTIONS:
                raise UserError(f"{fields[4]!r} is not a direction", where=where, remedy="write r or w")
            if values["time"] < self._time:
                raise UserError(
                    f"time {values['time']} comes after time {self._time}",
                    where=where,
                    remedy="sort the trace by time",
                )
            self._time = values["time"]
            address = values["page"] * page_words + values["word"]
            rows.append((address, values["processor"], DIRECTIONS[fields[4]], values["time"]))
        columns = zip(*rows, strict=True) if rows else [()] * 4
        types = ("u8", "u2", "?", "u8")
        return SharedChunk(*(np.array(list(c), dtype=t) for c, t in zip(columns, types, strict=True)))


class SharedTextWriter:
    """Writes text with pages of `page_bytes`."""

    def __init__(self, sink: BinaryIO, page_bytes: int = PAGE_BYTES, origin: str = "") -> None:
        self._sink, self._page_words = sink, words_of_page(page_bytes, "the trace to write")
        head = f"# page_bytes {page_bytes}\n"
        sink.write((head + (f"# origin {origin}\n" if origin else "")).encode())

    def write(self, chunk: SharedChunk) -> None:
        pages, words = parted(chunk.words, self._page_words)
        directions = np.where(chunk.writes, "w", "r")
        columns = (chunk.times, chunk.processors, pages, words, directions)
        self._sink.write(lines_of(columns))

    def finish(self) -> None:
        """Do nothing; the format has no end mark."""

    def close(self) -> None:
        """Do nothing; the caller closes the sink."""
