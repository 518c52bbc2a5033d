"""The hottest pages of each epoch of a trace."""

from collections.abc import Iterable, Iterator, Sequence

from litemrc.api.epoch_parts import epoch_parts
from litemrc.native.hot_pages import HotCounter, HotEpoch
from litemrc.traces.chunk import Chunk


def hot_epochs(
    chunks: Iterable[Chunk], counters: Sequence[HotCounter], epoch_accesses: int, context: int | None = None
) -> Iterator[list[HotEpoch]]:
    """Yield what each counter lists at the end of each epoch; the last epoch may be shorter.

    Parameters:
        epoch_accesses, context: as in `epoch_parts`.
    """
    for part in epoch_parts(chunks, epoch_accesses, context):
        for counter in counters:
            counter.access(part.pages, part.writes)
        if part.ends:
            yield [counter.end_epoch() for counter in counters]
