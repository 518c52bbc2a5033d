"""What a trace of page allocations is: ticks of events, a block of pages coming or going with each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Codes of events; those of `EventCode` in native/placement/machine.hpp.
ORDER = 0x0F
UNMOVABLE = 0x10
FREE = 0x20
KIND_SHIFT = 6  # how many kinds of zone below the highest will not do


@dataclass(frozen=True)
class Events:
    """Events of one tick, in their order.

    Attributes:
        codes: uint8: order, UNMOVABLE for the kernel's, FREE.
        numbers: uint32: of blocks; a number is used again only after its block has gone.
        nodes: uint8: where each block is wanted; None: all at node 0.
    """

    codes: NDArray[np.uint8]
    numbers: NDArray[np.uint32]
    nodes: NDArray[np.uint8] | None = None


class AllocationTrace(Protocol):
    """Events that can be read as often as one likes.

    Attributes:
        title: what it is, in a few words.
        tick_s: seconds of a tick.
        ticks: how many there are.
        notes: what whoever reads its results should know.
    """

    title: str
    tick_s: float
    ticks: int
    notes: list[str]

    def __iter__(self) -> Iterator[Events]:
        """The ticks from the first on."""
        ...


class BlockNumbers:
    """Numbers for blocks; those given back can be had again from the next tick on.

    So all pieces of a tick may be put into any order.
    """

    def __init__(self) -> None:
        self._free = np.empty(0, np.uint32)
        self._given_back: list[NDArray[np.uint32]] = []
        self._next = 0

    def take(self, count: int) -> NDArray[np.uint32]:
        """So many numbers that nobody uses."""
        reused = self._free[max(len(self._free) - count, 0) :]
        self._free = self._free[: len(self._free) - len(reused)]
        fresh = np.arange(self._next, self._next + count - len(reused), dtype=np.uint32)
        self._next += len(fresh)
        return np.concatenate((reused, fresh))

    def give_back(self, numbers: NDArray[np.uint32]) -> None:
        """Their blocks go in this tick."""
        self._given_back.append(numbers)

    def next_tick(self) -> None:
        """What was given back can be had again."""
        self._free = np.concatenate((self._free, *self._given_back))
        self._given_back = []


def interleaved(
    pieces: list[tuple[NDArray[np.uint8], NDArray[np.uint32]]],
    burst: int,
    random: np.random.Generator,
    node_of_piece: list[int] | None = None,
) -> Events:
    """Events of several processes that run side by side: bursts of each, as long as `burst`, in random order.

    What a piece holds stays in its order.
    """
    cuts = [range(0, len(numbers), burst) for _, numbers in pieces]
    turns = np.repeat(np.arange(len(pieces)), [len(cut) for cut in cuts])
    random.shuffle(turns)
    begun = [0] * len(pieces)
    codes, numbers, nodes = [], [], []
    for turn in turns:
        begin = begun[turn]
        begun[turn] = begin + burst
        codes.append(pieces[turn][0][begin : begin + burst])
        numbers.append(pieces[turn][1][begin : begin + burst])
        if node_of_piece is not None:
            nodes.append(np.full(len(codes[-1]), node_of_piece[turn], np.uint8))
    if not codes:
        return Events(np.empty(0, np.uint8), np.empty(0, np.uint32), None)
    return Events(
        np.concatenate(codes), np.concatenate(numbers), np.concatenate(nodes) if node_of_piece else None
    )
