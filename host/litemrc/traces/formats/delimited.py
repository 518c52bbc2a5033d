# SPDX-License-Identifier: BSD-2-Clause
"""CSV traces, and text traces of byte addresses or of columns in any order.

CSV: one reference per line, columns separated by commas, semicolons or tabs, their names in the first line.
The columns are recognised by `column_names.ROLES`, or named with `--column`: page or address, and
time, write (r, w, read, write, load, store, 0, 1 ...), context, size. Others are ignored. With `address`,
size is the length of the access, which references all pages that it touches; with `page`, that of the object.
Pages may be names of objects, any words: `page=NAME:word` says so, or a word in the first line. Each is
hashed to 64 bits (BLAKE2b).

Text: words separated by blanks; `--column address` for addresses in place of pages, `--column
address=2,size=3` for columns by number. Times with decimals are multiplied by 10^9.
"""

import csv
import re
from collections.abc import Generator, Iterator, Mapping
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.byte_accesses import LARGEST_ACCESS, ByteAccesses
from litemrc.traces.formats.column_names import Column, are_numbers, places
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.space_separated import KEYWORD, flags
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import disorder

_READS = ("r", "rd", "read", "load", "l", "get", "gets", "0", "false", "rest.get.object", "rest.head.object")
_WRITES = (
    *("w", "wr", "write", "store", "s", "set", "put", "1", "true"),
    *("add", "cas", "replace", "append", "prepend", "delete", "incr", "decr"),  # Twitter's cache traces
    *("rest.put.object", "rest.copy.object", "rest.delete.object"),  # IBM's object store traces
)
DIRECTIONS = {
    form(word): word in _WRITES for word in _READS + _WRITES for form in (str, str.upper, str.title)
}
_TYPES = {
    "page": pa.uint64(),
    "address": pa.uint64(),
    "write": KEYWORD,
    "context": pa.uint32(),
    "size": pa.uint32(),
}
_ARRAYS = {"page": "u8", "address": "u8", "time": "u8", "write": "?", "context": "u4", "size": "u4"}
_DECIMALS = 9
_TIME = pa.decimal128(38, _DECIMALS)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[-+]?[0-9][-+.0-9]*")  # or an attempt at one
_COMMENT = re.compile(rb"^[ \t]*#.*\n?", re.MULTILINE)
_BLANKS = re.compile(rb"(?<=\S)[ \t\r]+(?=\S)")
_EDGES = re.compile(rb"^[ \t]+|(?<=\S)[ \t\r]+$", re.MULTILINE)


