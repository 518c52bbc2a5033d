# SPDX-License-Identifier: BSD-2-Clause
"""Page bitmaps: which pages were accessed in each epoch; when epochs were, and a map of address by time."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

_COLUMNS: dict[str, np.dtype] = {
    "epoch": np.dtype("u4"),
    "cycles": np.dtype("u8"),
    "accesses": np.dtype("u8"),
    "accessed": np.dtype("u1"),
    "written": np.dtype("u1"),
}


@dataclass(frozen=True, kw_only=True)
class PagesShown:
    """The pages that the bits of an epoch stand for, and their addresses.

    Attributes
    ----------
    page_bytes
        of a page.
    base_address
        byte address of frame 0; of a trace 0, so that frames are page numbers.
    ranges
        the frames that have a bit, ascending, in disjoint ranges of step 1; that of hardware is
        `range(0, frames)`. Bit 0 is the first frame of the first range.

    Raises
    ------
    ValueError
        no frame, ranges that overlap or descend, an address that is not that of a page.
    """

    page_bytes: int
    base_address: int
    ranges: tuple[range, ...]

    def __post_init__(self) -> None:
        if self.page_bytes < 1 or self.base_address < 0 or self.base_address % self.page_bytes:
            raise ValueError(
                f"base address {self.base_address} is not that of a page of {self.page_bytes} bytes"
            )
        if not self.ranges:
            raise ValueError("there is no range of frames")
        last = -1
        for each in self.ranges:
            if each.step != 1 or not len(each) or each.start <= last:
                raise ValueError(f"frames {each.start} to {each.stop} follow frame {last}")
            last = each.stop - 1

    @cached_property
    def pages(self) -> int:
        """Number of pages, each with a bit."""
        return sum(map(len, self.ranges))

    @property
    def bitmap_bytes(self) -> int:
        """Bytes of the bits of an epoch."""
        return (self.pages + 7) // 8

    @cached_property
    def first_bits(self) -> NDArray[np.int64]:
        """int64[ranges], the bit of the first frame of each range."""
        sizes = [len(each) for each in self.ranges]
        return np.cumsum([0, *sizes[:-1]], dtype=np.int64)

    def addresses(self, bits: ArrayLike) -> list[int]:
        """Return the byte addresses of the pages of bits, int[n]; of bit `pages` the end of the last one."""
        numbers = np.asarray(bits, dtype=np.int64)
        of = np.searchsorted(self.first_bits, numbers, side="right") - 1
        return [
            self.base_address + (self.ranges[at].start + bit) * self.page_bytes
            for at, bit in zip(of.tolist(), (numbers - self.first_bits[of]).tolist(), strict=True)
        ]

    def bits(self, frames: range) -> range:
        """Return the bits of the frames in a range of frames; an empty range if none has one."""
        before = first = last = 0
        for each in self.ranges:
            first += min(max(frames.start - each.start, 0), len(each))
            last = (
                before + min(max(frames.stop - each.start, 0), len(each))
                if frames.stop > each.start
                else last
            )
            before += len(each)
        return range(first, max(first, last))

    def part(self, bits: range) -> "PagesShown":
        """Return the pages of a range of bits, at least one."""
        ranges, before = [], 0
        for each in self.ranges:
            start, stop = max(bits.start - before, 0), min(bits.stop - before, len(each))
            if start < stop:
                ranges.append(each[start:stop])
            before += len(each)
        return PagesShown(page_bytes=self.page_bytes, base_address=self.base_address, ranges=tuple(ranges))


@dataclass(frozen=True, kw_only=True, eq=False)
class PageBitmaps:
    """The pages accessed and written in each epoch of a run.

    Attributes
    ----------
    shown
        what the bits stand for.
    epoch
        uint32[n], number of the epoch, ascending; a number that is missing was lost.
    cycles
        uint64[n], length of the epoch in clock cycles; 0: not known.
    accesses
        uint64[n], accesses of the epoch, by all contexts; 0: none, or not known.
    accessed, written
        uint8[n, shown.bitmap_bytes], bits of the pages; the first in the lowest bit of the
        first byte. Bits of no page are 0; a page that was written was also accessed.
    writes_known
        false: what was written is not known, and `written` is 0.
    clock_hz
        of `cycles`; 0: not known.
    source
        what was observed: URL of a device, name of a trace.
    interrupted
        the run was stopped before its end.

    Raises
    ------
    ValueError
        a column of wrong shape or range, or bits that contradict each other.
    """

    shown: PagesShown
    epoch: NDArray[np.uint32]
    cycles: NDArray[np.uint64]
    accesses: NDArray[np.uint64]
    accessed: NDArray[np.uint8]
    written: NDArray[np.uint8]
    writes_known: bool = True
    clock_hz: int = 0
    source: str = ""
    interrupted: bool = False

    def __post_init__(self) -> None:
        rows = np.size(self.epoch)
        for name, dtype in _COLUMNS.items():
            column = np.asarray(getattr(self, name))
            shape = (rows, self.shown.bitmap_bytes) if name in ("accessed", "written") else (rows,)
            if column.dtype != dtype or column.shape != shape:
                raise ValueError(
                    f"column {name} is {column.dtype}{list(column.shape)}, not {dtype}{list(shape)}"
                )
        if (self.epoch[1:] <= self.epoch[:-1]).any():
            raise ValueError("epochs do not ascend")
        for name in ("accessed", "written"):
            check_unused_bits(getattr(self, name), self.shown.pages)
        if (self.written & ~self.accessed).any():
            row = int(np.argmax((self.written & ~self.accessed).any(axis=1)))
            raise ValueError(f"epoch {self.epoch[row]}: a page was written, but not accessed")
        if not self.writes_known and self.written.any():
            raise ValueError("writes are not known, but there are some")

    @property
    def missing_epochs(self) -> int:
        """Epochs between the first and the last that are missing."""
        return int(self.epoch[-1]) - int(self.epoch[0]) + 1 - self.epoch.size if self.epoch.size else 0

    def bits(self, row: int, *, written: bool = False) -> NDArray[np.bool_]:
        """Return bool[shown.pages], the pages accessed (or written) in the epoch of a row."""
        packed = (self.written if written else self.accessed)[row]
        return np.unpackbits(packed, count=self.shown.pages, bitorder="little").view(np.bool_)

    def between(self, start: int, stop: int) -> "PageBitmaps":
        """Return the epochs from number `start` up to, not including, `stop`."""
        kept = (self.epoch >= start) & (self.epoch < stop)
        columns = {name: getattr(self, name)[kept] for name in _COLUMNS}
        others = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in columns}
        return PageBitmaps(**others, **columns)


def packed_bits(bits: ArrayLike) -> NDArray[np.uint8]:
    """Return bool[..., pages] as uint8[..., bytes]: the first page in the lowest bit of the first byte."""
    return np.packbits(np.asarray(bits, dtype=bool), axis=-1, bitorder="little")


def packed_words(words: Sequence[int] | NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return words of 32 bits, as the gateware's window has them, as uint8[4 * words]."""
    return np.asarray(words, dtype="<u4").view(np.uint8)


