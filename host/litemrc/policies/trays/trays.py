"""Trays: page frames that share a power-manageable unit, and which of them may serve whom."""

from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.errors import UserError


@dataclass(frozen=True)
class Tray:
    """Page frames on one power-manageable unit (Jantz et al. 2013, section 4.2).

    Attributes:
        number: from 0 on.
        node: NUMA node it belongs to.
        pages: frames in it.
        free_pages: of them, those that nobody has now.
        used_pages: of them, those that programs have; the rest is free, or held by nobody who uses it.
        asleep: is its unit in self-refresh?
    """

    number: int
    node: int
    pages: int
    free_pages: int
    used_pages: int = 0
    asleep: bool = False


@dataclass(frozen=True)
class TrayChoice:
    """Where pages may come from.

    Attributes:
        preferred: trays in the order in which they are to be tried.
        bound: no other tray may serve; else the others follow, as the allocator likes.
        recycle_locally: new pages of a full choice come from pages of the same color.
    """

    preferred: tuple[int, ...] = ()
    bound: bool = False
    recycle_locally: bool = False


ANYWHERE = TrayChoice()


def check_trays(numbers: Iterable[int], count: int, what: str, where: str = "") -> tuple[int, ...]:
    """Tray numbers, in order.

    Parameters:
        count: of trays that there are.
        what: is limited to them, for errors.

    Raises:
        UserError: none at all, one twice, or one that is not there.
    """
    trays = tuple(numbers)
    remedy = f"name some of the trays 0 to {count - 1}, each once"
    if not trays:
        raise UserError(f"{what} is left no tray", where=where, remedy=remedy)
    for tray in trays:
        if not 0 <= tray < count:
            raise UserError(f"{what}: no tray {tray}", where=where, remedy=remedy)
    if len(set(trays)) < len(trays):
        raise UserError(f"{what}: a tray twice", where=where, remedy=remedy)
    return trays
