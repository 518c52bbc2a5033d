# SPDX-License-Identifier: BSD-2-Clause
"""Trays, page frames that share a power-manageable unit, and the choice of trays for each color."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from litemrc.errors import UserError

from litemrc_studies.jantz2013.policies.intents import COLD, HOT, ColorIntent


@dataclass(frozen=True)
class Tray:
    """Page frames on one power-manageable unit (Jantz et al. 2013, section 4.2).

    Attributes
    ----------
    number
        from 0.
    node
        its NUMA node.
    pages
        number of frames.
    free_pages
        free frames.
    used_pages
        frames of programs; the rest are free or held without use.
    asleep
        whether its unit is in self-refresh.
    """

    number: int
    node: int
    pages: int
    free_pages: int
    used_pages: int = 0
    asleep: bool = False


@dataclass(frozen=True)
class TrayChoice:
    """The trays that may serve an allocation.

    Attributes
    ----------
    preferred
        trays in the order of preference.
    bound
        no other tray may serve; otherwise the allocator may use others afterwards.
    recycle_locally
        if these trays are full, pages of the same color are reclaimed.
    """

    preferred: tuple[int, ...] = ()
    bound: bool = False
    recycle_locally: bool = False


ANYWHERE = TrayChoice()


def check_trays(numbers: Iterable[int], count: int, what: str, where: str = "") -> tuple[int, ...]:
    """Check tray numbers and return them in their order.

    Parameters
    ----------
    count
        number of trays.
    what
        subject of the error messages.

    Raises
    ------
    UserError
        no number, a duplicate, or a tray that does not exist.
    """
    trays = tuple(numbers)
    remedy = f"give trays from 0 to {count - 1}, each once"
    if not trays:
        raise UserError(f"{what}: no tray is given", where=where, remedy=remedy)
    for tray in trays:
        if not 0 <= tray < count:
            raise UserError(f"{what}: tray {tray} does not exist", where=where, remedy=remedy)
    if len(set(trays)) < len(trays):
        raise UserError(f"{what}: a tray is given twice", where=where, remedy=remedy)
    return trays


def map_colors(
    intents: Mapping[str, ColorIntent], trays: Sequence[Tray], resident_pages: int
) -> dict[str | None, TrayChoice]:
    """Return the trays of every color; those of uncolored pages are under None.

    - A color with node affinity is bound to the trays of its node.
    - An isolated color gets its own trays, enough for its share of the resident set; no other pages may use
      them.
    - Hot colors prefer the lower of the remaining trays, cold colors the upper ones, so that a power unit
      holds pages of one intensity. These are hints: when those trays are full, pages go elsewhere.

    Source: Jantz et al. 2013, sections 4.2, 6 and 8.

    Parameters
    ----------
    trays
        their current state; free and used pages matter.
    resident_pages
        expected resident set of the application; capacities of colors are shares of it.

    Raises
    ------
    UserError
        an unknown node, or isolated colors that need more trays than are available.
    """
    owned = _isolate(intents, trays, resident_pages)
    taken = {tray for own in owned.values() for tray in own}
    shared = [tray for tray in trays if tray.number not in taken]
    upward = [tray.number for tray in shared]
    choices: dict[str | None, TrayChoice] = {}
    for color, intent in intents.items():
        if color in owned:
            choices[color] = TrayChoice(tuple(owned[color]), True, intent.recycled_locally)
        else:
            order = upward if intent.intensity == HOT else upward[::-1] if intent.intensity == COLD else []
            choices[color] = _share(intent, order, trays, shared, resident_pages)
    choices[None] = TrayChoice(tuple(upward) if taken else (), bool(taken))
    return choices


def _share(
    intent: ColorIntent,
    order: list[int],
    trays: Sequence[Tray],
    shared: Sequence[Tray],
    resident_pages: int,
) -> TrayChoice:
    """Return the trays of a color that is not isolated.

    Parameters
    ----------
    order
        trays preferred for its intensity.
    shared
        trays that are not isolated.
    """
    closed = len(shared) < len(trays)
    if intent.node is not None:
        here = [tray.number for tray in _of_node(intent, trays) if tray in shared]
        if not here:
            raise UserError(
                f"{intent.color}: all trays of node {intent.node} are isolated for other colors",
                where=intent.where,
                remedy="isolate fewer colors, or remove the affinity",
            )
        order = [tray for tray in order if tray in here] or here
    if intent.recycled_locally:
        roomy = [tray.number for tray in sorted(shared, key=lambda tray: -tray.free_pages)]
        order = _compact(shared, _wanted(intent, resident_pages), order or roomy)
    elif closed and intent.node is None:
        order = [*order, *(tray.number for tray in shared if tray.number not in order)]
    bound = closed or intent.node is not None or intent.recycled_locally
    return TrayChoice(tuple(order), bound, intent.recycled_locally)


def _isolate(
    intents: Mapping[str, ColorIntent], trays: Sequence[Tray], resident_pages: int
) -> dict[str, list[int]]:
    """Return the trays of every isolated color: unused trays first, from the upper end."""
    free = list(trays)
    owned: dict[str, list[int]] = {}
    for color, intent in intents.items():
        if not intent.isolated:
            continue
        own = _compact(
            sorted(_of_node(intent, free), key=lambda tray: (tray.used_pages > 0, -tray.number)),
            _wanted(intent, resident_pages),
        )
        capacity = sum(tray.free_pages for tray in free if tray.number in own)
        if capacity < _wanted(intent, resident_pages) or len(own) == len(free):
            raise UserError(
                f"{color} needs {_wanted(intent, resident_pages):,} pages on trays of its own;"
                f" {len(free)} trays with {sum(tray.free_pages for tray in free):,} free pages are left",
                where=intent.where,
                remedy="isolate fewer colors or lower its MEM-CAPACITY; one tray must remain for others",
            )
        owned[color] = own
        free = [tray for tray in free if tray.number not in own]
    return owned


def _compact(trays: Sequence[Tray], pages: int, order: Sequence[int] | None = None) -> list[int]:
    """Return the first trays with `pages` free pages in all, at least one; all if they have fewer."""
    by_number = {tray.number: tray for tray in trays}
    chosen: list[int] = []
    for number in order if order is not None else [tray.number for tray in trays]:
        if chosen and sum(by_number[tray].free_pages for tray in chosen) >= pages:
            break
        chosen.append(number)
    return chosen


def _wanted(intent: ColorIntent, resident_pages: int) -> int:
    """Return the pages of a color: its share of the resident set, rounded up."""
    return -(-(intent.capacity_percent or 0) * resident_pages // 100)


def _of_node(intent: ColorIntent, trays: Sequence[Tray]) -> list[Tray]:
    """Return the trays that a color's affinity allows."""
    if intent.node is None:
        return list(trays)
    here = [tray for tray in trays if tray.node == intent.node]
    if not here:
        nodes = ", ".join(map(str, sorted({tray.node for tray in trays})))
        raise UserError(
            f"{intent.color}: no tray of node {intent.node} is left",
            where=intent.where,
            remedy=f"nodes with trays are {nodes}" if nodes else "isolate fewer colors",
        )
    return here
