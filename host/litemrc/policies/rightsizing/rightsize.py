# SPDX-License-Identifier: BSD-2-Clause
"""The smallest budget that keeps the slowdown of a process below a goal, predicted from one run.

Slowdown is the time of the same work with a budget of m pages, relative to the time with all memory, less 1.
A fault of a page that was in memory before (refault) costs the time of its return and of the eviction that it
forces. In a window of T seconds, in which the process took r refaults, work alone takes T - r x cost. With m
pages the accesses whose LRU stack distance is m or more are refaults, so

    slowdown(m) = refaults(m) x cost / (T - r x cost).

First accesses to a page fault at every size, and are part of T.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError

_RESAMPLES = 400
_SEED = 22
_BAND = (5, 95)  # percent


@dataclass(frozen=True)
class FaultCost:
    """Time of a refault with the eviction that it forces, in seconds.

    Attributes
    ----------
    median, low, high
        50th, 10th and 90th percentile of repeated measurements.

    Raises
    ------
    UserError
        not 0 < low <= median <= high.
    """

    median: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.median <= self.high < np.inf:
            raise UserError(
                f"a fault cannot cost {self.median:g} s, between {self.low:g} and {self.high:g} s",
                remedy="measure it again",
            )


@dataclass(frozen=True, eq=False)
class Window:
    """What a process did in some epochs.

    Attributes
    ----------
    reuses
        float64[epochs, groups], accesses by the page group of their LRU stack distance, in memory and
        evicted.
    refaults
        float64[epochs], faults of evicted pages, with those whose distance is unknown.
    unknown
        float64[epochs], refaults whose distance is unknown.
    seconds
        float64[epochs], time of each epoch.
    group_pages
        pages of a group.
    open_group
        the last group whose distance is known; it also has all larger distances.
    """

    reuses: NDArray[np.float64]
    refaults: NDArray[np.float64]
    unknown: NDArray[np.float64]
    seconds: NDArray[np.float64]
    group_pages: int
    open_group: int

    @classmethod
    def of(
        cls,
        epochs: Sequence[HitCounters],
        unknown: Sequence[int],
        seconds: Sequence[float],
        *,
        open_group: int,
    ) -> "Window":
        """Return the window of these epochs.

        Parameters
        ----------
        unknown
            of each epoch, evictions and refaults whose page or order is unknown.
        seconds
            of each epoch.
        open_group
            last group of a tail of refaults; it counts all deeper ones.

        Raises
        ------
        UserError
            no epoch, or page groups that changed between epochs.
        """
        if not epochs:
            raise UserError("no epoch was counted", remedy="observe the process while it runs, or longer")
        if len({epoch.group_pages for epoch in epochs}) > 1:
            raise UserError("the sampling changed between epochs", remedy="observe with one sampling rate")
        shift = epochs[0].scale_log2
        groups = max(open_group + 1, *(epoch.combined_hits.size for epoch in epochs))
        reuses = np.zeros((len(epochs), groups))
        for row, epoch in zip(reuses, epochs, strict=True):
            row[: epoch.combined_hits.size] = epoch.combined_hits * 2.0**shift
        lost = np.asarray(unknown, np.float64)
        refaults = np.array([float(epoch.refaults.sum()) for epoch in epochs]) + lost
        return cls(reuses, refaults, lost, np.asarray(seconds, float), epochs[0].group_pages, open_group)


@dataclass(frozen=True)
class Rightsize:
    """The answer.

    Attributes
    ----------
    pages
        the smallest budget that reaches the goal; None: no size of the curve does.
    slowdown
        predicted with that budget, or else with all pages of the curve.
    slowdown_band
        of 90 %, over the epochs and the spread of the cost.
    pages_band
        the same band of `pages`; None: beyond the end of the curve.
    end_pages
        where the curve ends. Nothing is known about accesses with larger distances.
    beyond
        such accesses; they are refaults in all these predictions.
    refaults
        that the process took in the window: what this answer cost, if its budget was small then.
    work_seconds
        the window's time without them.
    """

    pages: int | None
    slowdown: float
    slowdown_band: tuple[float, float]
    pages_band: tuple[int | None, int | None]
    end_pages: int
    beyond: int
    refaults: int
    work_seconds: float


def slowdowns(window: Window, cost_s: float, epochs: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Return the slowdown with one group, two groups ... all groups.

    Parameters
    ----------
    cost_s
        of a refault.
    epochs
        indices of the epochs to take, repeated ones counted again; None: all.

    Returns
    -------
    float64[groups], non-increasing; inf if refaults take all the time.
    """
    taken = slice(None) if epochs is None else epochs
    reuses = window.reuses[taken].sum(axis=0)
    unknown = window.unknown[taken].sum()
    work = window.seconds[taken].sum() - window.refaults[taken].sum() * cost_s
    deeper = np.cumsum(reuses[::-1])[::-1] - reuses  # with a distance in a larger group
    deeper[-1] += reuses[window.open_group] if window.open_group == reuses.size - 1 else 0
    if work <= 0:
        return np.full(deeper.size, np.inf)
    return (deeper + unknown) * cost_s / work


