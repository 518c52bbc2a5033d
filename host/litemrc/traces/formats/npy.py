# SPDX-License-Identifier: BSD-2-Clause
"""NumPy's .npy: an array of page numbers, or a structured array with fields as the columns of a CSV trace.

The header (numpy.lib.format) states type and shape. Arrays of Python objects are refused: only unpickling
could read them.
"""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.byte_accesses import LARGEST_ACCESS, ByteAccesses
from litemrc.traces.formats.column_names import Column, places
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import BLOCK_BYTES, ByteSource, record_blocks
from litemrc.traces.trace import disorder

_LONGEST_HEADER = 1 << 16
_BITS = {"page": 64, "address": 64, "time": 64, "context": 32, "size": 32}


class NpyTrace(SourceTrace):
    """Reads an array in blocks; nothing is allocated by what the header states."""

    format = "npy"

    def __init__(self, source: ByteSource, columns: dict[str, Column]) -> None:
        super().__init__(source)
        self._dtype, self._count, self._skip = _header(source)
        if self._dtype.names:
            self._places = places(columns, self._dtype.names, self.name)
        elif set(columns) - {"page", "address"} or any(column.name for column in columns.values()):
            raise UserError(
                "the array has no fields", where=self.name, remedy="give --column address, or drop --column"
            )
        else:
            self._places = dict.fromkeys(columns or ("page",), 0)
        for role in self._places:
            self._check_type(role)

    def _check_type(self, role: str) -> None:
        kind = self._column_type(role)
        if kind.shape or kind.kind not in ("ui" if role != "write" else "uib"):
            raise UserError(
                f"the array's {role} has type {kind}",
                where=self.name,
                remedy="save whole numbers, such as array.astype('uint64'); booleans or 0 and 1 for write",
            )

    def _column_type(self, role: str) -> np.dtype[Any]:
        names = self._dtype.names
        return self._dtype[names[self._places[role]]] if names else self._dtype

    def __iter__(self) -> Iterator[Chunk]:
        previous = done = 0
        for _, records in record_blocks(self._source, self._dtype, self._skip):
            columns = {role: self._column(records, role, done) for role in self._places}
            times = columns.get("time")
            index = None if times is None else self._first_disorder(times, previous)
            if times is not None and index is not None:
                before = int(times[index - 1]) if index else previous
                raise disorder(int(times[index]), before, f"{self.name}, element {done + index}")
            done += records.size
            if done > self._count:
                break
            if times is not None and times.size:
                previous = int(times[-1])
            yield from self._chunks(columns, done)
        if done != self._count:
            more = "more" if done > self._count else f"only {done:,}"
            raise UserError(
                f"the header states {self._count:,} elements, the file has {more}",
                where=self.name,
                remedy="save the array again",
            )

    def _chunks(self, columns: dict[str, NDArray[Any]], done: int) -> Iterator[Chunk]:
        rest = columns.get("write"), columns.get("time"), columns.get("context")
        if "page" in columns:
            yield Chunk(columns["page"], *rest, columns.get("size"))
            return
        sizes = columns["size"].astype(np.uint64) if "size" in columns else None
        accesses = ByteAccesses(columns["address"], sizes, *rest)
        first, last = accesses.page_spans(self.page_bytes)
        self._state(int((last - first).sum()), f"{self.name}, before element {done}")
        yield from accesses.chunks(self.page_bytes)

    def _column(self, records: NDArray[Any], role: str, done: int) -> NDArray[Any]:
        names = self._dtype.names
        values = records[names[self._places[role]]] if names else records
        if role == "write":
            wrong = (values != 0) & (values != 1)
            limits = "0 or 1"
        else:
            least = 1 if role == "size" and "address" in self._places else 0
            most = min((1 << _BITS[role]) - 1, LARGEST_ACCESS if role == "size" else 1 << 64)
            # Compared in the array's own type, which may not hold the limit.
            wrong = values < least
            if most < np.iinfo(values.dtype).max:
                wrong = wrong | (values > most)
            limits = f"from {least} to {most}"
        if wrong.any():
            row = int(np.argmax(wrong))
            raise UserError(
                f"{role} {values[row]} must be {limits}",
                where=f"{self.name}, element {done + row}",
                remedy="correct the array",
            )
        kind = np.bool_ if role == "write" else np.uint32 if _BITS[role] == 32 else np.uint64
        return np.ascontiguousarray(values.astype(kind))


def _header(source: ByteSource) -> tuple[np.dtype[Any], int, int]:
    """Return the type of an element, their number, and the bytes of the header.

    Raises
    ------
    UserError
        no header of an array in one dimension, or one of Python objects.
    """
    remedy = "save it with numpy.save(FILE, pages), in one dimension"
    head = io.BytesIO(bytes(source.peek(BLOCK_BYTES)[:_LONGEST_HEADER]))
    try:
        version = npy.read_magic(head)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(head, max_header_size=_LONGEST_HEADER)
    except Exception as error:  # numpy tokenizes the header, and what that raises is not documented
        reason = " ".join(str(error).split())[:200]
        raise UserError(f"this is no .npy file: {reason}", where=source.name, remedy=remedy) from error
    if dtype.hasobject:
        raise UserError(
            "the array holds Python objects, which are not unpickled", where=source.name, remedy=remedy
        )
    if len(shape) != 1 or dtype.itemsize < 1 or shape[0] < 0:
        raise UserError(f"the array has shape {shape} of {dtype}"[:200], where=source.name, remedy=remedy)
    return dtype, int(shape[0]), head.tell()
