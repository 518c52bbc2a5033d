"""What eviction adds to an LRU stack: the kernel reads each page that it writes to swap."""

import numpy as np
from numpy.typing import NDArray


def sees_the_kernel(engine: str) -> bool:
    """Return whether an engine counts the kernel's reads: all but the operating system's own tracker."""
    return engine != "os"


def without_evictions(
    hits: NDArray[np.unsignedinteger], evictions: NDArray[np.float64]
) -> NDArray[np.unsignedinteger]:
    """Return hit counters in which the first access of each eviction counts as its other accesses do.

    A page is evicted when nobody has used it for long. Reading it is a hit where it lies, deep in the
    memory, and the page is then on top, where the rest of it is read: hits of the first group. So a
    program whose pages are evicted seems to need all the memory that it has. Here the deepest hits, one
    for each eviction, are hits of the first group, too.

    Parameters:
        hits: [n, groups], of n epochs.
        evictions: [n], pages in each epoch; if sampled, of those sampled.
    """
    if not evictions.any():
        return hits
    hits = hits.astype(np.uint64)
    deeper = np.cumsum(hits[:, ::-1], axis=1, dtype=np.uint64)[:, ::-1] - hits
    left = np.rint(evictions).astype(np.int64)[:, None] - deeper.astype(np.int64)
    moved = np.minimum(hits, np.maximum(left, 0).astype(np.uint64))
    moved[:, 0] = 0
    corrected: NDArray[np.uint64] = hits - moved
    corrected[:, 0] += moved.sum(axis=1, dtype=np.uint64)
    return corrected
