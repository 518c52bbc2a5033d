# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.heatmap`: which pages of a trace were accessed when."""

from __future__ import annotations  # help() shows the names of types

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.api.epochs import MERGED, epoch_parts, no_references, of_one_context
from litemrc.api.results import Result
from litemrc.api.sources import References, Source
from litemrc.errors import UserError
from litemrc.extras import require
from litemrc.pages.page_bitmaps import HeatMap, PageBitmaps, PagesShown, heat_map, packed_bits
from litemrc.traces.chunk import Chunk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPOCH = 10_000  # references of an epoch of a trace
CELLS = (80, 24)  # columns and rows
_PICTURE_CELLS = (960, 480)  # about the pixels of the map
_MOST_BYTES = 1 << 31  # of bitmaps in memory
_GAP_PART, _LEAST_GAP = 64, 16  # gaps longer than 1/64 of the pages used, and 16 pages, are left out

Pages = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, repr=False)
class HeatMapResult(Result):
    """Which pages were accessed, or written, when.

    Attributes
    ----------
    bitmaps
        the pages of each epoch shown, as bits.
    bits
        which of these bits are shown.
    map
        shares of pages accessed by cell.
    name
        path or URL; may be empty.
    all_bitmaps
        those of all epochs, shown or not.
    """

    bitmaps: PageBitmaps
    bits: range
    map: HeatMap
    name: str
    all_bitmaps: PageBitmaps

    @property
    def share(self) -> NDArray[np.float64]:
        """float64[rows, columns], 0 to 1: the pairs of page and epoch in which the page was accessed."""
        return self.map.share

    def document(self, *, interrupted: bool = False) -> dict[str, Any]:
        """Return the object of `litemrc heatmap --json`."""
        drawn, shown = self.map, self.map.shown
        share = [[None if np.isnan(each) else each for each in row] for row in drawn.share.round(6).tolist()]
        starts = shown.addresses(shown.first_bits)
        return {
            "share": share,
            "epoch_edges": drawn.epoch_edges.tolist(),
            "page_edges": drawn.page_edges.tolist(),
            "addresses": shown.addresses(drawn.page_edges[:-1]),
            "ranges": [[start, len(each)] for start, each in zip(starts, shown.ranges, strict=True)],
            "page_bytes": shown.page_bytes,
            "pages": shown.pages,
            "epochs": self.bitmaps.epoch.size,
            "missing_epochs": self.bitmaps.missing_epochs,
            "written": drawn.written,
            "source": self.bitmaps.source,
            "interrupted": interrupted or self.bitmaps.interrupted,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each cell: its first address, its first epoch, its share (nan: no epoch)."""
        addresses = self.map.shown.addresses(self.map.page_edges[:-1])
        epochs = self.map.epoch_edges[:-1].tolist()
        return [
            {"address": address, "epoch": epoch, "share": share}
            for address, line in zip(addresses, self.map.share.tolist(), strict=True)
            for epoch, share in zip(epochs, line, strict=True)
        ]

    def summary(self) -> str:
        """Return the numbers of epochs, pages and cells in one line."""
        rows, columns = self.map.share.shape
        return (
            f"{self.name or 'trace'}, {self.bitmaps.epoch.size:,} epochs, {self.map.shown.pages:,} pages,"
            f" {columns} x {rows} cells"
        )

    def save(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write the picture as PNG or SVG, by the suffix of `path`; `title` None: the name of the source.

        Raises
        ------
        UserError
            as `Result.save`.
        """
        require("plot")
        from litemrc.plots.files import save_figure

        save_figure(self._figure(title), fspath(path))

    def save_pages(self, path: str | PathLike[str]) -> None:
        """Write the page bitmaps of all epochs as Parquet, which `litemrc heatmap` reads.

        Raises
        ------
        UserError
            the file cannot be written.
        """
        from litemrc.pages.files import write_page_bitmaps

        write_page_bitmaps(Path(path), self.all_bitmaps)

    def _figure(self, title: str | None = None) -> Figure:
        from litemrc.plots.heat import heat_figure

        columns, rows = _PICTURE_CELLS
        picture = heat_map(self.bitmaps, rows, columns, written=self.map.written, bits=self.bits)
        return heat_figure(picture, self.bitmaps, title=Path(self.name).name if title is None else title)


def heatmap(
    source: Source | PageBitmaps,
    *,
    epoch: int | None = None,
    context: int | None = None,
    writes: bool = False,
    pages: range | None = None,
    epochs: range | None = None,
    columns: int = CELLS[0],
    rows: int = CELLS[1],
    page_bytes: int | None = None,
) -> HeatMapResult:
    """Return which pages of a trace, or of a file of page bitmaps, were accessed when, as a matrix.

    Parameters
    ----------
    source
        as in `litemrc.mrc`; or a Parquet file of page bitmaps, or such bitmaps.
    epoch
        of a trace: references of an epoch; None: 10,000.
    context
        of a trace: the references of one context; None: of all.
    writes
        the pages written, in place of those accessed.
    pages
        only these frames, page numbers of a trace; None: all.
    epochs
        only epochs with these numbers; None: all.
    columns, rows
        the most cells.
    page_bytes
        as in `litemrc.mrc`.

    Raises
    ------
    UserError
        no reference, no page or no epoch in a range, a damaged file, or writes that are unknown.

    Warns
    -----
    UserWarning
        contexts are counted together, or what the reader of a trace file left out or assumed.
    """
    if min(columns, rows) < 1:
        raise UserError(f"{columns} x {rows} cells", where="litemrc.heatmap", remedy="give 1 or more each")
    name = ""
    if isinstance(source, PageBitmaps):
        bitmaps = source
    else:
        references = References(source, page_bytes, "litemrc.heatmap")
        name = references.name
        if is_bitmap_file(name):
            for option, value in (("epoch", epoch), ("context", context), ("page_bytes", page_bytes)):
                if value is not None:
                    raise not_of_bitmaps(option, name)
            bitmaps = stored_bitmaps(name)
        else:
            bitmaps = _of_references(references, EPOCH if epoch is None else epoch, context)
    return heat_of(
        bitmaps,
        where=name or "litemrc.heatmap",
        name=name,
        written=writes,
        frames=None if pages is None else lambda last: pages,
        epochs=None if epochs is None else (epochs.start, epochs.stop - 1),
        cells=(columns, rows),
        options=("writes", "pages", "epochs"),
    )


def heat_of(
    bitmaps: PageBitmaps,
    *,
    where: str,
    name: str,
    written: bool,
    frames: Callable[[int], range] | None,
    epochs: tuple[int, int | None] | None,
    cells: tuple[int, int],
    options: tuple[str, str, str] = ("--writes", "--pages", "--epochs"),
) -> HeatMapResult:
    """Return the heat map of bitmaps.

    Parameters
    ----------
    where
        of the bitmaps, for messages.
    frames
        returns the frames to show, from the last frame there is; None: all.
    epochs
        first and last epoch to show; None: all, or to the end.
    cells
        the most columns and rows.
    options
        names of `written`, `frames` and `epochs` for messages.

    Raises
    ------
    UserError
        no page or no epoch is shown, or writes that are unknown.
    """
    if written and not bitmaps.writes_known:
        raise UserError("which accesses were writes is not known", where=where, remedy=f"omit {options[0]}")
    chosen = bitmaps if epochs is None else _chosen_epochs(bitmaps, *epochs, options[2], where)
    bits = range(bitmaps.shown.pages) if frames is None else _chosen_bits(bitmaps, frames, options[1], where)
    columns, rows = cells
    drawn = heat_map(chosen, rows, columns, written=written, bits=bits)
    return HeatMapResult(chosen, bits, drawn, name, bitmaps)


def _chosen_epochs(
    bitmaps: PageBitmaps, lower: int, upper: int | None, option: str, where: str
) -> PageBitmaps:
    first, last = int(bitmaps.epoch[0]), int(bitmaps.epoch[-1])
    chosen = bitmaps.between(lower, (last if upper is None else upper) + 1)
    if not chosen.epoch.size:
        raise UserError(
            f"the range of {option} holds no epoch: they are {first} to {last}",
            where=where,
            remedy="choose some of them",
        )
    return chosen


def _chosen_bits(bitmaps: PageBitmaps, frames: Callable[[int], range], option: str, where: str) -> range:
    shown = bitmaps.shown
    last = shown.ranges[-1].stop - 1
    bits = shown.bits(frames(last))
    if not bits:
        first = shown.ranges[0].start
        begin, end = (shown.base_address + frame * shown.page_bytes for frame in (first, last + 1))
        raise UserError(
            f"the range of {option} holds no page shown: they are among frames {first} to {last},"
            f" addresses {begin:#x} to {end - 1:#x}",
            where=where,
            remedy="choose some of them",
        )
    return bits


def is_bitmap_file(name: str) -> bool:
    """Return whether a file holds page bitmaps."""
    from litemrc.pages.files import holds_page_bitmaps  # pyarrow takes long to load

    return name.lower().endswith(".parquet") and holds_page_bitmaps(name)


def stored_bitmaps(name: str) -> PageBitmaps:
    """Return the bitmaps of a file.

    Raises
    ------
    UserError
        it is damaged, or has no epoch.
    """
    from litemrc.pages.files import read_page_bitmaps

    bitmaps = read_page_bitmaps(name)
    if not bitmaps.epoch.size:
        raise UserError("the file has no epoch", where=name, remedy="name another file")
    return bitmaps


def not_of_bitmaps(option: str, name: str) -> UserError:
    """Return the error of an option of traces, beside a file of page bitmaps."""
    return UserError(
        f"{option} is for traces, but the file holds page bitmaps", where=name, remedy=f"omit {option}"
    )


def _of_references(references: References, epoch: int, context: int | None) -> PageBitmaps:
    if epoch < 1:
        raise UserError(f"an epoch must have at least 1 reference (got {epoch})", remedy="give 1 or more")
    chunks = of_one_context(
        references, context, references.where, lambda: warnings.warn(f"{MERGED} (see context)", stacklevel=6)
    )
    parts = list(trace_epochs(chunks, epoch, context))
    if not parts:
        raise no_references(context, references.where)
    return bitmaps_of(parts, references.page_bytes, source=references.name)


class EpochPages(NamedTuple):
    """The distinct pages of an epoch.

    Attributes
    ----------
    accessed, written
        uint64[n], ascending page numbers; `written` is None if writes are unknown.
    accesses
        references of the epoch.
    """

    accessed: Pages
    written: Pages | None
    accesses: int


def trace_epochs(
    chunks: Iterable[Chunk], epoch_accesses: int, context: int | None = None
) -> Iterator[EpochPages]:
    """Yield the distinct pages of each epoch; the last epoch may be shorter.

    Parameters
    ----------
    epoch_accesses, context
        as in `epoch_parts`.
    """
    accessed: list[Pages] = []
    written: list[Pages] = []
    accesses = 0
    for part in epoch_parts(chunks, epoch_accesses, context):
        accessed.append(np.unique(part.pages))
        if part.writes is not None:
            written.append(np.unique(part.pages[part.writes]))
        accesses += part.pages.size
        if part.ends:
            yield EpochPages(_merged(accessed), _merged(written) if written else None, accesses)
            accessed, written, accesses = [], [], 0


def bitmaps_of(
    epochs: Sequence[EpochPages], page_bytes: int, *, source: str = "", interrupted: bool = False
) -> PageBitmaps:
    """Return the bitmaps of epochs, numbered from 0.

    Frames are page numbers. They have a bit from the first page used to the last one, but for large gaps
    between used pages, as addresses of a process lie in areas that are far apart. Left out are gaps longer
    than 1/64 of the pages used (and than 16 pages), and then the largest of the others, until at least half
    of the bits stand for pages that were used.

    Raises
    ------
    ValueError
        no epoch.
    UserError
        the bitmaps would take more than 2 GiB.
    """
    used = _merged([epoch.accessed for epoch in epochs])
    shown = PagesShown(page_bytes=page_bytes, base_address=0, ranges=_ranges(used))
    if 2 * len(epochs) * shown.bitmap_bytes > _MOST_BYTES:
        raise UserError(
            f"the bits of {len(epochs):,} epochs and {shown.pages:,} pages take more than 2 GiB",
            where=source,
            remedy="choose longer epochs",
        )
    firsts = np.array([each.start for each in shown.ranges], dtype=np.uint64)
    writes_known = all(epoch.written is not None for epoch in epochs)

    def packed(pages: Pages | None) -> NDArray[np.uint8]:
        marked = np.zeros(shown.pages, dtype=bool)
        if pages is not None:
            of = np.searchsorted(firsts, pages, side="right") - 1
            marked[shown.first_bits[of] + (pages - firsts[of]).astype(np.int64)] = True
        return packed_bits(marked)

    return PageBitmaps(
        shown=shown,
        epoch=np.arange(len(epochs), dtype=np.uint32),
        cycles=np.zeros(len(epochs), np.uint64),
        accesses=np.array([epoch.accesses for epoch in epochs], np.uint64),
        accessed=np.stack([packed(epoch.accessed) for epoch in epochs]),
        written=np.stack([packed(epoch.written if writes_known else None) for epoch in epochs]),
        writes_known=writes_known,
        source=source,
        interrupted=interrupted,
    )


def _merged(parts: Sequence[Pages]) -> Pages:
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def _ranges(used: Pages) -> tuple[range, ...]:
    """Return the ranges of frames between the gaps that are left out, ascending; see `bitmaps_of`."""
    gaps = np.diff(used) - np.uint64(1)
    largest = np.argsort(gaps, kind="stable")[::-1]
    kept = np.append(np.cumsum(gaps[largest[::-1]].astype(np.float64))[::-1], 0)  # frames unused, by gaps cut
    long = int(np.count_nonzero(gaps > max(used.size // _GAP_PART, _LEAST_GAP)))
    cut = np.sort(largest[: max(long, int(np.argmax(kept <= used.size)))])
    firsts, lasts = used[np.append(0, cut + 1)], used[np.append(cut, used.size - 1)]
    return tuple(range(first, last + 1) for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True))
