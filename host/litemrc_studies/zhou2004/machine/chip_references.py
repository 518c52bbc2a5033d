# SPDX-License-Identifier: BSD-2-Clause
"""A trace in the form of the chip machines: pages numbered by first touch, and compute times.

The trace is kept in memory, 13 bytes per reference.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError
from litemrc.native.arrays import PageNumbers
from litemrc.traces import Chunk, Trace
from numpy.typing import NDArray

PLACEMENTS = ("sequential", "random")


@dataclass(frozen=True, eq=False)
class ChipReferences:
    """A program's references.

    Attributes
    ----------
    trace
        its name.
    pages
        uint32[n], numbered from 0 in the order of first touch.
    gaps
        uint64[n], compute cycles before each reference; the first is 0, or the stated gap.
    writes
        uint8[n], 1 for a write; all 0 if the trace has no directions.
    footprint_pages
        distinct pages.
    stated_gap
        cycles between references of a trace without times; None: it has times.
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
    """Read a whole trace; its unit of time is taken as a cycle.

    Contexts are merged; a note on the trace reports this. IN/OUT records are refused, because they lack the
    times of references.

    Parameters
    ----------
    chunks
        those of `trace`, for example through a progress bar.
    gap_cycles
        compute time before each reference of a trace without times.

    Raises
    ------
    UserError
        IN/OUT records, no reference, or an error of the trace.
    """
    if trace.format == "intervals":
        raise UserError(
            "IN/OUT records lack the times of references, so idle times of chips are unknown",
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
        trace.notes.append("contexts are merged: equal page numbers are one page")
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
    """Return the chip of each page, and the number of chips that hold all pages.

    Parameters
    ----------
    placement
        sequential: frames are assigned in the order of first touch; random: at random.
    seed
        of the random placement.
    """
    chips = -(-footprint_pages // chip_pages)
    frames = np.arange(footprint_pages)
    if placement == "random":
        frames = np.random.default_rng(seed).permutation(chips * chip_pages)[:footprint_pages]
    return (frames // chip_pages).astype(np.uint32), chips
