"""Space-time graphs: which pages a trace refers to over time, as a grid of cells.

As Glass and Cao 1997, section 2.2, draw them: pages are numbered from low addresses to high, those never used
left out; a cell is marked if one of its pages is referred to in its interval.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.chunk import Chunk
from litemrc.traces.summary import Summary


@dataclass(frozen=True, eq=False)
class SpaceTime:
    """A space-time graph.

    Attributes:
        referenced: bool[rows, columns]; row 0 holds the lowest pages, column 0 the earliest.
        pages: distinct pages, the upper end of the rows.
        begin, end: times (or numbers of references) at the left and right edge.
        timed: false: the trace has no times, references are counted instead.
    """

    referenced: NDArray[np.bool_]
    pages: int
    begin: int
    end: int
    timed: bool


def space_time(
    chunks: Iterable[Chunk], summary: Summary, *, rows: int = 600, columns: int = 1200
) -> SpaceTime:
    """Mark the cells of a trace; `summary` is that of the same trace, from a first run through it.

    Raises:
        ValueError: the trace has no references.
    """
    numbers = summary.pages.numbers()
    if not numbers.size:
        raise ValueError("a trace without references has no space-time graph")
    timed = summary.first_time is not None
    begin = summary.first_time if timed else 0
    end = summary.last_time + 1 if timed else summary.references
    rows, columns = min(rows, numbers.size), min(columns, end - begin)
    referenced = np.zeros((rows, columns), dtype=bool)
    done = 0
    for chunk in chunks:
        ranks = np.searchsorted(numbers, chunk.pages)
        times = chunk.times if timed else np.arange(done, done + len(chunk), dtype=np.uint64)
        # As floats: times may be of 64 bits, and a cell more or less at the edge of one does not show.
        column = ((times - np.uint64(begin)).astype(np.float64) * (columns / (end - begin))).astype(np.int64)
        referenced[ranks * rows // numbers.size, np.minimum(column, columns - 1)] = True
        done += len(chunk)
    return SpaceTime(referenced, int(numbers.size), begin, end, timed)