def rightsize(window: Window, cost: FaultCost, goal: float) -> Rightsize:
    """Return the smallest budget whose predicted slowdown is at most `goal`.

    Parameters
    ----------
    goal
        for example 0.05.

    Raises
    ------
    UserError
        a goal of 0 or less; refaults that cost more than the window's time.
    """
    if not 0 < goal < np.inf:
        raise UserError(f"a slowdown of {goal:g} is no goal", remedy="give more than 0, such as 0.05")
    predicted = slowdowns(window, cost.median)
    if not np.isfinite(predicted).all():
        raise UserError(
            f"{window.refaults.sum():,.0f} refaults of {cost.median * 1e6:,.0f} us take longer than the"
            f" window of {window.seconds.sum():g} s",
            remedy="measure the cost of a fault again, while the machine is as busy as in the window",
        )
    found = _smallest(predicted, goal)
    samples = _resampled(window, cost)
    at = predicted.size - 1 if found is None else found
    low, high = np.percentile([sample[at] for sample in samples], _BAND)
    unit = window.group_pages
    smallest = [_smallest(sample, goal) for sample in samples]
    sizes = sorted(np.inf if group is None else (group + 1) * unit for group in smallest)
    band = [sizes[len(sizes) * percent // 100] for percent in _BAND]
    pages = [int(size) if size < np.inf else None for size in band]
    beyond = float(window.unknown.sum() + window.reuses[:, window.open_group].sum())
    refaults = float(window.refaults.sum())
    return Rightsize(
        pages=None if found is None else (found + 1) * unit,
        slowdown=float(predicted[at]),
        slowdown_band=(float(low), float(high)),
        pages_band=(pages[0], pages[1]),
        end_pages=predicted.size * unit,
        beyond=round(beyond),
        refaults=round(refaults),
        work_seconds=float(window.seconds.sum() - refaults * cost.median),
    )


def _resampled(window: Window, cost: FaultCost) -> list[NDArray[np.float64]]:
    """Return the slowdowns of windows of epochs drawn at random, each with a cost drawn from its spread."""
    dice = np.random.default_rng(_SEED)
    count = window.seconds.size
    costs = np.full(_RESAMPLES, cost.median)
    if cost.low < cost.high:
        costs = dice.triangular(cost.low, cost.median, cost.high, _RESAMPLES)
    return [slowdowns(window, cost_s, dice.integers(count, size=count)) for cost_s in costs]


def _smallest(predicted: NDArray[np.float64], goal: float) -> int | None:
    """Return the index of the first size that reaches the goal."""
    reached = np.flatnonzero(predicted <= goal)
    return int(reached[0]) if reached.size else None
