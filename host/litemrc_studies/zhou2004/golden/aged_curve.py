# SPDX-License-Identifier: BSD-2-Clause
"""Aged miss-ratio curve of a process: epoch hit counts that decay with the process's own references."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.golden.monitor.os_tracker import OsTracker

FORGOTTEN = 2.0**-10  # counts below this share of a reference become 0
References = Iterable[tuple[int, bool] | None]  # None: the process frees all its pages


class AgedCurve:
    """Miss ratios at 1, 2 ... groups of pages; recent references weigh more.

    Parameters
    ----------
    groups
        page groups of the stack.
    decay
        factor applied to all counts at the end of an epoch: 0.5 ** (epoch / half-life), both in
        references.
    """

    def __init__(self, groups: int, decay: float) -> None:
        self._decay = decay
        self._counts = [0.0] * (groups + 1)
        self._references = self._time = 0.0
        self._last = 0

    def add(self, counts: Sequence[float], now: int) -> None:
        """Add an epoch that ended: hits in each group, then misses."""
        aged = [count * self._decay for count in self._counts]
        aged = [count if count >= FORGOTTEN else 0.0 for count in aged]
        self._counts = [old + new for old, new in zip(aged, counts, strict=True)]
        self._references *= self._decay
        for count in counts:
            self._references += count
        self._time = self._time * self._decay + (now - self._last)
        self._last = now

    @property
    def miss_ratios(self) -> list[float]:
        """Return the miss ratios at one group, two groups ... all groups; all 1 before the first epoch."""
        total = 0.0
        for count in self._counts:
            total += count
        ratios, hits = [], 0.0
        for count in self._counts[:-1]:
            hits += count
            ratios.append(max(total - hits, 0.0) / total if total else 1.0)
        return ratios

    @property
    def convex_miss_ratios(self) -> list[float]:
        """Return the lower convex hull of the miss ratios."""
        ratios = [1.0, *self.miss_ratios]
        hull: list[int] = []
        for right, ratio in enumerate(ratios):
            while len(hull) > 1:
                left, middle = hull[-2:]
                before = (ratios[middle] - ratios[left]) * (right - middle)
                if before < (ratio - ratios[middle]) * (middle - left):
                    break
                hull.pop()
            hull.append(right)
        convex = list(ratios)
        for left, right in pairwise(hull):
            fall = ratios[right] - ratios[left]
            for place in range(left + 1, right):
                between = ratios[left] + fall * ((place - left) / (right - left))
                convex[place] = max(between, ratios[right])
        return convex[1:]

    @property
    def reference_rate(self) -> float:
        """Return references per tick of elapsed time, including waiting and sleeping."""
        return self._references / self._time if self._time else 0.0


def epoch_counts(
    references: Iterable[tuple[int, bool] | None], epoch: int, group_pages: int, groups: int
) -> Iterator[list[float]]:
    """Yield the counts of each epoch of one process from an exact stack; None frees all pages."""
    stack = LruStack[int]()
    counts, touches = [0.0] * (groups + 1), 0
    for reference in references:
        if reference is None:
            stack = LruStack()
            continue
        position = stack.access(reference[0])
        group = groups if position is None else min(position // group_pages, groups)
        counts[group] += 1
        touches += 1
        if touches % epoch == 0:
            yield counts
            counts = [0.0] * (groups + 1)


def tracked_epochs(
    references: References, tracker: OsTracker, epoch: int, groups: int, *, seen_only: bool
) -> Iterator[list[float]]:
    """Yield the counts of each epoch, as `aged_curve.epoch_counts`: what the tracker counted in it.

    Parameters
    ----------
    seen_only
        unseen accesses are not counted; otherwise they are hits of the first group.
    """
    before, touches = [0] * (groups + 1), 0
    for reference in references:
        if reference is None:
            tracker.release()
            continue
        tracker.access(reference[0])
        touches += 1
        if touches % epoch == 0:
            counted = [tracker.hits.get(group, 0) for group in range(groups)] + [tracker.misses]
            if not seen_only:
                counted[0] += tracker.unseen
            yield [float(now - then) for now, then in zip(counted, before, strict=True)]
            before = counted


def tracking_ticks(references: References, tracker: OsTracker, costs: Sequence[int]) -> Iterator[int]:
    """Yield the time that tracking takes at each reference.

    Parameters
    ----------
    costs
        ticks of each of the tracker's `Events`.
    """
    for reference in references:
        if reference is None:
            tracker.release()
        else:
            events = tracker.access(reference[0])
            yield sum(cost * count for cost, count in zip(costs, events, strict=True))
