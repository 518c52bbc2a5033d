"""A trace cut into epochs of so many references."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import Chunk


class EpochPart(NamedTuple):
    """Consecutive references of one epoch.

    Attributes:
        pages: uint64[n], page numbers.
        writes: bool[n], true: a write; None if unknown.
        ends: they are the last ones of their epoch.
    """

    pages: NDArray[np.uint64]
    writes: NDArray[np.bool_] | None
    ends: bool


def epoch_parts(
    chunks: Iterable[Chunk], epoch_accesses: int, context: int | None = None
) -> Iterator[EpochPart]:
    """Yield the references of all epochs in parts; the last epoch may be shorter, and its last part is empty.

    Parameters:
        epoch_accesses: references of an epoch.
        context: only its references make up epochs; None: all.
    """
    left = epoch_accesses
    writes: NDArray[np.bool_] | None = None
    for chunk in chunks:
        pages, writes = chunk.pages, chunk.writes
        if context is not None and chunk.contexts is not None:
            chosen = chunk.contexts == context
            pages, writes = pages[chosen], None if writes is None else writes[chosen]
        start = 0
        while start < pages.size:
            part = slice(start, start + left)
            taken = pages[part].size
            start += taken
            left -= taken
            yield EpochPart(pages[part], None if writes is None else writes[part], not left)
            left = left or epoch_accesses
    if left < epoch_accesses:
        yield EpochPart(np.zeros(0, np.uint64), None if writes is None else writes[:0], True)
