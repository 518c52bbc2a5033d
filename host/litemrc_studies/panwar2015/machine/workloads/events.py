# SPDX-License-Identifier: BSD-2-Clause
"""Events of allocation traces: each allocates or frees a block of pages; events are grouped in ticks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Codes of events; those of `EventCode` in native/placement/machine.hpp.
ORDER = 0x0F
UNMOVABLE = 0x10
FREE = 0x20
KIND_SHIFT = 6  # number of zone kinds below the highest that are required


@dataclass(frozen=True, eq=False)
class Events:
    """Events of one tick, in their order.

    Attributes
    ----------
    codes
        uint8, order with the flags UNMOVABLE (kernel pages) and FREE.
    numbers
        uint32, block numbers; a number is reused only after its block was freed.
    nodes
        uint8, preferred node of each block; None: node 0.
    """

    codes: NDArray[np.uint8]
    numbers: NDArray[np.uint32]
    nodes: NDArray[np.uint8] | None = None


class AllocationTrace(Protocol):
    """A trace of allocations that can be iterated repeatedly.

    Attributes
    ----------
    title
        short description.
    tick_s
        seconds per tick.
    notes
        messages about omissions and assumptions.
    """

    title: str
    tick_s: float
    notes: list[str]

    @property
    def ticks(self) -> int:
        """Return the number of ticks."""
        ...

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks from the first on."""
        ...


class BlockNumbers:
    """Allocates block numbers; a returned number is reused from the next tick on.

    So the pieces of a tick may be reordered.
    """

    def __init__(self) -> None:
        self._free = np.empty(0, np.uint32)
        self._given_back: list[NDArray[np.uint32]] = []
        self._next = 0

    def take(self, count: int) -> NDArray[np.uint32]:
        """Return `count` unused numbers."""
        reused = self._free[max(len(self._free) - count, 0) :]
        self._free = self._free[: len(self._free) - len(reused)]
        fresh = np.arange(self._next, self._next + count - len(reused), dtype=np.uint32)
        self._next += len(fresh)
        return np.concatenate((reused, fresh))

    def give_back(self, numbers: NDArray[np.uint32]) -> None:
        """Return the numbers of blocks freed in this tick."""
        self._given_back.append(numbers)

    def next_tick(self) -> None:
        """Make returned numbers available."""
        self._free = np.concatenate((self._free, *self._given_back))
        self._given_back = []


def interleaved(
    pieces: list[tuple[NDArray[np.uint8], NDArray[np.uint32]]],
    burst: int,
    random: np.random.Generator,
    node_of_piece: list[int] | None = None,
) -> Events:
    """Interleave the events of concurrent processes in bursts of length `burst` in random order.

    The order within a piece is kept.
    """
    if not pieces:
        return Events(np.empty(0, np.uint8), np.empty(0, np.uint32), None)
    sizes = np.array([len(numbers) for _, numbers in pieces])
    ends = np.cumsum(sizes)
    bursts = -(-sizes // burst)
    turns = np.repeat(np.arange(len(pieces)), bursts)
    begins = np.arange(bursts.sum()) - np.repeat(np.cumsum(bursts) - bursts, bursts)  # burst of its piece
    begins = begins * burst + np.repeat(ends - sizes, bursts)
    random.shuffle(turns)
    in_order = np.empty_like(begins)
    in_order[np.argsort(turns, kind="stable")] = begins  # of a piece's turns the first is its first burst
    lengths = np.minimum(burst, ends[turns] - in_order)
    taken = np.repeat(in_order - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return Events(
        np.concatenate([codes for codes, _ in pieces])[taken],
        np.concatenate([numbers for _, numbers in pieces])[taken],
        np.array(node_of_piece, np.uint8)[np.repeat(turns, lengths)] if node_of_piece else None,
    )
