"""The hottest pages of each epoch of a trace."""

from collections.abc import Iterable, Iterator, Sequence

from litemrc.native.hot_pages import HotCounter, HotEpoch
from litemrc.traces.chunk import Chunk


def hot_epochs(
    chunks: Iterable[Chunk], counters: Sequence[HotCounter], epoch_accesses: int, context: int | None = None
) -> Iterator[list[HotEpoch]]:
    """Yield what each counter lists at the end of each epoch; the last epoch may be shorter.

    Parameters:
        epoch_accesses: references of an epoch.
        context: only its references are counted, and make up epochs; None: all.
    """
    left = epoch_accesses
    for chunk in chunks:
        pages, writes = chunk.pages, chunk.writes
        if context is not None and chunk.contexts is not None:
            chosen = chunk.contexts == context
            pages, writes = pages[chosen], None if writes is None else writes[chosen]
        start = 0
        while start < pages.size:
            part = slice(start, start + left)
            for counter in counters:
                counter.access(pages[part], None if writes is None else writes[part])
            taken = pages[part].size
            start += taken
            left -= taken
            if not left:
                yield [counter.end_epoch() for counter in counters]
                left = epoch_accesses
    if left < epoch_accesses:
        yield [counter.end_epoch() for counter in counters]
