# SPDX-License-Identifier: BSD-2-Clause
"""IN and OUT records of pages in text form: first the interval length, then one record per line.

    interval 1000000 page_bytes 4096
    17 IN 4096
    17 OUT 4096

Source: Glass and Cao 1997, section 2.1. Time is divided into intervals of fixed length. A page that is
referenced in an interval but not in the previous one has an IN record with the time of its first reference
there. A page that is referenced in an interval but not in the next one has an OUT record with the time of its
last reference there. Records are in the order of these references, so they are sorted by time; the IN of a
reference precedes its OUT. (A page in use at the end of the program goes OUT with its last reference, as if
an empty interval followed.)

OPT evicts the IDLE page whose next IN is furthest in the future. That IN must be at least two intervals after
the current one, so that every ACTIVE page is certainly used before: this is the smallest memory for which the
records determine OPT's decisions. (The limit for LRU is found while reading; see `intervals.py`.)
"""

import re
from collections.abc import Iterator
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.formats.lines import BLOCK_BYTES, Block, blocks
from litemrc.traces.formats.space_separated import KEYWORD, flags, read_columns
from litemrc.traces.formats.streams import ByteSource, open_source
from litemrc.traces.trace import first_disorder, stored_size

REMEDY = "write 'interval LENGTH', then lines 'TIME IN PAGE' or 'TIME OUT PAGE', sorted by time"
_HEAD_BYTES = 4096
_DIGITS = 40  # more than a number of 64 bits has, even after zeros
_TYPES = {"time": pa.uint64(), "kind": KEYWORD, "page": pa.uint64()}
_NEVER = 1 << 192  # after all times by more than any interval


class Records(NamedTuple):
    """Consecutive records.

    Attributes
    ----------
    times, pages
        uint64[n].
    ins
        bool[n], true: IN, false: OUT.
    lines
        int64[n], line numbers.
    """

    times: NDArray[np.uint64]
    ins: NDArray[np.bool_]
    pages: NDArray[np.uint64]
    lines: NDArray[np.int64]


class RecordReader:
    """Reads the text form.

    Attributes
    ----------
    interval
        length of an interval; 0 if the file is empty.
    page_bytes
        size of a page; None: the file does not have it.

    Raises
    ------
    UserError
        no length in the first line.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.interval = 0
        self.page_bytes: int | None = None
        if first := bytes(source.peek(BLOCK_BYTES)[:_HEAD_BYTES]).partition(b"\n")[0]:
            self._head(first)

    def __iter__(self) -> Iterator[Records]:
        """Yield the records in blocks.

        Raises
        ------
        UserError
            an empty file, or a malformed or out-of-order record.
        """
        previous = 0
        for block in blocks(self._source):
            if block.first_line == 1:
                block = Block(block.text.partition(b"\n")[2], 2)
            records = _parse_fast(block) or self._parse_lines(block)
            if (index := first_disorder(records.times, previous)) is not None:
                before = int(records.times[index - 1]) if index else previous
                raise UserError(
                    f"time {records.times[index]} comes after time {before}",
                    where=f"{self._source.name}, line {records.lines[index]}",
                    remedy=REMEDY,
                )
            if records.times.size:
                previous = int(records.times[-1])
                yield records
        if not self.interval:
            raise UserError("the file is empty", where=self._source.name, remedy=REMEDY)

    def _head(self, line: bytes) -> None:
        where = f"{self._source.name}, line 1"
        head = re.fullmatch(rb"\s*interval\s+0*([1-9][0-9]{0,19})(?:\s+page_bytes\s+(\S+))?\s*", line)
        if not head:
            raise UserError("the interval length is missing", where=where, remedy=REMEDY)
        self.interval = int(head[1])
        self.page_bytes = stored_size(head[2].decode("ascii", "replace"), where) if head[2] else None

    def _parse_lines(self, block: Block) -> Records:
        rows = []
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            words = line.split()
            if not words:
                continue
            numbers = words[::2]
            if (
                len(words) != 3
                or words[1] not in (b"IN", b"OUT")
                or not all(w.isdigit() and len(w) <= _DIGITS for w in numbers)
            ):
                raise UserError(
                    f"{line.decode('ascii', 'replace')[:60]!r} is not a record",
                    where=f"{self._source.name}, line {number}",
                    remedy=REMEDY,
                )
            if max(int(word) for word in numbers) >= 1 << 64:
                raise UserError(
                    "a number does not fit into 64 bits",
                    where=f"{self._source.name}, line {number}",
                    remedy=REMEDY,
                )
            rows.append((int(words[0]), words[1] == b"IN", int(words[2]), number))
        columns = zip(*rows, strict=True) if rows else [()] * 4
        types = ("u8", "?", "u8", "i8")
        return Records._make(np.array(values, dtype=t) for values, t in zip(columns, types, strict=True))


def _parse_fast(block: Block) -> Records | None:
    """Return the records, or None if a line has an unusual form."""
    columns = read_columns(block.text, _TYPES, skip_empty=False)
    if columns is None or b"x" in block.text:
        return None
    ins = flags(columns["kind"], {"IN": True, "OUT": False})
    if ins is None:
        return None
    lines = np.arange(block.first_line, block.first_line + ins.size)
    return Records(columns["time"].to_numpy(), ins, columns["page"].to_numpy(), lines)


def smallest_opt_memory(path: str | Path) -> int:
    """Return the smallest memory, in pages, in which OPT finds a victim at every fault.

    All records are kept in memory.

    Raises
    ------
    UserError
        as in `RecordReader`.
    """
    records: list[tuple[int, bool, int]] = []
    source = open_source(path)
    try:
        reader = RecordReader(source)
        for part in reader:
            records += zip(part.times.tolist(), part.ins.tolist(), part.pages.tolist(), strict=True)
    finally:
        source.close()
    returns = _returns(records)
    # Larger memories also suffice: OPT has the inclusion property.
    too_small, enough = 0, max(len({page for _, _, page in records}), 1)
    while enough - too_small > 1:
        memory = (too_small + enough) // 2
        if _finds_victims(records, returns, reader.interval, memory):
            enough = memory
        else:
            too_small = memory
    return enough


def _returns(records: list[tuple[int, bool, int]]) -> list[int]:
    """Return for each record the time of its page's next IN."""
    following: dict[int, int] = {}
    returns = [_NEVER] * len(records)
    for index in range(len(records) - 1, -1, -1):
        time, is_in, page = records[index]
        returns[index] = following.get(page, _NEVER)
        if is_in:
            following[page] = time
    return returns


def _finds_victims(
    records: list[tuple[int, bool, int]], returns: list[int], interval: int, memory: int
) -> bool:
    resident: set[int] = set()
    idle: dict[int, int] = {}  # IDLE pages, resident or not, and their next IN
    furthest: list[tuple[int, int]] = []  # heap of (-next IN, page); it may hold pages that came IN since
    for (time, is_in, page), back in zip(records, returns, strict=True):
        if not is_in:
            idle[page] = back
            heappush(furthest, (-back, page))
            continue
        idle.pop(page, None)
        if page not in resident and len(resident) == memory:
            while furthest and not _still_idle(furthest[0], idle, resident):
                heappop(furthest)
            if not furthest or -furthest[0][0] // interval < time // interval + 2:
                return False
            resident.remove(heappop(furthest)[1])
        resident.add(page)
    return True


def _still_idle(entry: tuple[int, int], idle: dict[int, int], resident: set[int]) -> bool:
    return entry[1] in resident and idle.get(entry[1]) == -entry[0]
