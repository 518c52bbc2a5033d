"""From colors to trays: which trays are to back the pages of each (Jantz et al. 2013, 4.2, 6 and 8).

- A node affinity color is bound to the trays of its node.
- An isolated color gets trays of its own, as many as its share of the resident set needs; nobody else may use
  them, uncolored pages neither.
- Hot colors are led to the lower of the remaining trays, cold ones to the upper, so that a unit has pages of
  one intensity. These are hints: where they end, pages go elsewhere.
"""

from collections.abc import Mapping, Sequence

from litemrc.errors import UserError
from litemrc.policies.trays.intents import COLD, HOT, ColorIntent
from litemrc.policies.trays.trays import Tray, TrayChoice


def map_colors(
    intents: Mapping[str, ColorIntent], trays: Sequence[Tray], resident_pages: int
) -> dict[str | None, TrayChoice]:
    """Trays of every color, and under None those of pages that have no color.

    Parameters:
        trays: as they are now: their free pages, and those that programs have already, count.
        resident_pages: that the application is going to have; shares of colors are parts of it.

    Raises:
        UserError: no such node; isolated colors need more trays than there are.
    """
    owned = _isolate(intents, trays, resident_pages)
    taken = {tray for own in owned.values() for tray in own}
    shared = [tray for tray in trays if tray.number not in taken]
    hot, cold = _split(intents, shared, resident_pages)
    choices: dict[str | None, TrayChoice] = {}
    for color, intent in intents.items():
        if color in owned:
            choices[color] = TrayChoice(tuple(owned[color]), True, intent.recycled_locally)
        else:
            order = {HOT: hot, COLD: cold}.get(intent.intensity, [])
            choices[color] = _share(intent, order, trays, shared, resident_pages)
    choices[None] = TrayChoice(tuple(tray.number for tray in shared) if taken else (), bool(taken))
    return choices


def _share(
    intent: ColorIntent,
    order: list[int],
    trays: Sequence[Tray],
    shared: Sequence[Tray],
    resident_pages: int,
) -> TrayChoice:
    """Trays of a color that has none of its own.

    Parameters:
        order: of those that its intensity leads it to.
        shared: trays that no color has for itself.
    """
    closed = len(shared) < len(trays)
    if intent.node is not None:
        here = [tray.number for tray in _of_node(intent, trays) if tray in shared]
        if not here:
            raise UserError(
                f"{intent.color}: all trays of node {intent.node} are isolated for other colors",
                where=intent.where,
                remedy="isolate less, or leave the affinity out",
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
    """Own trays of every isolated color, from the upper end, those nobody uses first."""
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
                f"{color} wants {_wanted(intent, resident_pages):,} pages on trays of its own,"
                f" and {len(free)} trays with {sum(tray.free_pages for tray in free):,} free pages are left",
                where=intent.where,
                remedy="isolate fewer colors or lower its MEM-CAPACITY: others need a tray, too",
            )
        owned[color] = own
        free = [tray for tray in free if tray.number not in own]
    return owned


def _split(
    intents: Mapping[str, ColorIntent], shared: Sequence[Tray], resident_pages: int
) -> tuple[list[int], list[int]]:
    """Trays for hot pages in order, and for cold ones: each begins at an end of its own."""
    numbers = [tray.number for tray in shared]
    hot = [intent for intent in intents.values() if intent.intensity == HOT and not intent.isolated]
    if not hot or not numbers:
        return numbers, numbers[::-1]
    wanted = sum(_wanted(intent, resident_pages) for intent in hot)
    first = len(_compact(shared, wanted))
    return numbers, numbers[first:][::-1] + numbers[:first][::-1]


def _compact(trays: Sequence[Tray], pages: int, order: Sequence[int] | None = None) -> list[int]:
    """The first trays that have so many pages free, at least one; all if that is not enough."""
    by_number = {tray.number: tray for tray in trays}
    chosen: list[int] = []
    for number in order if order is not None else [tray.number for tray in trays]:
        if chosen and sum(by_number[tray].free_pages for tray in chosen) >= pages:
            break
        chosen.append(number)
    return chosen


def _wanted(intent: ColorIntent, resident_pages: int) -> int:
    """Pages of a color: its share of the resident set, rounded up."""
    return -(-(intent.capacity_percent or 0) * resident_pages // 100)


def _of_node(intent: ColorIntent, trays: Sequence[Tray]) -> list[Tray]:
    """The trays that the affinity of a color leaves."""
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
