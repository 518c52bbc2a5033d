# SPDX-License-Identifier: BSD-2-Clause
"""References estimated from records of DAMON, as damo writes them (see `damon_records.py`).

DAMON is no recorder of references. It checks one page of each address region per sampling interval, and
reports, per aggregation interval (a snapshot), in how many sampling intervals the region was found accessed.
The trace holds one reference for each page of a region and each of these sampling intervals. Which intervals
they were is not recorded: a region with n accesses is referenced in the first n of them, all regions in
address order within an interval.

So a curve shows at which sizes regions stay in memory between snapshots, at the resolution of regions. Its
miss ratio is that of these estimated references, one per page and sampling interval, not of the program's
accesses; the order within an interval, and pages that differ within a region, are unknown. Times are the ends
of snapshots.
"""

from collections.abc import Generator, Sequence
from operator import mul

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.bounds import MOST_PAGES, MOST_RECORD_BYTES, REMEDY
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.recorders.damon_records import Snapshot, parse_snapshots, too_large
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource

_READ_BYTES = 1 << 22


class DamonTrace(SourceTrace):
    """Reads a whole record, then yields its references snapshot by snapshot; contexts are the targets."""

    format = "damon"
    time_unit = "ns"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes

    def __iter__(self) -> Generator[Chunk, None, None]:
        snapshots = parse_snapshots(self._whole(), self.name, bounded=self.bounded)
        self._check_bounds(snapshots)
        has_targets = any(snapshot.target for snapshot in snapshots)
        for snapshot in snapshots:
            for pages in _rounds(snapshot, self._shift):
                yield Chunk(
                    pages,
                    times=np.full(pages.size, snapshot.end_ns, dtype=np.uint64),
                    contexts=np.full(pages.size, snapshot.target, dtype=np.uint32) if has_targets else None,
                )
        regions = sum(snapshot.starts.size for snapshot in snapshots)
        idle = sum(int(np.count_nonzero(snapshot.accesses == 0)) for snapshot in snapshots)
        self.notes.append(
            f"an estimate from {len(snapshots):,} snapshots of DAMON with {regions:,} regions ({idle:,} not"
            " accessed): one reference per page and sampling interval in which its region was accessed, in"
            " address order; the miss ratio is not that of the program's accesses"
        )

    @property
    def _shift(self) -> int:
        return self.page_bytes.bit_length() - 1

    def _whole(self) -> bytes:
        parts = []
        while part := bytes(self._source.read(_READ_BYTES)):
            parts.append(part)
            if self.bounded and self._source.offset > MOST_RECORD_BYTES:
                raise too_large(self.name)
        return b"".join(parts)

    def _check_bounds(self, snapshots: Sequence[Snapshot]) -> None:
        """Raise UserError, before the first reference, for regions or counts that only the file states."""
        spans = []
        for snapshot in snapshots:
            first, last, accesses = _accessed(snapshot, self._shift)
            sizes = last - first + np.uint64(1)
            # Sums in whole numbers of Python: 2^58 pages found accessed 2^20 times do not fit into 64 bits.
            self._state(sum(map(mul, sizes.tolist(), accesses.tolist())), snapshot.where)
            spans.append((first, last))
        pages = _distinct(*(np.concatenate(part) for part in zip(*spans, strict=True))) if spans else 0
        if self.bounded and pages > MOST_PAGES:
            raise UserError(
                f"the accessed regions have {pages:,} pages of {self.page_bytes:,} bytes, more than"
                f" {MOST_PAGES:,}",
                where=self.name,
                remedy=REMEDY,
            )


def _accessed(
    snapshot: Snapshot, shift: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return first page, last page and accesses of each region that was found accessed."""
    used = (snapshot.accesses > 0) & (snapshot.ends > snapshot.starts)
    first = snapshot.starts[used] >> np.uint64(shift)
    last = (snapshot.ends[used] - np.uint64(1)) >> np.uint64(shift)
    return first, last, snapshot.accesses[used]


def _distinct(first: NDArray[np.uint64], last: NDArray[np.uint64]) -> int:
    """Return the number of pages in the union of ranges."""
    order = np.argsort(first, kind="stable")
    pages, end = 0, -1
    for begin, stop in zip(first[order].tolist(), last[order].tolist(), strict=True):
        pages += max(stop - max(begin, end + 1) + 1, 0)
        end = max(end, stop)
    return pages


def _rounds(snapshot: Snapshot, shift: int) -> Generator[NDArray[np.uint64], None, None]:
    """Yield the pages of each sampling interval, ascending, in parts of at most 2 `CHUNK_REFERENCES`."""
    first, last, accesses = _accessed(snapshot, shift)
    for interval in range(int(accesses.max(initial=0))):
        there = accesses > interval
        begin, end = first[there].copy(), last[there]
        begin[1:] += begin[1:] == end[:-1]  # a page of two regions is referenced once
        parts: list[NDArray[np.uint64]] = []
        size = 0
        for start, stop in zip(begin.tolist(), end.tolist(), strict=True):
            for page in range(start, stop + 1, CHUNK_REFERENCES):
                parts.append(np.arange(page, min(page + CHUNK_REFERENCES, stop + 1), dtype=np.uint64))
                size += parts[-1].size
                if size >= CHUNK_REFERENCES:
                    yield np.concatenate(parts)
                    parts, size = [], 0
        if parts:
            yield np.concatenate(parts)
