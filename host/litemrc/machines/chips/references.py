"""A trace as the chip machines take it: pages numbered by first touch, and computing times.

It is kept in memory, 13 bytes a reference.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.native.page_numbers import PageNumbers
from litemrc.traces import Chunk, Trace

PLACEMENTS = ("sequential", "random")


@dataclass(frozen=True, eq=False)
class ChipReferences:
    """A program's references.

    Attributes:
        trace: name.
        pages: uint32[n], numbers from 0 in the order of first touch.
        gaps: uint64[n], cycles computed before each reference; that of the first is 0, or the stated gap.
        writes: uint8[n], 1 for a write; all 0 if the trace has no directions.
        footprint_pages: distinct pages.
        stated_gap: cycles between references of a trace without times; None: it has times.
    """

    trace: str
    pages: NDArray[np.uint32]
    gaps: NDArray[np.uint64]
    writes: NDArray[np.uint8]
    footprint_pages: int
    stated_gap: int | None

    def __len__(self) -> int:
        return self.pages.size


def read_references(trace: Trace, chunks: Iterable[Chunk], gap_cycles: int) -> ChipReferences:
    """Read a whole trace; the unit of its times counts as a cycle.

    Contexts are not told apart, a note on the trace says so; IN/OUT records, which do not tell when a page is
    referenced, are refused.

    Parameters:
        chunks: those of `trace`, by way of a progress bar for instance.
        gap_cycles: computed before each reference of a trace without times.

    Raises:
        UserError: IN/OUT records, no reference, or as the trace does.
    """
    if trace.format == "intervals":
        raise UserError(
            "IN/OUT records do not tell when a page is referenced, so not when a chip may sleep",
            where=trace.name,
            remedy="record all references",
        )
    numbers = PageNumbers()
    pages, times, writes = [], [], []
    contexts: set[int] = set()
    for chunk in chunks:
        if not len(chunk):
            continue
        pages.append(numbers.number(chunk.pages))
        directions = chunk.writes if chunk.writes is not None else np.zeros(len(chunk), bool)
        writes.append(directions.astype(np.uint8))
        if chunk.times is not None:
            times.append(chunk.times)
        if chunk.contexts is not None:
            contexts.update(np.unique(chunk.contexts).tolist())
    if not pages:
        raise UserError("the trace has no reference", where=trace.name)
    if len(contexts) > 1:
        trace.notes.append("contexts are not told apart: pages of one number are one page")
    count = sum(chunk.size for chunk in pages)
    if times:
        whole = np.concatenate(times)
        gaps = np.diff(whole, prepend=whole[0])
    else:
        gaps = np.full(count, gap_cycles, np.uint64)
    return ChipReferences(
        trace=trace.name,
        pages=np.concatenate(pages),
        gaps=gaps,
        writes=np.concatenate(writes),
        footprint_pages=len(numbers),
        stated_gap=None if times else gap_cycles,
    )


def place_pages(
    footprint_pages: int, chip_pages: int, placement: str = "sequential", seed: int = 1
) -> tuple[NDArray[np.uint32], int]:
    """The chip of each page, and the number of chips: as many as hold all pages.

    Parameters:
        placement: sequential: frames are given out in the order of first touch; random: at random.
        seed: of the random placement.
    """
    chips = -(-footprint_pages // chip_pages)
    frames = np.arange(footprint_pages)
    if placement == "random":
        frames = np.random.default_rng(seed).permutation(chips * chip_pages)[:footprint_pages]
    return (frames // chip_pages).astype(np.uint32), chips
