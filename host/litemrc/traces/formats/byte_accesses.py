"""Accesses by byte address as references to pages."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.lackey import blocks_touched

LARGEST_ACCESS = 1 << 20  # bytes


class ByteAccesses(NamedTuple):
    """Accesses in order; a column is None if the trace does not have it.

    Attributes:
        addresses: uint64[n], of the first byte.
        sizes: uint64[n], in bytes, 1 to `LARGEST_ACCESS`; None: 1 byte each.
        writes, times, contexts: as in `Chunk`.
    """

    addresses: NDArray[np.uint64]
    sizes: NDArray[np.uint64] | None = None
    writes: NDArray[np.bool_] | None = None
    times: NDArray[np.uint64] | None = None
    contexts: NDArray[np.uint32] | None = None

    def pages(self, page_bytes: int) -> Chunk:
        """Return a reference for each page touched: [address, address + size) may cross page borders."""
        sizes = np.ones(self.addresses.size, np.uint64) if self.sizes is None else self.sizes
        last = self.addresses + (sizes - np.uint64(1))
        sizes = np.where(last < self.addresses, np.uint64(0) - self.addresses, sizes)  # to the end of memory
        pages, index = blocks_touched(self.addresses, sizes, page_bytes)
        return Chunk(
            pages,
            None if self.writes is None else self.writes[index],
            None if self.times is None else self.times[index],
            None if self.contexts is None else self.contexts[index],
        )
