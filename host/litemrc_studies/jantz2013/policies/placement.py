# SPDX-License-Identifier: BSD-2-Clause
"""Placement of pages on trays from the monitor's curve and per-page counts.

Colors name the hot pages; without colors, the monitor finds them. The curve gives the number of pages with
nearly all hits (N_mrc of Zhou et al. 2004, section 5), and the per-page counts give the pages. These belong
on the fewest trays that can hold them, preferably those that already hold most of them. Every other tray is
cleared of hot pages, the cheapest tray first and completely, if the energy saved by its sleeping rank exceeds
the energy of the copies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from numpy.typing import NDArray

from litemrc_studies.jantz2013.policies.trays import Tray


@dataclass(frozen=True)
class PlacementParameters:
    """Parameters of page migration.

    Attributes
    ----------
    epsilon
        share of all accesses that may miss the working set; these wake ranks.
    budget_pages
        largest number of pages that move at a time.
    reserve_pages
        pages kept free on each tray, for new pages.
    page_nj
        energy of a page copy, at both ends.
    saved_mw
        power saved by a sleeping rank.
    horizon_s
        time in which the saving must exceed the cost of the copies.

    Raises
    ------
    UserError
        a number out of range.
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
    """Pages to move from one tray to another.

    Attributes
    ----------
    pages
        intp, their indices, most used first.
    origin, target
        tray numbers.
    """

    pages: NDArray[np.intp]
    origin: int
    target: int


@dataclass(frozen=True)
class Plan:
    """A migration plan.

    Attributes
    ----------
    working_pages
        N_mrc.
    hot_trays
        trays for the working pages.
    moves
        in order of execution.
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
    """Return a migration plan.

    Parameters
    ----------
    curve
        of the epoch of `counts`.
    counts
        accesses to each movable page.
    tray_of
        current tray of each.
    trays
        current state, by number; sleeping trays are chosen last.
    """
    working = curve.size_within(parameters.epsilon) if curve.misses < curve.accesses else 0
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
    """Return the indices of the `pages` most used pages in descending order, without unused ones."""
    order = np.argsort(-counts.astype(np.int64), kind="stable")[:pages]
    return order[counts[order] > 0]


def _compact(of_tray: NDArray, trays: Sequence[Tray], pages: int, reserve: int) -> tuple[int, ...]:
    """Return the fewest trays that can hold `pages`; awake ones and those that hold most come first."""
    capacity = {tray.number: int(of_tray[tray.number]) + max(0, tray.free_pages - reserve) for tray in trays}
    roomy = sorted(trays, key=lambda tray: (tray.asleep, -capacity[tray.number], tray.number))
    held, fewest = 0, 0
    while held < pages:
        held += capacity[roomy[fewest].number]
        fewest += 1
    full = sorted(trays, key=lambda tray: (tray.asleep, -of_tray[tray.number], tray.number))[:fewest]
    kept = full if sum(capacity[tray.number] for tray in full) >= pages else roomy[:fewest]
    return tuple(tray.number for tray in kept)
