# SPDX-License-Identifier: BSD-2-Clause
"""Division of memory among processes by gain, plain and slow; `litemrc.native.allocation` is equal to it.

All functions take the gain of each process as a function of memory above its minimum and the free memory, and
return the memory given to each process. Memory is in units of delta. The problem is that of section 4.1.1 of
Zhou et al. (ASPLOS 2004), a multiple-choice knapsack.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Gains:
    """Gain of a process by memory above its minimum: a step function, given by its steps.

    Attributes
    ----------
    units
        memory at each step, increasing, above 0.
    gains
        gain from each step on, increasing, above 0; below units[0] the gain is 0.
    priority
        the process with the largest comes first where gradients are equal.
    """

    units: Sequence[int]
    gains: Sequence[float]
    priority: float = 1.0

    @classmethod
    def of_curve(
        cls,
        sizes_pages: Sequence[int],
        utilities: Sequence[float],
        *,
        delta_pages: int,
        minimum: int,
        free: int,
        priority: float = 1.0,
    ) -> "Gains":
        """Return the gains above `minimum` of a utility that steps at these sizes and is 0 below them.

        Parameters
        ----------
        minimum, free
            units; steps beyond `minimum + free` are left out.
        """
        steps: dict[int, float] = {}
        base = 0.0
        for size, utility in zip(sizes_pages, utilities, strict=True):
            units = -(-size // delta_pages) - minimum
            if units <= 0:
                base = utility
            elif units <= free and utility - base > max(steps.values(), default=0.0):
                steps[units] = utility - base
        return cls(list(steps), list(steps.values()), priority)

    def at(self, units: int) -> float:
        """Return the gain with `units` of memory."""
        reached = [gain for size, gain in zip(self.units, self.gains, strict=True) if size <= units]
        return reached[-1] if reached else 0.0

    @property
    def points(self) -> list[tuple[int, float]]:
        """Return (memory, gain) of no memory and of all steps."""
        return [(0, 0.0), *zip(self.units, self.gains, strict=True)]


def total_gain(processes: Sequence[Gains], given: Sequence[int]) -> float:
    """Return the sum of the gains, added in this order; the rounding is part of the model."""
    total = 0.0
    for process, units in zip(processes, given, strict=True):
        total += process.at(units)
    return total


def steepest_gradient(processes: Sequence[Gains], free: int) -> list[int]:
    """Give each unit to the process that gains most by it, until no process can gain (section 4.1.2).

    A process takes part while any amount of memory would still add to its gain; on a plateau of its curve its
    gradient is 0. Ties go to the highest priority, then to the first process.
    """
    given = [0] * len(processes)

    def rank(number: int) -> tuple[float, float, int]:
        process, units = processes[number], given[number]
        return process.at(units + 1) - process.at(units), process.priority, -number

    for _ in range(free):
        wanting = [n for n, process in enumerate(processes) if process.units and given[n] < process.units[-1]]
        if not wanting:
            break
        given[max(wanting, key=rank)] += 1
    return given


def optimum(processes: Sequence[Gains], free: int) -> list[int]:
    """Return a division with the largest total gain, by dynamic programming; of several, the smallest."""
    return _best_choice([process.points for process in processes], free)


def bare_hull(processes: Sequence[Gains], free: int) -> list[int]:
    """Climb the concave hulls without repair (section 4.1.2); the last process chosen gets the rest."""
    hulls = _Hulls(processes, free)
    return hulls.given(hulls.bare)


def concave_hull(processes: Sequence[Gains], free: int, work: int) -> tuple[list[int], float]:
    """Climb the concave hulls by steepest gradient, and repair the result if a segment does not fit.

    If the curve is a step, a part of a segment gains nothing. Let s be the slope (gain per unit) of the first
    segment that does not fit, and B the gain if a part of that segment gained its share. No division gains
    more than B. The regret of a point (u, g) of a process is max(g' - s u') - (g - s u) over all its points
    (u', g'). The gain of a division is at most B minus the sum of its regrets. So a division that gains more
    than a known G has only points with a regret below B - G, and dynamic programming over those points finds
    the optimum. `work` limits the number of points, taken in the order of regret; a division that uses other
    points gains at most B minus the least regret left out.

    Parameters
    ----------
    work
        limit of the repair, in points times memory sizes.

    Returns
    -------
    the division, and an upper bound of the gain of any division.
    """
    hulls = _Hulls(processes, free)
    best = hulls.given(hulls.bare)
    gain = total_gain(processes, best)
    others = hulls.others(hulls.bound - gain)
    filled = hulls.filled([(number, place) for _, number, place in others])
    if total_gain(processes, filled) > gain:
        best, gain = filled, total_gain(processes, filled)
    gap = hulls.bound - gain
    if gap <= 0:
        return best, gain
    others = [other for other in others if other[0] < gap]
    allowed = work // (free + 1)
    proven = others[allowed][0] if len(others) > allowed else gap
    repaired = hulls.repaired([(number, place) for _, number, place in others[:allowed]], free)
    if total_gain(processes, repaired) > gain:
        best, gain = repaired, total_gain(processes, repaired)
    return best, max(gain, hulls.bound - proven)


class _Hulls:
    """The concave hulls of the processes, climbed until a segment does not fit.

    Attributes
    ----------
    points
        of each process.
    places
        for each process, the index of the point reached when the first segment did not fit.
    left
        memory left then; 0 if every segment fitted.
    slope
        gain per unit of that segment, or of the last one.
    bound
        the gain if parts of a segment gained their share.
    bare
        `places`, but the process whose segment did not fit climbs its steps while they fit.
    """

    def __init__(self, processes: Sequence[Gains], free: int) -> None:
        self.points = [process.points for process in processes]
        vertices = [_hull(points) for points in self.points]
        at = [0] * len(processes)
        left = free
        slope, stopped = 0.0, None
        while left:
            segments = [
                (*self._segment(number, vertices[number], at[number]), number)
                for number in range(len(processes))
                if at[number] + 1 < len(vertices[number])
            ]
            if not segments:
                break
            slope, units, number = max(segments, key=lambda segment: (segment[0], -segment[2]))
            if units > left:
                stopped = number
                break
            at[number] += 1
            left -= units
        self.places = [of_process[place] for of_process, place in zip(vertices, at, strict=True)]
        self.slope = slope
        self.left = 0 if stopped is None else left
        self.bound = 0.0
        for points, place in zip(self.points, self.places, strict=True):
            self.bound += points[place][1]
        self.bound += self.slope * self.left
        self.bare = list(self.places)
        if stopped is not None:
            points = self.points[stopped]
            reach = points[self.places[stopped]][0] + left
            self.bare[stopped] = sum(units <= reach for units, _ in points) - 1

    def _segment(self, number: int, vertices: list[int], at: int) -> tuple[float, int]:
        (u0, g0), (u1, g1) = (self.points[number][vertex] for vertex in vertices[at : at + 2])
        return (g1 - g0) / (u1 - u0), u1 - u0

    def others(self, gap: float) -> list[tuple[float, int, int]]:
        """Return (regret, process, place) of the other points with a regret below `gap`, sorted."""
        found = []
        for number, (points, reached) in enumerate(zip(self.points, self.places, strict=True)):
            units, gain = points[reached]
            top = gain - self.slope * units
            regrets = [top - (g - self.slope * u) for u, g in points]
            found += [(r, number, p) for p, r in enumerate(regrets) if r < gap and p != reached]
        return sorted(found)

    def filled(self, others: Sequence[tuple[int, int]]) -> list[int]:
        """Return the division reached plus each of `others`, (process, place), that fits and gains."""
        places, left = list(self.places), self.left
        for number, place in others:
            (u0, g0), (u1, g1) = self.points[number][places[number]], self.points[number][place]
            if g1 > g0 and u1 - u0 <= left:
                places[number] = place
                left -= u1 - u0
        return self.given(places)

    def repaired(self, others: Sequence[tuple[int, int]], free: int) -> list[int]:
        """Return the best division over the points reached and `others`, (process, place)."""
        given = self.given(self.places)
        undecided = sorted({number for number, _ in others})
        free -= sum(given) - sum(given[number] for number in undecided)
        places = [sorted({self.places[n], *(p for number, p in others if number == n)}) for n in undecided]
        choices = _best_choice(
            [[self.points[n][p] for p in ps] for n, ps in zip(undecided, places, strict=True)], free
        )
        for number, units in zip(undecided, choices, strict=True):
            given[number] = units
        return given

    def given(self, places: Sequence[int]) -> list[int]:
        """Return the units of each process at these points."""
        return [points[place][0] for points, place in zip(self.points, places, strict=True)]


def _hull(points: Sequence[tuple[int, float]]) -> list[int]:
    """Return the indices of the points on the concave hull, including points inside a straight segment."""
    kept: list[int] = []
    for place, (u2, g2) in enumerate(points):
        while len(kept) > 1:
            (u0, g0), (u1, g1) = points[kept[-2]], points[kept[-1]]
            if (g1 - g0) * (u2 - u1) >= (g2 - g1) * (u1 - u0):
                break
            kept.pop()
        kept.append(place)
    return kept


def _best_choice(points: Sequence[Sequence[tuple[int, float]]], free: int) -> list[int]:
    """Choose one point of each process so that all fit and the gain is largest; return their units.

    Parameters
    ----------
    points
        of each process, by increasing units.
    """
    best = np.zeros(free + 1)  # by memory: the best gain of the processes so far
    choices = []
    for of_process in points:
        after = np.full(free + 1, -np.inf)
        choice = np.zeros(free + 1, np.int64)
        for place, (units, gain) in enumerate(of_process):
            if units > free:
                break
            candidate = best[: free + 1 - units] + gain
            better = candidate > after[units:]
            after[units:][better] = candidate[better]
            choice[units:][better] = place
        best = after
        choices.append(choice)
    left = int(np.argmax(best))  # the first one uses the least memory
    given = []
    for of_process, choice in zip(reversed(points), reversed(choices), strict=True):
        given.append(of_process[choice[left]][0])
        left -= given[-1]
    return given[::-1]
