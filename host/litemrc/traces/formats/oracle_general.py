# SPDX-License-Identifier: BSD-2-Clause
"""libCacheSim's oracleGeneral: packed little-endian records of 24 bytes, one per reference.

    uint32 clock_time, uint64 obj_id, uint32 obj_size, int64 next_access_vtime

The object is the page; its size matters to curves by bytes. Objects of one size, a power of two of at least
512, are pages of that size, as the writer stores them. `next_access_vtime` is the number of the next
reference to the same page, counted from 1; -1: there is none (like libCacheSim's traceConv). The format has
no directions and contexts; the writer leaves them out.
"""

import tempfile
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import TraceWriter, WriteOptions, disorder

RECORD = np.dtype([("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")])


_BLOCK_BYTES = CHUNK_REFERENCES * RECORD.itemsize
_SMALLEST_PAGE = 512


class OracleGeneralTrace(SourceTrace):
    """Reads times, pages and sizes."""

    format = "oracleGeneral"

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source)
        head = source.peek(_BLOCK_BYTES)
        sizes = np.frombuffer(head, dtype=RECORD, count=head.nbytes // RECORD.itemsize)["size"]
        self._smallest, self._largest = 1 << 32, 0
        if sizes.size:
            size = int(sizes[0])
            if size >= _SMALLEST_PAGE and size & (size - 1) == 0 and bool((sizes == size).all()):
                self.stored_page_bytes = size

    def __iter__(self) -> Iterator[Chunk]:
        previous = 0
        while True:
            begin = self._source.offset
            data = self._source.read(_BLOCK_BYTES)
            whole = data.nbytes // RECORD.itemsize
            records = np.frombuffer(data, dtype=RECORD, count=whole)
            if whole:
                times = records["time"].astype(np.uint64)
                if (index := self._first_disorder(times, previous)) is not None:
                    before = int(times[index - 1]) if index else previous
                    where = self._source.where(begin + index * RECORD.itemsize)
                    raise disorder(int(times[index]), before, where)
                previous = int(times[-1])
                self._smallest = min(self._smallest, int(records["size"].min()))
                self._largest = max(self._largest, int(records["size"].max()))
                yield Chunk(
                    np.ascontiguousarray(records["page"], dtype=np.uint64),
                    times=times,
                    sizes=np.ascontiguousarray(records["size"], dtype=np.uint32),
                )
            if rest := data.nbytes % RECORD.itemsize:
                raise UserError(
                    f"the last record has {rest} of {RECORD.itemsize} bytes",
                    where=self._source.where(begin + whole * RECORD.itemsize),
                    remedy="download the file again, or give its format with --format",
                )
            if whole < CHUNK_REFERENCES:
                break
        if self._smallest < self._largest:
            self.notes.append(
                f"objects have {self._smallest:,} to {self._largest:,} bytes;"
                " a curve by pages counts each as one"
            )
        elif self._largest > 1 and self._largest != self.page_bytes:
            self.notes.append(
                f"all objects have {self._largest:,} bytes; a curve by pages counts each as one page of"
                f" {self.page_bytes:,} bytes"
            )


class OracleGeneralWriter(TraceWriter):
    """Writes records; without times, the time is the number of the reference.

    A record holds the number of the next reference to its page. So all records are first kept in a temporary
    file (in TMPDIR, 24 bytes per reference), processed backwards, and then written.
    """

    def __init__(self, sink: BinaryIO, options: WriteOptions) -> None:
        self._sink = sink
        self._page_bytes = options.page_bytes
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._count = 0

    def write(self, chunk: Chunk) -> None:
        times = chunk.times
        if times is None:
            times = np.arange(self._count, self._count + len(chunk), dtype=np.uint64)
        if times.size and int(times[-1]) >= 1 << 32:
            raise UserError(
                f"time {times[-1]} does not fit into the 32 bits of oracleGeneral",
                remedy="write parquet, or the trace without times",
            )
        records = np.empty(len(chunk), dtype=RECORD)
        records["time"] = times
        records["page"] = chunk.pages
        records["size"] = self._page_bytes if chunk.sizes is None else chunk.sizes
        self._kept.write(records.tobytes())
        self._count += len(chunk)

    def finish(self) -> None:
        self._kept.flush()
        if self._count:
            records = np.memmap(self._kept, dtype=RECORD, mode="r+", shape=(self._count,))
            _link(records)
            for start in range(0, self._count, CHUNK_REFERENCES):
                self._sink.write(records[start : start + CHUNK_REFERENCES].tobytes())
            del records

    def close(self) -> None:
        self._kept.close()


def _link(records: NDArray) -> None:
    """Set `next` of all records, in blocks from the last to the first."""
    known = np.empty(0, dtype=np.uint64)  # pages of later blocks, sorted
    known_next = np.empty(0, dtype=np.int64)  # number of the first later reference to each
    starts = range(0, records.size, CHUNK_REFERENCES)
    for start in reversed(starts):
        part = records[start : start + CHUNK_REFERENCES]
        pages = np.ascontiguousarray(part["page"])
        order = np.argsort(pages, kind="stable")
        ordered = pages[order]
        numbers = start + 1 + order.astype(np.int64)
        last = np.append(ordered[1:] != ordered[:-1], True)
        first = np.insert(last[:-1], 0, True)

        following = np.empty(pages.size, dtype=np.int64)
        following[:-1] = numbers[1:]
        there = ordered[last]
        place = np.searchsorted(known, there)
        place[place == known.size] = 0
        found = known[place] == there if known.size else np.zeros(there.size, dtype=bool)
        following[last] = np.where(found, known_next[place] if known.size else 0, -1)
        linked = np.empty(pages.size, dtype=np.int64)
        linked[order] = following
        part["next"] = linked

        known_next[place[found]] = numbers[first][found]
        known = np.concatenate([known, there[~found]])
        known_next = np.concatenate([known_next, numbers[first][~found]])
        sort = np.argsort(known, kind="stable")
        known, known_next = known[sort], known_next[sort]
