"""Space-time graphs: the pages that a trace refers to over time, as a grid of cells.

The graphs are those of Glass and Cao 1997, section 2.2: used pages are numbered by address; a cell is marked
if one of its pages is referred to in its interval.
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
        referenced: bool[rows, columns]; row 0 has the lowest pages, column 0 the earliest time.
        pages: distinct pages, the upper end of the rows.
        begin, end: times (or reference numbers) at the left and right edge.
        timed: false: the trace has no times, and references are counted.
    """

    referenced: NDArray[np.bool_]
    pages: int
    begin: int
    end: int
    timed: bool


def space_time(
    chunks: Iterable[Chunk], summary: Summary, *, rows: int = 600, columns: int = 1200
) -> SpaceTime:
    """Return the graph of a trace; `summary` comes from a first pass over the same trace.

    Raises:
        ValueError: the trace has no references.
    """
    numbers = summary.pages.numbers()
    if not numbers.size:
        raise ValueError("a trace without references has no space-time graph")
    begin, end = 0, summary.references
    timed = summary.first_time is not None and summary.last_time is not None
    if summary.first_time is not None and summary.last_time is not None:
        begin, end = summary.first_time, summary.last_time + 1
    rows, columns = min(rows, numbers.size), min(columns, end - begin)
    referenced = np.zeros((rows, columns), dtype=bool)
    done = 0
    for chunk in chunks:
        ranks = np.searchsorted(numbers, chunk.pages)
        times = chunk.times if timed else None
        if times is None:
            times = np.arange(done, done + len(chunk), dtype=np.uint64)
        # Floats avoid overflow; an error of one cell at the edge of an interval is invisible.
        column = ((times - np.uint64(begin)).astype(np.float64) * (columns / (end - begin))).astype(np.int64)
        referenced[ranks * rows // numbers.size, np.minimum(column, columns - 1)] = True
        done += len(chunk)
    return SpaceTime(referenced, int(numbers.size), begin, end, timed)
