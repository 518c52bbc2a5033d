"""Unfiltered page references from traces of Valgrind's lackey; `litemrc trace capture` models caches.

Time is the number of instructions begun. An access that crosses a page border is a reference to both pages.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.lackey_lines import Accesses, parse
from litemrc.traces.formats.lines import blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource


class LackeyTrace(SourceTrace):
    """Reads lackey's text; addresses become numbers of pages of `page_bytes`, a power of two."""

    format = "lackey"
    time_unit = "instructions"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes

    def __iter__(self) -> Iterator[Chunk]:
        instructions = 0
        for block in blocks(self._source):
            accesses = parse(block, self.name)
            if not accesses.kinds.size:
                continue
            times = instructions + instruction_counts(accesses)
            instructions = int(times[-1])
            yield page_references(accesses, times, self.page_bytes)


def instruction_counts(accesses: Accesses) -> NDArray[np.uint64]:
    """Return uint64[n], the instructions begun up to each access, including its own."""
    return np.cumsum(accesses.kinds == ord("I"), dtype=np.uint64)


def page_references(accesses: Accesses, times: NDArray[np.uint64], page_bytes: int) -> Chunk:
    """Return the pages touched, in order, each with the time and direction of its access."""
    pages, index = blocks_touched(accesses.addresses, accesses.sizes, page_bytes)
    return Chunk(pages, is_write(accesses.kinds)[index], times[index])


def is_write(kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which accesses store: S and M."""
    return (kinds == ord("S")) | (kinds == ord("M"))


def blocks_touched(
    addresses: NDArray[np.uint64], sizes: NDArray[np.uint64], block_bytes: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64] | slice]:
    """Return the aligned blocks (pages, cache lines) that accesses touch, in order.

    Parameters:
        block_bytes: a power of two.

    Returns:
        the block numbers, and an index that maps each to its access.
    """
    shift = np.uint64(block_bytes.bit_length() - 1)
    first = addresses >> shift
    last = addresses + (sizes - np.uint64(1))
    last = np.where(last < addresses, ~np.uint64(0), last) >> shift  # an access ends with the memory
    if np.array_equal(first, last):
        return first, slice(None)
    return numbered(first, last - first + np.uint64(1))


def numbered(
    first: NDArray[np.uint64], spans: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the blocks of runs of consecutive blocks, and an index that maps each to its run."""
    counts = spans.astype(np.int64)
    index = np.repeat(np.arange(counts.size), counts)
    step = np.arange(index.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return first[index] + step.astype(np.uint64), index
