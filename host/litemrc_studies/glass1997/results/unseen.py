# SPDX-License-Identifier: BSD-2-Clause
"""Sixteen traces that adaptive SEQ was not tuned on: its held-out set, for `adaptive.py`.

Their shapes and lengths were fixed before any of them was run. A trace because of which a rule or a constant
of adaptive SEQ changes belongs to the tuned ones of `adaptive.py`, and a new one replaces it here.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import numpy as np
from litemrc.traces import Chunk, Trace
from numpy.typing import NDArray

Pages = NDArray[np.uint64]


def _loop(first: int, pages: int, rounds: int) -> Pages:
    return np.tile(np.arange(first, first + pages, dtype=np.uint64), rounds)


def _interleaved(one: Pages, other: Pages, burst: int) -> Pages:
    """Bursts of each in turn, until one of them ends."""
    rounds = min(one.size, other.size) // burst
    pair = [each[: rounds * burst].reshape(rounds, burst) for each in (one, other)]
    return np.concatenate(pair, axis=1).ravel()


def arrays_one_by_one() -> Pages:
    """Six arrays, each swept five times before the next one."""
    return np.concatenate([_loop(900 * turn, 900, 5) for turn in range(6)])


def phases_in_turn() -> Pages:
    """Two loops of different length, each in turn for a few rounds."""
    return np.tile(np.concatenate([_loop(0, 1800, 4), _loop(1800, 4200, 3)]), 4)


def loops_side_by_side() -> Pages:
    """Two loops, three references of each in turn."""
    return _interleaved(_loop(0, 1300, 80), _loop(5000, 4700, 22), 3)


def growing() -> Pages:
    """A loop that gains a tenth of its pages in each round."""
    return np.concatenate([_loop(0, int(1000 * 1.1**turn), 1) for turn in range(20)])


def shrinking() -> Pages:
    """A loop that loses a tenth of its pages in each round."""
    return np.concatenate([_loop(0, int(6000 * 0.9**turn), 1) for turn in range(24)])


def moving_hot_set() -> Pages:
    """Random references to 1,500 pages, which move on by 300 pages after each 20,000 references."""
    dice = np.random.default_rng(41)
    return np.concatenate(
        [dice.integers(300 * turn, 300 * turn + 1500, 20_000) for turn in range(12)]
    ).astype(np.uint64)


def merge_sort() -> Pages:
    """Passes from one array into another, whose roles change; two inputs and an output advance together."""
    half = 1200
    passes = []
    for turn in range(16):
        source, target = (0, 2 * half) if turn % 2 == 0 else (2 * half, 0)
        step = np.arange(half)
        passes.append(
            np.stack(
                [source + step, source + half + step, target + 2 * step, target + 2 * step + 1], axis=1
            ).ravel()
        )
    return np.concatenate(passes).astype(np.uint64)


def transposition() -> Pages:
    """A matrix read by rows and written by columns: 64 pages wide, 60 high."""
    place = np.arange(64 * 60)
    by_column = place % 60 * 64 + place // 60
    return np.tile(np.stack([place, 4000 + by_column], axis=1).ravel(), 8).astype(np.uint64)


def stencil() -> Pages:
    """Three arrays swept together, forth and back."""
    forth = np.arange(1100)
    both = np.concatenate([forth, forth[::-1]])
    return np.tile(np.stack([both, both + 1500, both + 3000], axis=1).ravel(), 14).astype(np.uint64)


def call_stack() -> Pages:
    """A stack that grows and shrinks to random depths."""
    dice = np.random.default_rng(43)
    depths = np.concatenate([[0], dice.integers(0, 4000, 80)])
    walks = [np.arange(a, b, 1 if b > a else -1) for a, b in pairwise(depths)]
    return np.concatenate(walks).astype(np.uint64)


def random_cycle() -> Pages:
    """Pages in one random order, again and again."""
    return np.tile(np.random.default_rng(44).permutation(3900), 30).astype(np.uint64)


def index_and_table() -> Pages:
    """320 references to an index of 600 pages by Zipf's law, then a scan of 400 pages of a table."""
    dice = np.random.default_rng(45)
    weights = 1 / np.arange(1, 601)
    parts = []
    for _ in range(240):
        begin = 600 + int(dice.integers(0, 5400))
        parts += [dice.choice(600, 40 * 8, p=weights / weights.sum()), np.arange(begin, begin + 400)]
    return np.concatenate(parts).astype(np.uint64)


def loop_then_random() -> Pages:
    """A loop, then random references to the same pages."""
    return np.concatenate(
        [_loop(0, 4000, 10), np.random.default_rng(46).integers(0, 4000, 60_000).astype(np.uint64)]
    )


def factorisation() -> Pages:
    """A triangular sweep: each step goes over what is left of a square of 70 x 70 pages."""
    square = np.arange(70 * 70).reshape(70, 70)
    return np.concatenate([square[step:, step:].ravel() for step in range(0, 70, 2)]).astype(np.uint64)


def producer_and_consumer() -> Pages:
    """A ring that is written in order, and read 900 pages later."""
    write = np.arange(120_000)
    return np.stack([write % 5000, (write - 900) % 5000], axis=1).ravel().astype(np.uint64)


def sweep_with_a_hot_part() -> Pages:
    """A loop over 5,000 pages; after every 50 of them 25 random ones of 300 further pages."""
    dice = np.random.default_rng(47)
    swept = _loop(300, 5000, 20).reshape(-1, 50)
    hot = dice.integers(0, 300, (swept.shape[0], 25)).astype(np.uint64)
    return np.concatenate([swept, hot], axis=1).ravel()


UNSEEN: Mapping[str, Callable[[], Pages]] = {
    each.__name__.replace("_", " "): each
    for each in (
        arrays_one_by_one,
        phases_in_turn,
        loops_side_by_side,
        growing,
        shrinking,
        moving_hot_set,
        merge_sort,
        transposition,
        stencil,
        call_stack,
        random_cycle,
        index_and_table,
        loop_then_random,
        factorisation,
        producer_and_consumer,
        sweep_with_a_hot_part,
    )
}


class UnseenTrace(Trace):
    """One of the traces, by its name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._pages = UNSEEN[name]()

    def __iter__(self) -> Iterator[Chunk]:
        yield Chunk(self._pages)
