"""Page bitmaps of a trace: which pages it refers to in each epoch."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.api.epoch_parts import epoch_parts
from litemrc.errors import UserError
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown, packed_bits
from litemrc.traces.chunk import Chunk

_MOST_BYTES = 1 << 31  # of bitmaps in memory
_GAP_PART, _LEAST_GAP = 64, 16  # gaps longer than 1/64 of the pages used, and 16 pages, are left out

Pages = NDArray[np.uint64]


class EpochPages(NamedTuple):
    """The distinct pages of an epoch.

    Attributes:
        accessed, written: uint64[n], ascending page numbers; `written` is None if writes are unknown.
        accesses: references of the epoch.
    """

    accessed: Pages
    written: Pages | None
    accesses: int


def trace_epochs(
    chunks: Iterable[Chunk], epoch_accesses: int, context: int | None = None
) -> Iterator[EpochPages]:
    """Yield the distinct pages of each epoch; the last epoch may be shorter.

    Parameters:
        epoch_accesses, context: as in `epoch_parts`.
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

    Raises:
        ValueError: no epoch.
        UserError: the bitmaps would take more than 2 GiB.
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
