"""Policies that choose the victim page when memory is full, for `golden.machines.multiprogram`."""

from collections.abc import Sequence

import numpy as np

from litemrc.golden.machines.aged_curve import AgedCurve
from litemrc.golden.machines.multiprogram import Page
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import cheapest, may_grow


class GlobalClock:
    """CLOCK over all frames; equal to `golden.machines.replacement.Clock`, driven by admit and remove."""

    def __init__(self, frames: int) -> None:
        self._frames: list[Page | None] = [None] * frames
        self._used: set[Page | None] = set()
        self._free = list(range(frames))[::-1]
        self._hand = 0

    def touch(self, page: Page) -> None:
        self._used.add(page)

    def admit(self, page: Page) -> Page | None:
        victim = None
        if self._free:
            frame = self._free.pop()
        else:
            while self._frames[self._hand] in self._used:
                self._used.remove(self._frames[self._hand])
                self._hand = (self._hand + 1) % len(self._frames)
            frame, self._hand = self._hand, (self._hand + 1) % len(self._frames)
            victim = self._frames[frame]
        self._frames[frame] = page
        self._used.add(page)
        return victim

    def remove(self, page: Page) -> None:
        frame = self._frames.index(page)
        self._frames[frame] = None
        self._free.append(frame)
        self._used.discard(page)

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        pass


class _LruLists:
    """Resident pages of all processes in one list, least recently used first."""

    def __init__(self, frames: int, processes: int) -> None:
        self.frames, self.processes = frames, processes
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

    def victim(self, process: int) -> Page | None:
        """Return the page evicted for a page of this process; None if a frame is free."""
        raise NotImplementedError

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        pass


class GlobalLru(_LruLists):
    """Evicts the least recently used page of all processes."""

    def victim(self, process: int) -> Page | None:
        return self.pages[0] if len(self.pages) == self.frames else None


class Partitions(_LruLists):
    """Each process has its own frames and evicts its own least recently used page."""

    def __init__(self, shares: Sequence[int]) -> None:
        super().__init__(sum(shares), len(shares))
        self._shares = shares

    def victim(self, process: int) -> Page | None:
        return self.oldest(process) if self.size(process) == self._shares[process] else None


class MrcDirected(_LruLists):
    """A faulting process takes a page of the process that loses least, or evicts its own (section 4.1.3).

    The process takes a page if it is below its minimum, or if delta pages gain it more than the cheapest
    other process loses by them. Otherwise, the least recently used page of all processes that lose nothing by
    giving up delta pages is evicted. If every process would lose, the faulting process evicts its own page.

    Curves have one point per page group. A group that is held in part counts as held for losses and as not
    held for gains; otherwise a process whose pages just fit would seem to need none.

    Parameters:
        minimums, weights: of each process.
        group_pages, groups, decay: of the curves.
        delta_pages: amount of memory that is compared.
        convex: use the convex hulls of the curves.
        end_performance: utilities are hits per unit of time instead of hit ratios.
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
    ) -> None:
        super().__init__(frames, len(minimums))
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
        if len(self.pages) < self.frames:
            return None
        size = self.size(process)
        able = [n for n in range(self.processes) if self.size(n) > self._minimums[n]]
        givers = [number for number in able if number != process]
        demands = [self.demand(number) for number in givers]
        whole_groups = [-(-self.size(number) // self._group) * self._group for number in givers]
        giver = cheapest(demands, whole_groups, self._delta)
        if size < self._minimums[process]:
            # If no process can give a whole delta, the one with most above its minimum gives.
            most = max(givers, key=lambda n: (self.size(n) - self._minimums[n], -n))
            return self.oldest(most if giver is None else givers[giver])
        both = [self.demand(process), *demands]
        if giver is not None and may_grow(both, [size, *whole_groups], 0, self._delta):
            return self.oldest(givers[giver])
        idle = [number for number in able if self._loses_nothing(number)]
        return self.oldest(*idle) if idle else self.oldest(process)

    def _loses_nothing(self, number: int) -> bool:
        demand, size = self.demand(number), -(-self.size(number) // self._group) * self._group
        return size >= self._delta and demand.utility(size) == demand.utility(size - self._delta)
