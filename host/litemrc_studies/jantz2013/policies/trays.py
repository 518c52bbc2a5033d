"""Trays: page frames that share a power-manageable unit."""

from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.errors import UserError


@dataclass(frozen=True)
class Tray:
    """Page frames on one power-manageable unit (Jantz et al. 2013, section 4.2).

    Attributes:
        number: from 0.
        node: its NUMA node.
        pages: number of frames.
        free_pages: free frames.
        used_pages: frames of programs; the rest are free or held without use.
        asleep: whether its unit is in self-refresh.
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

    Attributes:
        preferred: trays in the order of preference.
        bound: no other tray may serve; otherwise the allocator may use others afterwards.
        recycle_locally: if these trays are full, pages of the same color are reclaimed.
    """

    preferred: tuple[int, ...] = ()
    bound: bool = False
    recycle_locally: bool = False


ANYWHERE = TrayChoice()


def check_trays(numbers: Iterable[int], count: int, what: str, where: str = "") -> tuple[int, ...]:
    """Check tray numbers and return them in their order.

    Parameters:
        count: number of trays.
        what: subject of the error messages.

    Raises:
        UserError: no number, a duplicate, or a tray that does not exist.
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
