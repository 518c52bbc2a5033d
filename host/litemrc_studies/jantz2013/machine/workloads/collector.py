# SPDX-License-Identifier: BSD-2-Clause
"""A program with a stop-the-world generational garbage collector (Jantz et al. 2013, 6.1, 8.3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from litemrc_studies.jantz2013.machine.events import LOAD, Event, Intend, Paint, Phase, Visits
from litemrc_studies.jantz2013.machine.hardware import LINE_NS, LINES
from litemrc_studies.jantz2013.policies.intents import ColorIntent

YOUNG, TENURED = "YOUNG", "TENURED"
_CHUNK = 16_384
_ROOT_SHARE = 0.1  # share of live pages that a collection visits again


@dataclass(frozen=True)
class Collector:
    """Transactions allocate in eden and visit the tenured generation; a full eden is collected.

    The heap consists of eden, two survivor spaces and the tenured generation, in this order. A collection
    reads the live pages of eden and one survivor space and copies them to the other one; the older part is
    promoted to the tail of the tenured generation, of which nothing else is touched. When the tenured
    generation is full, it is reused from its beginning, as if by a full collection without cost.

    Attributes
    ----------
    young_pages, tenured_pages
        sizes of the generations.
    survivor_share
        size of each survivor space, as a share of the young generation.
    live_share
        live share of eden at a collection.
    tenured_share
        promoted share of the live pages.
    filled_share
        share of the tenured generation that is filled at the beginning.
    collections
        number of collections.
    tenured_visits
        visits to the tenured generation per allocated page, Zipf-distributed.
    alpha
        parameter of the Zipf distribution.
    gap_ns
        compute time before each visit of transactions.
    collect_gap_ns
        compute time before each visit of collections, which chase pointers.
    line_ns
        transfer time of a line.
    intents
        of the colors YOUNG and TENURED; empty: the heap has no colors.
    """

    young_pages: int
    tenured_pages: int
    survivor_share: float = 0.1
    live_share: float = 0.1
    tenured_share: float = 0.2
    filled_share: float = 0.8
    collections: int = 8
    tenured_visits: float = 2.0
    alpha: float = 0.6
    gap_ns: float = 600.0
    collect_gap_ns: float = 2_000.0
    line_ns: float = LINE_NS
    intents: Mapping[str, ColorIntent] = field(default_factory=dict)

    @property
    def resident_pages(self) -> int:
        return self.young_pages + self.tenured_pages

    @property
    def processes(self) -> int:
        return 1

    @property
    def survivor_pages(self) -> int:
        return int(self.young_pages * self.survivor_share)

    @property
    def eden_pages(self) -> int:
        return self.young_pages - 2 * self.survivor_pages

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield loading, then alternating transactions and collections."""
        young, heap = self.young_pages, self.resident_pages
        if self.intents:
            yield Intend(0, self.intents, heap)
            yield Paint(0, 0, young, YOUNG)
            yield Paint(0, young, heap, TENURED)
        yield Phase(LOAD)
        filled = int(self.tenured_pages * self.filled_share)
        # Both generations grow together, like when a database is loaded.
        both = np.concatenate([np.arange(young), young + np.arange(filled)])
        when = np.concatenate([np.arange(young) / young, np.arange(filled) / filled])
        yield self._visits(both[np.argsort(when, kind="stable")], 0, LINES, self.gap_ns)
        weights = np.cumsum(np.arange(1, self.tenured_pages + 1) ** -self.alpha)
        order = rng.permutation(filled)
        tail = filled
        for number in range(self.collections):
            yield Phase("transactions")
            yield from self._transactions(rng, weights[: order.size] / weights[order.size - 1], order)
            yield Phase("collection")
            live = self._live(rng, number)
            yield from self._collection(rng, live, number, tail)
            promoted = int(live.size * self.tenured_share)
            new = (tail + np.arange(promoted)) % self.tenured_pages
            tail = (tail + promoted) % self.tenured_pages
            order = np.concatenate([order, np.setdiff1d(new, order)])

    def _transactions(self, rng: np.random.Generator, sums: np.ndarray, order: np.ndarray) -> Iterator[Event]:
        """Yield visits that fill eden from its beginning, with visits to the tenured generation between."""
        every = 1 + self.tenured_visits
        total = int(self.eden_pages * every)
        for begin in range(0, total, _CHUNK):
            turn = np.arange(begin, min(begin + _CHUNK, total))
            eden = (turn / every).astype(np.int64)
            allocates = np.diff(eden, prepend=-1 if not begin else int((begin - 1) / every)) > 0
            ranks = np.searchsorted(sums, rng.random(turn.size))
            pages = np.where(allocates, eden, self.young_pages + order[ranks])
            reads = np.where(allocates, 0, 2).astype(np.uint8)
            writes = np.where(allocates, LINES, 1).astype(np.uint8)
            yield self._visits(pages, reads, writes, self.gap_ns)

    def _live(self, rng: np.random.Generator, number: int) -> np.ndarray:
        """Return the live pages of the young generation, in the order in which they are found."""
        survivors = self.eden_pages + (number % 2) * self.survivor_pages + np.arange(self.survivor_pages)
        of_eden = rng.choice(self.eden_pages, int(self.eden_pages * self.live_share), replace=False)
        return rng.permutation(np.concatenate([of_eden, survivors[: of_eden.size]]))

    def _collection(
        self, rng: np.random.Generator, live: np.ndarray, number: int, tail: int
    ) -> Iterator[Event]:
        """Yield visits that copy each live page to a survivor space or to the tenured generation's tail."""
        promoted = int(live.size * self.tenured_share)
        stay = self.eden_pages + ((number + 1) % 2) * self.survivor_pages
        target = np.concatenate(
            [
                self.young_pages + (tail + np.arange(promoted)) % self.tenured_pages,
                stay + np.arange(live.size - promoted) % self.survivor_pages,
            ]
        )
        # Promoted pages are written together at the end, like through a promotion buffer.
        copied = np.stack([live[promoted:], target[promoted:]], axis=1).ravel()
        reads = np.tile(np.array([LINES, 0], np.uint8), live.size - promoted)
        yield self._visits(copied, reads, LINES - reads, self.collect_gap_ns)
        again = rng.choice(live, int(live.size * _ROOT_SHARE))
        yield self._visits(again, 4, 0, self.collect_gap_ns)
        moved = np.stack([live[:promoted], target[:promoted]], axis=1).ravel()
        reads = np.tile(np.array([LINES, 0], np.uint8), promoted)
        yield self._visits(moved, reads, LINES - reads, self.collect_gap_ns)

    def _visits(
        self, pages: np.ndarray, reads: np.ndarray | int, writes: np.ndarray | int, gap_ns: float
    ) -> Visits:
        return Visits(0, pages, reads, writes, self.line_ns, gap_ns)
