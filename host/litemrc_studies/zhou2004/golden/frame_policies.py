# SPDX-License-Identifier: BSD-2-Clause
"""Policies that choose the victim page when memory is full, for `zhou2004.golden.multiprogram`.

With `reclaim_below` they also reclaim pages in the background (Zhou 2004, section 4.1.3): when fewer frames
are free, they evict pages until `reclaim_to` frames are free.
"""

from collections.abc import Sequence

import numpy as np
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import cheapest, may_grow

from litemrc_studies.zhou2004.golden.aged_curve import AgedCurve
from litemrc_studies.zhou2004.golden.multiprogram import Page


class GlobalClock:
    """CLOCK over all frames; equal to `glass1997.golden.replacement.Clock`, driven by admit and remove."""

    def __init__(self, frames: int, reclaim_below: int = 0, reclaim_to: int = 0) -> None:
        self._reclaim = reclaim_below, reclaim_to
        self._frames: list[Page | None] = [None] * frames
        self._used: set[Page | None] = set()
        self._free = list(range(frames))[::-1]
        self._hand = 0

    def touch(self, page: Page) -> None:
        self._used.add(page)

    def admit(self, page: Page) -> Page | None:
        victim = None if self._free else self._evict()
        self._frames[self._free.pop()] = page
        self._used.add(page)
        return victim

    def reclaim(self) -> list[Page]:
        below, to = self._reclaim
        if len(self._free) >= below:
            return []
        return [self._evict() for _ in range(to - len(self._free))]

    def free_frames(self) -> int:
        return len(self._free)

    def _evict(self) -> Page:
        """Free the frame of the next page that is not used."""
        while (page := self._frames[self._hand]) is None or page in self._used:
            self._used.discard(page)
            self._hand = (self._hand + 1) % len(self._frames)
        self._frames[self._hand] = None
        self._free.append(self._hand)
        self._hand = (self._hand + 1) % len(self._frames)
        return page

    def remove(self, page: Page) -> None:
        frame = self._frames.index(page)
        self._frames[frame] = None
        self._free.append(frame)
        self._used.discard(page)

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        pass


class _LruLists:
    """Resident pages of all processes in one list, least recently used first."""

    def __init__(self, frames: int, processes: int, reclaim_below: int = 0, reclaim_to: int = 0) -> None:
        self.frames, self.processes = frames, processes
        self.reclaim_below, self.reclaim_to = reclaim_below, reclaim_to
        self.pages: list[Page] = []

    def size(self, process: int) -> int:
        return sum(owner == process for owner, _ in self.pages)

    def oldest(self, *processes: int) -> Page:
        return next(page for page in self.pages if page[0] in processes)

    def touch(self, page: Page) -> None:
        self.pages.remove(page)
        self.pages.append(page)

    def admit(self, page: Page) -> Page | None:
        victim = self.victim(page[0])
        if victim is not None:
            self.pages.remove(victim)
        self.pages.append(page)
        return victim

    def remove(self, page: Page) -> None:
        self.pages.remove(page)

    def reclaim(self) -> list[Page]:
        evicted: list[Page] = []
        if self.free_frames() < self.reclaim_below:
            while self.free_frames() < self.reclaim_to and (pages := self.reclaimed()):
                evicted += pages
                self.pages = [page for page in self.pages if page not in pages]
        return evicted

    def free_frames(self) -> int:
        return self.frames - len(self.pages)

    def victim(self, process: int) -> Page | None:
        """Return the page evicted for a page of this process; None if it takes a free frame."""
        raise NotImplementedError

    def reclaimed(self) -> list[Page]:
        """Return the next pages that are reclaimed in the background; none if no process can spare any."""
        raise NotImplementedError

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        pass


class GlobalLru(_LruLists):
    """Evicts the least recently used page of all processes."""

    def victim(self, process: int) -> Page | None:
        return None if self.free_frames() else self.pages[0]

    def reclaimed(self) -> list[Page]:
        return self.pages[:1]


class Partitions(_LruLists):
    """Each process has its own frames and evicts its own least recently used page."""

    def __init__(self, shares: Sequence[int]) -> None:
        super().__init__(sum(shares), len(shares))
        self._shares = shares

    def victim(self, process: int) -> Page | None:
        return self.oldest(process) if self.size(process) == self._shares[process] else None


