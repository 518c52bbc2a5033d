"""Decisions of the governor, and why a budget did not reach its target."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Limit = Literal["none", "gain", "step", "memory"]


@dataclass(frozen=True)
class Reason:
    """Why a context has its budget.

    Attributes:
        before, after, target: budgets in pages; before is 0 at the first decision about a context.
        misses_before, misses_after: predicted for an epoch of this length at those budgets.
        limited_by: why `after` is not `target`: `gain` the division as a whole gains too little; `step` the
            largest change in an epoch; `memory` other budgets must shrink first; `none` it is.
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

    Attributes:
        budgets: pages of each governed context; their sum is at most the memory.
        moved: whether a budget changed.
        target: the best division by the curves; budgets move towards it if the gain is large enough.
        gain: misses that the target saves, as a share of the current misses of the contexts that get more.
        n_mrc: page groups at the top of each context's stack that must stay awake; at least 1.
        reasons: of each governed context.
    """

    budgets: dict[int, int]
    moved: bool
    target: dict[int, int]
    gain: float
    n_mrc: int
    reasons: Mapping[int, Reason] = field(default_factory=dict)


def limit_of(before: int, after: int, target: int, *, moved: bool, step: int) -> Limit:
    """Return `Reason.limited_by`.

    Parameters:
        moved: whether the governor moved budgets at all.
        step: largest change of a budget in an epoch.
    """
    if after == target:
        return "none"
    if not moved:
        return "gain"
    return "step" if abs(after - before) >= step else "memory"
