# SPDX-License-Identifier: BSD-2-Clause
"""Division of memory among processes by their miss-ratio curves (MRC-MM of Zhou et al. 2004, 4.1)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from litemrc.errors import UserError, choose_from
from litemrc.native import allocation as native
from litemrc.policies.allocation.demand import Demand

__all__ = ["METHODS", "Allocation", "Demand", "allocate", "cheapest", "may_grow"]

METHODS = ("greedy", "hull", "optimal")
_ROUNDING = 1e-12  # bound of the difference between sums in different orders


@dataclass(frozen=True)
class Allocation:
    """A division of memory.

    Attributes
    ----------
    pages
        of each process, by name; a multiple of delta.
    free_pages
        memory from which no process would gain, and the remainder of a delta.
    utility
        sum of all utilities (equation 2).
    utility_bound
        upper bound of the utility of any division; None if the method gives none.
    miss_ratio
        predicted by the curve of each process, by name.
    """

    pages: dict[str, int]
    free_pages: int
    utility: float
    utility_bound: float | None
    miss_ratio: dict[str, float]


def allocate(
    demands: Sequence[Demand], memory_pages: int, *, delta_pages: int, method: str = "hull"
) -> Allocation:
    """Divide a memory so that the sum of utilities is large.

    Parameters
    ----------
    memory_pages
        the whole memory; a remainder of a delta stays free.
    delta_pages
        unit of memory. A minimum is rounded up to units.
    method
        `greedy` gives each unit to the process that gains most by it (section 4.1.2) and misses gains
        that need several units; `hull` does this on the concave hulls and repairs segments that do not
        fit; `optimal` is exact and slow. All leave memory free from which no process would gain.

    Raises
    ------
    UserError
        no demand, two of one name, minimums that exceed the memory, a memory or unit below one
        page, reference rates of only some processes, an unknown method.
    """
    _check_demands(demands)
    if method not in METHODS:
        raise UserError(f"unknown method {method!r}", remedy=choose_from(method, METHODS))
    if memory_pages < 1 or delta_pages < 1:
        what, unit = ("memory", memory_pages) if memory_pages < 1 else ("unit (delta)", delta_pages)
        raise UserError(f"the {what} must be at least 1 page (got {unit})", remedy="give at least 1 page")
    minimums = [-(-demand.minimum_pages // delta_pages) for demand in demands]
    free = memory_pages // delta_pages - sum(minimums)
    if free < 0:
        wanted = ", ".join(
            f"{demand.name}: {units * delta_pages:,}"
            for demand, units in zip(demands, minimums, strict=True)
            if units
        )
        raise UserError(
            f"the minimums need {sum(minimums) * delta_pages:,} pages, the memory has {memory_pages:,}",
            where=f"in units of {delta_pages:,} pages, {wanted}",
            remedy="lower a minimum, or leave a process out",
        )
    curves = [
        (demand.sizes_pages, demand.miss_ratio, demand.value, minimum)
        for demand, minimum in zip(demands, minimums, strict=True)
    ]
    bound: float | None = None
    if method == "hull":
        given, gain_bound = native.concave_hull(curves, delta_pages=delta_pages, free=free)
        bound = gain_bound + sum(
            d.utility(units * delta_pages) for d, units in zip(demands, minimums, strict=True)
        )
    elif method == "optimal":
        given = native.optimum(curves, delta_pages=delta_pages, free=free)
    else:
        weights = [demand.weight for demand in demands]
        given = native.steepest_gradient(curves, weights, delta_pages=delta_pages, free=free)
    pages = {
        demand.name: (minimum + units) * delta_pages
        for demand, minimum, units in zip(demands, minimums, given, strict=True)
    }
    utility = sum(demand.utility(pages[demand.name]) for demand in demands)
    if method == "optimal" or (bound is not None and bound - utility <= _ROUNDING * utility):
        bound = utility
    return Allocation(
        pages,
        memory_pages - sum(pages.values()),
        utility,
        bound,
        {demand.name: demand.miss_ratio_at(pages[demand.name]) for demand in demands},
    )


def cheapest(demands: Sequence[Demand], sizes_pages: Sequence[int], delta_pages: int) -> int | None:
    """Return which process loses least by giving up `delta_pages` (section 4.1.3, reclamation).

    No process goes below its minimum. Ties go to the process with most memory, then to the first.

    Parameters
    ----------
    sizes_pages
        current memory of each process.

    Returns
    -------
    its index in `demands`; None if no process can give.
    """
    able = [
        (_loss(demand, size, delta_pages), -size, number)
        for number, (demand, size) in enumerate(zip(demands, sizes_pages, strict=True))
        if size - delta_pages >= demand.minimum_pages
    ]
    return min(able)[2] if able else None


def may_grow(demands: Sequence[Demand], sizes_pages: Sequence[int], number: int, delta_pages: int) -> bool:
    """Return whether a faulting process gets memory instead of evicting a page of its own (section 4.1.3).

    It gets memory if it gains more by `delta_pages` than the cheapest other process loses. The function is
    meant for a full memory.

    Parameters
    ----------
    sizes_pages
        current memory of each process.
    number
        index of the faulting process in `demands`.
    """
    others = [n for n in range(len(demands)) if n != number]
    giver = cheapest([demands[n] for n in others], [sizes_pages[n] for n in others], delta_pages)
    if giver is None:
        return False
    demand, size = demands[number], sizes_pages[number]
    gain = demand.utility(size + delta_pages) - demand.utility(size)
    return gain > _loss(demands[others[giver]], sizes_pages[others[giver]], delta_pages)


def _loss(demand: Demand, size: int, delta_pages: int) -> float:
    return demand.utility(size) - demand.utility(size - delta_pages)


def _check_demands(demands: Sequence[Demand]) -> None:
    if not demands:
        raise UserError("no process demands memory", remedy="give at least one curve")
    if twice := [name for name, count in Counter(demand.name for demand in demands).items() if count > 1]:
        raise UserError(
            f"several curves have the name {', '.join(twice)}", remedy="give them different names"
        )
    unrated = [demand.name for demand in demands if demand.reference_rate is None]
    if 0 < len(unrated) < len(demands):
        raise UserError(
            f"the reference rate is missing for {', '.join(unrated)}",
            remedy="give it for all processes or for none",
        )
