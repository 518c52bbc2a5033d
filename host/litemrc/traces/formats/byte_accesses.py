# SPDX-License-Identifier: BSD-2-Clause
"""Accesses by byte address as references to pages."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.formats.lackey import numbered

LARGEST_ACCESS = 1 << 44  # bytes: above the 5 TB of the largest objects in object stores
LARGEST_OF_PROCESSOR = 1 << 20  # bytes of an instruction's access


class ByteAccesses(NamedTuple):
    """Accesses in order; a column is None if the trace does not have it.

    Attributes
    ----------
    addresses
        uint64[n], of the first byte.
    sizes
        uint64[n], in bytes, 1 to `LARGEST_ACCESS`; None: 1 byte each.
    writes, times, contexts
        as in `Chunk`.
    """

    addresses: NDArray[np.uint64]
    sizes: NDArray[np.uint64] | None = None
    writes: NDArray[np.bool_] | None = None
    times: NDArray[np.uint64] | None = None
    contexts: NDArray[np.uint32] | None = None

    def page_spans(self, page_bytes: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the first and the last page of each access: [address, address + size) may cross borders."""
        shift = np.uint64(page_bytes.bit_length() - 1)
        if self.sizes is None:
            first = self.addresses >> shift
            return first, first
        last = self.addresses + (self.sizes - np.uint64(1))
        last[last < self.addresses] = np.uint64((1 << 64) - 1)  # to the end of memory
        return self.addresses >> shift, last >> shift

    def chunks(self, page_bytes: int) -> Iterator[Chunk]:
        """Yield a reference for each page touched, in chunks of limited size."""
        first, last = self.page_spans(page_bytes)
        if np.array_equal(first, last):
            yield self._chunk(first, slice(None))
            return
        spans = last - first + np.uint64(1)
        ends = np.cumsum(spans)
        begin = 0
        while begin < first.size:
            done = ends[begin] - spans[begin]
            end = int(np.searchsorted(ends, done + np.uint64(CHUNK_REFERENCES), side="right"))
            if end > begin:
                pages, index = numbered(first[begin:end], spans[begin:end])
                yield self._chunk(pages, index + begin)
                begin = end
                continue
            start, stop = int(first[begin]), int(last[begin]) + 1  # a single access of many pages
            for page in range(start, stop, CHUNK_REFERENCES):
                pages = np.arange(page, min(page + CHUNK_REFERENCES, stop), dtype=np.uint64)
                yield self._chunk(pages, np.full(pages.size, begin))
            begin += 1

    def _chunk(self, pages: NDArray[np.uint64], index: NDArray[np.int64] | slice) -> Chunk:
        return Chunk(
            pages,
            None if self.writes is None else self.writes[index],
            None if self.times is None else self.times[index],
            None if self.contexts is None else self.contexts[index],
        )
