# SPDX-License-Identifier: BSD-2-Clause
"""Parameters of the governor, its decisions, and why a budget did not reach its target."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from litemrc.curves.sizes import EPSILON
from litemrc.errors import UserError

Limit = Literal["none", "gain", "step", "memory"]


@dataclass(frozen=True)
class GovernorParameters:
    """Parameters of `litemrc.policies.allocation.governor`.

    Attributes
    ----------
    memory_pages
        divided among the governed contexts.
    delta_pages
        unit of memory; at least a group of the monitor.
    minimum_pages
        minimum budget of every context, rounded up to units.
    half_life
        accesses of a process after which its counters have half the weight.
    gain
        budgets move only if that saves more than this share of the misses of the contexts that get
        more.
    step_pages
        largest change of one budget per epoch; None: no limit.
    epsilon
        miss ratio that may be lost to save energy, as a share of all accesses.
    move_misses
        misses that a page costs which a context holds and its budget loses. Budgets move when the
        target would have saved as many, since it became better; 0: at once.

    Raises
    ------
    UserError
        a number out of range.
    """

    memory_pages: int
    delta_pages: int = 16
    minimum_pages: int = 128
    half_life: float = 65_536
    gain: float = 0.01
    step_pages: int | None = None
    epsilon: float = EPSILON
    move_misses: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("memory_pages", 1), ("delta_pages", 1), ("half_life", 1), ("step_pages", 1)):
            value = getattr(self, name)
            if value is not None and not least <= value < math.inf:
                raise UserError(f"{name} of the governor cannot be {value}", remedy=f"give at least {least}")
        for name in ("minimum_pages", "gain", "epsilon", "move_misses"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UserError(
                    f"{name} of the governor cannot be {getattr(self, name)}", remedy="give 0 or more"
                )
        if self.step_pages is not None and self.step_pages % self.delta_pages:
            raise UserError(
                f"step_pages of the governor cannot be {self.step_pages}",
                remedy=f"give a multiple of delta_pages ({self.delta_pages})",
            )


@dataclass(frozen=True)
class Reason:
    """Why a context has its budget.

    Attributes
    ----------
    before, after, target
        budgets in pages; before is 0 at the first decision about a context.
    misses_before, misses_after
        predicted for an epoch of this length at those budgets.
    limited_by
        why `after` is not `target`: `gain` the division as a whole gains too little, or not yet enough
        for what the move costs; `step` the largest change in an epoch; `memory` other budgets must
        shrink first; `none` it is.
    """

    before: int
    after: int
    target: int
    misses_before: float
    misses_after: float
    limited_by: Limit


@dataclass(frozen=True)
class Decision:
    """Settings for the next epoch.

    Attributes
    ----------
    budgets
        pages of each governed context; their sum is at most the memory.
    moved
        whether a budget changed.
    target
        the best division by the curves; budgets move towards it if the gain is large enough.
    gain
        misses that the target saves, as a share of the current misses of the contexts that get more.
    n_mrc
        page groups at the top of each context's stack that must stay awake; at least 1.
    reasons
        of each governed context.
    """

    budgets: dict[int, int]
    moved: bool
    target: dict[int, int]
    gain: float
    n_mrc: int
    reasons: Mapping[int, Reason] = field(default_factory=dict)


def limit_of(before: int, after: int, target: int, *, moved: bool, step: int) -> Limit:
    """Return `Reason.limited_by`.

    Parameters
    ----------
    moved
        whether the governor moved budgets at all.
    step
        largest change of a budget in an epoch.
    """
    if after == target:
        return "none"
    if not moved:
        return "gain"
    return "step" if abs(after - before) >= step else "memory"