def check_unused_bits(packed: NDArray[np.uint8], pages: int) -> None:
    """Check that bits behind the last page are 0.

    Raises
    ------
    ValueError
        one is 1.
    """
    if pages % 8 and (packed[..., -1] >> (pages % 8)).any():
        raise ValueError(f"a bit behind page {pages - 1} is 1")


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Shares of pages accessed (or written).

    Attributes
    ----------
    share
        float64[rows, columns], 0 to 1: the (page, epoch) pairs of the cell in which the page was
        accessed, of all pairs; NaN where all epochs of a column are missing. Row 0 has the lowest pages,
        column 0 the first epochs.
    page_edges
        int64[rows + 1], the first bit of each row in `shown`, and the number of bits.
    epoch_edges
        int64[columns + 1], the first epoch of each column, and that after the last one.
    shown
        the pages.
    written
        shares are those of pages written.
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

    Parameters
    ----------
    rows, columns
        the most there may be; there are never more rows than pages, or columns than epochs.
    bits
        of the pages; None: all.

    Raises
    ------
    ValueError
        no epoch, no page, or no cell.
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


def mean_ns(bitmaps: PageBitmaps) -> int | None:
    """Return the mean length of an epoch in nanoseconds; None if the length of an epoch is not known."""
    if not bitmaps.clock_hz or not bitmaps.epoch.size or not bitmaps.cycles.all():
        return None
    return max(1, round(float(bitmaps.cycles.mean()) * 1e9 / bitmaps.clock_hz))


def times_ns(bitmaps: PageBitmaps, unknown_ns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return when each epoch began and ended, int64[n] each; the first one began at 0.

    Missing epochs have the mean length.

    Parameters
    ----------
    unknown_ns
        the length of an epoch if it is not known.
    """
    numbers = bitmaps.epoch.astype(np.int64) - (int(bitmaps.epoch[0]) if bitmaps.epoch.size else 0)
    mean = mean_ns(bitmaps)
    if mean is None:
        return numbers * unknown_ns, (numbers + 1) * unknown_ns
    lengths = np.rint(bitmaps.cycles * (1e9 / bitmaps.clock_hz)).astype(np.int64)
    ends = np.cumsum(lengths) + (numbers - np.arange(numbers.size)) * mean
    return ends - lengths, ends
