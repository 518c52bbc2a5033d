"""A matrix of address by time: which share of the pages of a cell was accessed in an epoch of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Shares of pages accessed (or written).

    Attributes:
        share: float64[rows, columns], 0 to 1: the (page, epoch) pairs of the cell in which the page was
            accessed, of all pairs; NaN where all epochs of a column are missing. Row 0 has the lowest pages,
            column 0 the first epochs.
        page_edges: int64[rows + 1], the first bit of each row in `shown`, and the number of bits.
        epoch_edges: int64[columns + 1], the first epoch of each column, and that after the last one.
        shown: the pages.
        written: shares are those of pages written.
    """

    share: NDArray[np.float64]
    page_edges: NDArray[np.int64]
    epoch_edges: NDArray[np.int64]
    shown: PagesShown
    written: bool

    @property
    def highest(self) -> float:
        """The largest share; 0 if no page was accessed."""
        return float(np.nanmax(self.share, initial=0.0))


def heat_map(
    bitmaps: PageBitmaps, rows: int, columns: int, *, written: bool = False, bits: range | None = None
) -> HeatMap:
    """Return the heat map of some pages over all epochs of `bitmaps`.

    Parameters:
        rows, columns: the most there may be; there are never more rows than pages, or columns than epochs.
        bits: of the pages; None: all.

    Raises:
        ValueError: no epoch, no page, or no cell.
    """
    bits = range(bitmaps.shown.pages) if bits is None else bits
    if not bitmaps.epoch.size or not bits or min(rows, columns) < 1:
        raise ValueError("a heat map needs an epoch, a page and a cell")
    first, stop = int(bitmaps.epoch[0]), int(bitmaps.epoch[-1]) + 1
    page_edges = _edges(0, len(bits), rows)
    epoch_edges = _edges(first, stop, columns)
    touched = np.zeros((page_edges.size - 1, epoch_edges.size - 1), np.int64)
    epochs = np.zeros(epoch_edges.size - 1, np.int64)
    column_of = np.searchsorted(epoch_edges, bitmaps.epoch, side="right") - 1
    for row, column in enumerate(column_of.tolist()):
        marked = bitmaps.bits(row, written=written)[bits.start : bits.stop]
        touched[:, column] += np.add.reduceat(marked, page_edges[:-1], dtype=np.int64)
        epochs[column] += 1
    pairs = np.diff(page_edges)[:, None] * epochs
    share = np.divide(touched, pairs, out=np.full(touched.shape, np.nan), where=pairs > 0)
    return HeatMap(share, page_edges, epoch_edges, bitmaps.shown.part(bits), written)


def _edges(first: int, stop: int, parts: int) -> NDArray[np.int64]:
    """Return the edges of at most `parts` parts whose sizes differ by 1 at most."""
    parts = min(parts, stop - first)
    return first + np.arange(parts + 1, dtype=np.int64) * (stop - first) // parts