class MrcDirected(_LruLists):
    """A faulting process takes a page of the process that loses least, or evicts its own (section 4.1.3).

    While more than `reclaim_to` frames are free, it takes one of these. Otherwise the following applies.

    The process takes a page if it is below its minimum, or if delta pages gain it more than the cheapest
    other process loses by them. Otherwise, the least recently used page of all processes that lose nothing by
    giving up delta pages is evicted. If every process would lose, the faulting process evicts its own page.

    Curves have one point per page group. A group that is held in part counts as held for losses and as not
    held for gains; otherwise a process whose pages just fit would seem to need none.

    With `reclaim_below`, a process that grows takes a free frame, if there is one. In the background, the
    process that loses least gives up delta pages, its least recently used, until enough frames are free.

    Parameters
    ----------
    minimums, weights
        of each process.
    group_pages, groups, decay
        of the curves.
    delta_pages
        amount of memory that is compared.
    convex
        use the convex hulls of the curves.
    end_performance
        utilities are hits per unit of time instead of hit ratios.
    """

    def __init__(
        self,
        frames: int,
        minimums: Sequence[int],
        weights: Sequence[float],
        *,
        group_pages: int,
        groups: int,
        decay: float,
        delta_pages: int,
        convex: bool = True,
        end_performance: bool = False,
        reclaim_below: int = 0,
        reclaim_to: int = 0,
    ) -> None:
        super().__init__(frames, len(minimums), reclaim_below, reclaim_to)
        self._minimums, self._weights, self._group = minimums, weights, group_pages
        self._sizes = (np.arange(groups) + 1) * group_pages
        self._delta, self._convex, self._end_performance = delta_pages, convex, end_performance
        self._curves = [AgedCurve(groups, decay) for _ in minimums]

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        self._curves[process].add(counts, now)

    def demand(self, process: int) -> Demand:
        """Return the demand of a process by its current curve."""
        curve = self._curves[process]
        return Demand(
            name=str(process),
            sizes_pages=self._sizes,
            miss_ratio=np.array(curve.convex_miss_ratios if self._convex else curve.miss_ratios),
            accesses=1,
            weight=self._weights[process],
            reference_rate=curve.reference_rate if self._end_performance else None,
        )

    def victim(self, process: int) -> Page | None:
        free = self.free_frames()
        size = self.size(process)
        if free > self.reclaim_to or (free and size < self._minimums[process]):
            return None
        able = self._able()
        givers = [number for number in able if number != process]
        demands = [self.demand(number) for number in givers]
        whole_groups = [self._whole_groups(number) for number in givers]
        giver = cheapest(demands, whole_groups, self._delta)
        if size < self._minimums[process]:
            # If no process can give a whole delta, the one with most above its minimum gives.
            most = max(givers, key=lambda n: (self.size(n) - self._minimums[n], -n))
            return self.oldest(most if giver is None else givers[giver])
        both = [self.demand(process), *demands]
        if giver is not None and may_grow(both, [size, *whole_groups], 0, self._delta):
            return None if free else self.oldest(givers[giver])
        idle = [number for number in able if self._loses_nothing(number)]
        return self.oldest(*idle) if idle else self.oldest(process)

    def reclaimed(self) -> list[Page]:
        able = self._able()
        demands = [self.demand(number) for number in able]
        giver = cheapest(demands, [self._whole_groups(number) for number in able], self._delta)
        if giver is None:
            return []
        number = able[giver]
        spare = min(self._delta, self.size(number) - self._minimums[number])
        return [page for page in self.pages if page[0] == number][:spare]

    def _able(self) -> list[int]:
        """Return the processes that hold more than their minimum."""
        return [number for number in range(self.processes) if self.size(number) > self._minimums[number]]

    def _whole_groups(self, number: int) -> int:
        return -(-self.size(number) // self._group) * self._group

    def _loses_nothing(self, number: int) -> bool:
        demand, size = self.demand(number), self._whole_groups(number)
        return size >= self._delta and demand.utility(size) == demand.utility(size - self._delta)