class DelimitedTrace(SourceTrace):
    """Reads columns, many lines at once; a block with an unusual line is parsed line by line for its error.

    Parameters
    ----------
    columns
        the column of each role that was named.
    is_csv
        CSV; otherwise words separated by blanks.

    Attributes
    ----------
    largest_access
        bytes that one may have.
    """

    largest_access = LARGEST_ACCESS

    def __init__(self, source: ByteSource, columns: Mapping[str, Column], *, is_csv: bool) -> None:
        super().__init__(source)
        self.format = "csv" if is_csv else "text"
        self._given = dict(columns)
        self._is_csv = is_csv
        self._delimiter = ","
        self._count = 0  # columns of a line
        self._places: dict[str, int] = {}
        self._decimal = False  # times have decimals
        self._words = False  # pages are words
        self._is_bytes = False  # addresses, and sizes of accesses
        self._time = 0

    def __iter__(self) -> Generator[Chunk, None, None]:
        for block in blocks(self._source):
            if not block.text.strip():
                continue
            if not self._count:
                block = self._begin(block)
            if not self._count or not block.text.strip():
                continue
            values = self._parse_fast(block.text)
            if values is None:
                values = self._parse_lines(block)
            if len(next(iter(values.values()))):
                if "time" in values:
                    self._time = int(values["time"][-1])
                yield from self._chunks(values, block)
        if self._words:
            self.notes.append("the pages are words: each is hashed to a number of 64 bits")
        if self._decimal:
            self.notes.append(
                "times have decimals and are multiplied by 10^9: nanoseconds if they are seconds"
            )

    def _chunks(self, values: dict[str, NDArray[Any]], block: Block) -> Iterator[Chunk]:
        rest = values.get("write"), values.get("time"), values.get("context")
        if "page" in values:
            yield Chunk(values["page"], *rest, values.get("size"))
            return
        accesses = ByteAccesses(values["address"], values.get("size"), *rest)
        first, last = accesses.page_spans(self.page_bytes)
        self._state(int((last - first).sum()), f"{self.name}, after line {block.first_line}")
        yield from accesses.chunks(self.page_bytes)

    def _begin(self, block: Block) -> Block:
        """Find the columns in the first line; return the block without the header."""
        for index, line in enumerate(block.text.splitlines(keepends=True)):
            if not line.strip() or line.lstrip().startswith(b"#"):
                continue
            text = line.decode("utf-8-sig", "replace").strip()
            where = f"{self.name}, line {block.first_line + index}"
            if self._is_csv:
                self._delimiter = max(",;\t", key=text.count)
            first = self._fields(text)
            self._count = len(first)
            named = self._is_csv and not are_numbers(self._given)
            self._places = places(self._given, first if named else len(first), where)
            self._is_bytes = "address" in self._places
            following = block.text.splitlines(keepends=True)[index + named :]
            sample = self._fields(following[0].decode("utf-8", "replace")) if following else []
            time = self._places.get("time", len(sample))
            self._decimal = len(sample) > time and "." in sample[time]
            page = self._places.get("page", len(sample))
            given = self._given.get("page", Column())
            known = given.is_hex or given.is_word or len(sample) <= page
            self._words = given.is_word or (not known and not _NUMBER.fullmatch(sample[page].strip()))
            return Block(b"".join(following), block.first_line + index + named)
        return block

    def _fields(self, line: str) -> list[str]:
        if not self._is_csv:
            return line.split()
        try:
            return next(csv.reader([line], delimiter=self._delimiter, skipinitialspace=True), [])
        except csv.Error as error:
            raise UserError(
                f"a line is no CSV: {error}", where=self.name, remedy="give the format with --format"
            ) from error

    def _parse_fast(self, text: bytes) -> dict[str, NDArray[Any]] | None:
        """Return the columns by role, or None if a line has an unusual form."""
        if b"#" in text:
            text = _COMMENT.sub(b"", text)
        if not self._is_csv:
            text = _EDGES.sub(b"", _BLANKS.sub(b" ", text))
        columns = self._read(text, self._count)
        if columns is None and self._may_vary:
            needed = max(self._places.values()) + 1
            columns = self._read(re.sub(rb"(?m)^((?:\S+ ){%d}\S+) .*$" % (needed - 1), rb"\1", text), needed)
        if columns is None:
            return None
        values: dict[str, NDArray[Any]] = {}
        for role, column in columns.items():
            if role == "write":
                array: Any = flags(column, DIRECTIONS)
            elif role == "time" and self._decimal:
                array = _scaled(column)
            elif role == "page" and self._words:
                array = _hashed(column)
            else:
                array = _numbers(column, role)
            if array is None:
                return None
            values[role] = array
        if "time" in values and self._first_disorder(values["time"], self._time) is not None:
            return None
        if "address" in values and "size" in values:
            sizes = values["size"]
            if sizes.size and not (sizes.min() >= 1 and sizes.max() <= self.largest_access):
                return None
        return values

    @property
    def _may_vary(self) -> bool:
        """Whether lines may have more columns, or fewer, behind the last one that was named by its number."""
        return not self._is_csv and bool(self._given)

    def _read(self, text: bytes, count: int) -> dict[str, pa.Array] | None:
        from pyarrow import csv as arrow_csv

        types: dict[str, pa.DataType] = {}
        for role, place in self._places.items():
            kind = _TYPES[role] if role != "time" else _TIME if self._decimal else pa.uint64()
            if role == "size" and self._is_bytes:
                kind = pa.uint64()
            types[str(place)] = pa.string() if self._is_hex(role) else kind
            if role == "page" and self._words:
                types[str(place)] = pa.dictionary(pa.int32(), pa.binary())
        try:
            table = arrow_csv.read_csv(
                pa.py_buffer(text),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False,
                    column_names=[str(place) for place in range(count)],
                    block_size=len(text) + 1,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self._delimiter if self._is_csv else " ",
                    quote_char='"' if self._is_csv else False,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=types, include_columns=list(types), null_values=[]
                ),
            )
        except pa.ArrowInvalid:
            return None
        return {role: table[str(place)].combine_chunks() for role, place in self._places.items()}

    def _is_hex(self, role: str) -> bool:
        return role in self._given and self._given[role].is_hex

    def _parse_lines(self, block: Block) -> dict[str, NDArray[Any]]:
        rows: dict[str, list[int]] = {role: [] for role in self._places}
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            text = line.decode("utf-8", "replace").strip()
            if not text or text.startswith("#"):
                continue
            where = f"{self.name}, line {number}"
            fields = self._fields(text)
            needed = max(self._places.values()) + 1 if self._may_vary else self._count
            if len(fields) < needed or (len(fields) > needed and not self._may_vary):
                raise UserError(
                    f"{len(fields)} columns in a line of a trace of {needed}",
                    where=where,
                    remedy="write the same columns on each line",
                )
            for role, place in self._places.items():
                rows[role].append(self._value(role, fields[place].strip(), where))
            if "time" in rows:
                time = rows["time"][-1]
                if time < self._time and not self.sorts:
                    raise disorder(time, self._time, where)
                self._time = time
        return {role: np.array(values, dtype=self._type(role)) for role, values in rows.items()}

    def _type(self, role: str) -> str:
        return "u8" if role == "size" and self._is_bytes else _ARRAYS[role]

    def _value(self, role: str, word: str, where: str) -> int:
        where += f", column {self._places[role] + 1}"  # counted from 1, as by --column
        if role == "write":
            if word not in DIRECTIONS:
                raise UserError(
                    f"{word[:40]!r} is not a direction", where=where, remedy="write r or w, or read or write"
                )
            return DIRECTIONS[word]
        if role == "page" and self._words:
            return _hash(word.encode())
        is_decimal = role == "time" and self._decimal
        value = _scaled_word(word) if is_decimal else _whole(word, self._is_hex(role))
        most = (1 << 8 * np.dtype(self._type(role)).itemsize) - 1
        least = 0
        if role == "size" and "address" in self._places:
            least, most = 1, self.largest_access
        if value is None or not least <= value <= most:
            raise UserError(
                f"the {role} {word[:40]!r} is not a number from {least} to {most}",
                where=where,
                remedy="correct the line; hexadecimal numbers need 0x, or :hex in --column"
                + (", and names of objects :word" if role == "page" else ""),
            )
        return value


