# SPDX-License-Identifier: BSD-2-Clause
"""What a curve of parts costs: time, bytes and memory by formulas, with constants measured on this machine.

P workers, a part of m references each; F(x) distinct pages in x references; r seconds a reference,
j a page of a join, c a page of an append; b(F) bytes of a state of F pages;
a network of B bytes/s into each worker, L seconds a message

tree    m r + sum over levels l of  L + b(F(2^l m)) / B + j F(2^(l+1) m)
chain   m r + (P - 1) max(L + b(F(m)) / B, c F(m))
wave    m r + sum over steps k of  L + w n_k / B + c n_k
        n_k: pages of a part that none of the k - 1 parts before it has, of w bytes each
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from litemrc.native import _core
from litemrc.native.part_engines import ExactPart, ExactState
from numpy.typing import NDArray

from bench.cluster.simulation import Network, timed
from bench.peak_memory import peak_resident_bytes, reset_peak

SCATTERED = np.uint64(0x9E3779B97F4A7C15)
_CHUNK = 1 << 17


@dataclass(frozen=True)
class Constants:
    """Measured seconds and bytes.

    reference_s: a reference of a part that has seen all its pages.
    join_s: a page of a join of two states with the same pages.
    append_s: a page appended to a stack that stays in memory.
    join_bytes: peak memory of a join, a page, beside the states.
    """

    reference_s: float
    join_s: float
    append_s: float
    join_bytes: float = 0.0


def measured_constants(pages: int, references: int) -> Constants:
    """Measure the constants for a footprint of pages scattered over 64-bit numbers, drawn log-uniformly."""
    generator = np.random.default_rng(2012)
    states: list[ExactState] = []
    for _ in range(2):
        engine = ExactPart()
        for chunk in np.array_split(generator.permutation(pages).astype(np.uint64), -(-pages // _CHUNK)):
            engine.access(chunk * SCATTERED)
        if not states:
            spent = 0.0
            for _ in range(-(-references // _CHUNK)):
                drawn = (pages ** generator.random(_CHUNK)).astype(np.uint64) * SCATTERED
                spent += timed(engine.access, drawn)[1]
        states.append(engine.state())
        del engine
    one, other = states
    reset_peak()
    before = peak_resident_bytes()
    joined, join_s = timed(one.join, other)
    peak = peak_resident_bytes() - before
    del joined
    core, ranks = _core.ExactPart(), other.ranks.astype(np.uint32)
    core.restore(one.pages, one.ranks.astype(np.uint32), pages)
    _, append_s = timed(core.join, other.pages, ranks)
    drawn_references = -(-references // _CHUNK) * _CHUNK
    return Constants(spent / drawn_references, join_s / pages, append_s / pages, peak / pages)


def integer_bytes(most: int) -> int:
    """Return the bytes of the smallest unsigned integer that holds a value."""
    return np.min_scalar_type(most).itemsize


def state_bytes(pages: int, highest_page: int, most_count: int) -> int:
    """Return the bytes of a state: numbers of pages, ranks, and counters of distances 0 to `pages`."""
    a_page = integer_bytes(highest_page) + integer_bytes(pages)
    return pages * a_page + (pages + 1) * integer_bytes(max(most_count, pages))


@dataclass(frozen=True)
class Plan:
    """Equal parts on as many workers.

    parts: a power of two for `tree`, otherwise the next one counts.
    part_s: seconds of a part.
    footprint: distinct pages in the references of n parts.
    size: bytes of the state of n pages.
    travelling: by step k, pages of a part that the k - 1 parts before it lack.
    page_bytes: bytes of a travelling page.
    """

    parts: int
    part_s: float
    footprint: Callable[[int], int]
    size: Callable[[int], int]
    travelling: Callable[[int], float]
    page_bytes: int
    constants: Constants
    network: Network

    def tree(self) -> tuple[float, int]:
        """Return seconds and bytes."""
        seconds, moved, joined = self.part_s, 0, 1
        while joined < self.parts:
            message = self.size(self.footprint(joined))
            seconds += self.network.seconds(message) + self.constants.join_s * self.footprint(2 * joined)
            moved += self.parts // (2 * joined) * message
            joined *= 2
        return seconds, moved

    def chain(self) -> tuple[float, int]:
        """Return seconds and bytes."""
        pages = self.footprint(1)
        step = max(self.network.seconds(self.size(pages)), self.constants.append_s * pages)
        return self.part_s + (self.parts - 1) * step, (self.parts - 1) * self.size(pages)

    def wave(self) -> tuple[float, int]:
        """Return seconds and bytes."""
        seconds, moved = self.part_s, 0.0
        for step in range(1, self.parts):
            pages = self.travelling(step)
            seconds += self.network.seconds(round(self.page_bytes * pages)) + self.constants.append_s * pages
            moved += (self.parts - step) * self.page_bytes * pages
        return seconds, round(moved)


class Zipf:
    """Expected footprints of independent references with weights 1 / k (the generator's zipf)."""

    def __init__(self, pages: int) -> None:
        weights = 1 / np.arange(1, pages + 1)
        self._log_absent: NDArray[np.float64] = np.log1p(-weights / weights.sum())

    def footprint(self, references: float) -> int:
        return round(float(-np.expm1(references * self._log_absent).sum()))

    def travelling(self, references: float) -> Callable[[int], float]:
        """Return, by step k, the expected pages of a part that the k - 1 parts before it lack."""
        absent = np.exp(references * self._log_absent)
        return lambda step: float(((1 - absent) * absent ** (step - 1)).sum())
