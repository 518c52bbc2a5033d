"""How much memory each process deserves, by its miss ratio curve: MRC-MM of Zhou et al., ASPLOS 2004, 4.1."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from litemrc.errors import UserError
from litemrc.native import allocation as native
from litemrc.policies.allocation.demand import Demand

__all__ = ["METHODS", "Allocation", "Demand", "allocate", "cheapest", "may_grow"]

METHODS = ("greedy", "hull", "optimal")
_ROUNDING = 1e-12  # sums in different orders differ by less


@dataclass(frozen=True)
class Allocation:
    """Memory divided.

    Attributes:
        pages: of each process, by name: a multiple of delta.
        free_pages: that nobody would have gained from, and what is left of a delta.
        utility: sum of all utilities (equation 2).
        utility_bound: no division has more; None if the method does not tell.
        miss_ratio: that the curves predict for each process, by name.
    """

    pages: dict[str, int]
    free_pages: int
    utility: float
    utility_bound: float | None
    miss_ratio: dict[str, float]


def allocate(
    demands: Sequence[Demand], memory_pages: int, *, delta_pages: int, method: str = "hull"
) -> Allocation:
    """Divide a memory such that the sum of utilities is large.

    Parameters:
        memory_pages: of the whole memory; what is left of a delta stays free.
        delta_pages: unit of memory. A minimum is rounded up to units.
        method: `greedy` gives unit by unit to whom it gains most (section 4.1.2), and misses what only
            several units would gain; `hull` does so on the concave hulls and repairs what did not fit;
            `optimal` is exact and slow. All leave free what nobody would gain from.

    Raises:
        UserError: no demand, two of one name, minimums that do not fit, a memory or unit below one page,
            reference rates of some processes only, no such method.
    """
    _check_demands(demands)
    if method not in METHODS:
        raise UserError(f"no method is called {method!r}", remedy=f"choose {', '.join(METHODS)}")
    if memory_pages < 1 or delta_pages < 1:
        what, pages = ("memory", memory_pages) if memory_pages < 1 else ("unit (delta)", delta_pages)
        raise UserError(f"a {what} of {pages} pages", remedy="give at least one page")
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
    bound = None
    if method == "hull":
        given, bound = native.concave_hull(curves, delta_pages=delta_pages, free=free)
        bound += sum(d.utility(units * delta_pages) for d, units in zip(demands, minimums, strict=True))
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
    """Who loses least by giving up `delta_pages` (section 4.1.3, reclamation); None if nobody can.

    Nobody goes below its minimum. Of those that lose equally, the one with most memory, then the first.

    Parameters:
        sizes_pages: what each has now.

    Returns:
        its number in `demands`.
    """
    able = [
        (_loss(demand, size, delta_pages), -size, number)
        for number, (demand, size) in enumerate(zip(demands, sizes_pages, strict=True))
        if size - delta_pages >= demand.minimum_pages
    ]
    return min(able)[2] if able else None


def may_grow(demands: Sequence[Demand], sizes_pages: Sequence[int], number: int, delta_pages: int) -> bool:
    """Whether a process that faults gets memory, instead of replacing a page of its own (section 4.1.3).

    It does if it gains more by `delta_pages` than the one that loses least would lose: what is a significant
    gain depends on the others. With free memory there is nothing to decide, so do not ask.

    Parameters:
        sizes_pages: what each has now.
        number: of the process, in `demands`.
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
        raise UserError("nobody wants memory", remedy="give at least one curve")
    if twice := [name for name, count in Counter(demand.name for demand in demands).items() if count > 1]:
        raise UserError(f"several curves are called {', '.join(twice)}", remedy="give them different names")
    unrated = [demand.name for demand in demands if demand.reference_rate is None]
    if 0 < len(unrated) < len(demands):
        raise UserError(
            f"no reference rate is known of {', '.join(unrated)}",
            remedy="utilities compare only if all processes have one, or none",
        )