def _hash(word: bytes) -> int:
    return int.from_bytes(blake2b(word, digest_size=8).digest(), "little")


def _hashed(column: pa.Array) -> NDArray[np.uint64]:
    """Return the number of each word of a dictionary column."""
    words = np.array([_hash(word.strip()) for word in column.dictionary.to_pylist()], dtype=np.uint64)
    return words[column.indices.to_numpy()]


def _numbers(column: pa.Array, role: str) -> NDArray[Any] | None:
    if column.type == pa.string():  # hexadecimal
        try:
            column = pc.binary_join_element_wise(pa.scalar("0x"), column, pa.scalar("")).cast(
                _TYPES.get(role, pa.uint64())
            )
        except pa.ArrowInvalid:
            return None
    array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return array


def _scaled(column: pa.Array) -> NDArray[np.uint64] | None:
    """Return the times in units of 10^-9; None if one is negative or does not fit."""
    words = np.frombuffer(column.buffers()[1], dtype="<i8").reshape(-1, 2)  # low and high halves
    words = words[column.offset : column.offset + len(column)]
    if words[:, 1].any():
        return None
    return np.ascontiguousarray(words[:, 0]).view(np.uint64)


def _scaled_word(word: str) -> int | None:
    if not re.fullmatch(r"\d{1,20}(\.\d{0,9}0*)?", word):
        return None
    return int(Decimal(word).scaleb(_DECIMALS))


def _whole(word: str, is_hex: bool) -> int | None:
    match = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,40})|([0-9]{1,30})", word)
    if is_hex:
        match = re.fullmatch(r"(?:0[xX])?([0-9a-fA-F]{1,40})()", word)
    if not match:
        return None
    return int(match[1], 16) if match[1] else int(match[2])
