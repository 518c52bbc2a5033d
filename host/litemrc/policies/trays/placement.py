"""Where pages go and when they move, from curves and rank states: the bridge from the monitor to trays.

Colors say which pages are hot; where nobody says so, the monitor counts. The curve tells how many pages have
nearly all hits (N_mrc of Zhou et al. 2004, section 5), counts by page tell which ones. Those belong on as few
trays as hold them, if possible on those that have most of them already. Of all others each is emptied of hot
pages, the cheapest first, wholly before the next one, if what its rank saves asleep pays for the copies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.policies.trays.trays import Tray


@dataclass(frozen=True)
class PlacementParameters:
    """What migration is decided by.

    Attributes:
        epsilon: miss ratio that the working set may lose, of all accesses; what is left wakes ranks.
        budget_pages: that move at a time, at most.
        reserve_pages: that stay free on each tray, for new pages.
        page_nj: energy of copying a page, both ends.
        saved_mw: of a rank that sleeps instead of being awake.
        horizon_s: in which that has to pay for the copies.

    Raises:
        UserError: a number that cannot be.
    """

    epsilon: float = 0.001
    budget_pages: int = 65_536
    reserve_pages: int = 0
    page_nj: float = 3_000.0
    saved_mw: float = 250.0
    horizon_s: float = 10.0

    def __post_init__(self) -> None:
        for name, least in (("epsilon", 0), ("budget_pages", 1), ("reserve_pages", 0), ("page_nj", 0)):
            if not least <= getattr(self, name) < np.inf:
                raise UserError(
                    f"{name} of the placement cannot be {getattr(self, name)}",
                    remedy=f"give at least {least}",
                )
        for name in ("saved_mw", "horizon_s"):
            if not 0 < getattr(self, name) < np.inf:
                raise UserError(
                    f"{name} of the placement cannot be {getattr(self, name)}", remedy="give more than 0"
                )


@dataclass(frozen=True, eq=False)
class Move:
    """Pages that are to go to another tray.

    Attributes:
        pages: intp, indices of them, the most used first.
        origin, target: trays.
    """

    pages: NDArray[np.intp]
    origin: int
    target: int


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done.

    Attributes:
        working_pages: N_mrc.
        hot_trays: that are to have them.
        moves: in their order.
    """

    working_pages: int
    hot_trays: tuple[int, ...]
    moves: tuple[Move, ...]


def plan(
    curve: Curve,
    counts: NDArray[np.integer],
    tray_of: NDArray[np.integer],
    trays: Sequence[Tray],
    parameters: PlacementParameters,
) -> Plan:
    """Which pages move where.

    Parameters:
        curve: over the epoch in which `counts` were counted.
        counts: accesses to each page that can move.
        tray_of: where each is.
        trays: as they are now, by number; sleeping ones are chosen last.
    """
    working = curve.smallest_size(parameters.epsilon) if int(curve.hits.sum()) else 0
    hot = hottest(counts, working)
    if not hot.size:
        return Plan(working, (), ())
    of_tray = np.bincount(tray_of[hot], minlength=len(trays))
    kept = _compact(of_tray, trays, hot.size, parameters.reserve_pages)
    room = {tray: max(0, trays[tray].free_pages - parameters.reserve_pages) for tray in kept}
    left = parameters.budget_pages
    moves: list[Move] = []
    donors = [tray for tray in range(len(trays)) if of_tray[tray] and tray not in kept]
    for origin in sorted(donors, key=lambda tray: (of_tray[tray], tray)):
        pages = hot[tray_of[hot] == origin]
        if pages.size * parameters.page_nj * 1e-6 > parameters.saved_mw * parameters.horizon_s:
            continue
        for target in kept:
            taken = min(pages.size, room[target], left)
            if taken:
                moves.append(Move(pages[:taken], origin, target))
                pages = pages[taken:]
                room[target] -= taken
                left -= taken
    return Plan(working, kept, tuple(moves))


def hottest(counts: NDArray[np.integer], pages: int) -> NDArray[np.intp]:
    """Indices of so many pages with the most accesses, the most used first; none without any."""
    order = np.argsort(-counts.astype(np.int64), kind="stable")[:pages]
    return order[counts[order] > 0]


def _compact(of_tray: NDArray, trays: Sequence[Tray], pages: int, reserve: int) -> tuple[int, ...]:
    """The fewest trays that hold so many pages: awake ones, and those that have most of them, if these do."""
    capacity = {tray.number: int(of_tray[tray.number]) + max(0, tray.free_pages - reserve) for tray in trays}
    roomy = sorted(trays, key=lambda tray: (tray.asleep, -capacity[tray.number], tray.number))
    held, fewest = 0, 0
    while held < pages:
        held += capacity[roomy[fewest].number]
        fewest += 1
    full = sorted(trays, key=lambda tray: (tray.asleep, -of_tray[tray.number], tray.number))[:fewest]
    kept = full if sum(capacity[tray.number] for tray in full) >= pages else roomy[:fewest]
    return tuple(tray.number for tray in kept)
