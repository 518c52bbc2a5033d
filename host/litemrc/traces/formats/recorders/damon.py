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

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.recorders.damon_records import Snapshot, parse_snapshots
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
        data = b"".join(iter(lambda: bytes(self._source.read(_READ_BYTES)), b""))
        snapshots = parse_snapshots(data, self.name)
        has_targets = any(snapshot.target for snapshot in snapshots)
        for snapshot in snapshots:
            for pages in _rounds(snapshot, self.page_bytes.bit_length() - 1):
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


def _rounds(snapshot: Snapshot, shift: int) -> Generator[NDArray[np.uint64], None, None]:
    """Yield the pages of each sampling interval, ascending, in parts of at most 2 `CHUNK_REFERENCES`."""
    used = (snapshot.accesses > 0) & (snapshot.ends > snapshot.starts)
    first = snapshot.starts[used] >> np.uint64(shift)
    last = (snapshot.ends[used] - np.uint64(1)) >> np.uint64(shift)
    accesses = snapshot.accesses[used]
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
