"""Parameters of the governor."""

import math
from dataclasses import dataclass

from litemrc.curves.sizes import EPSILON
from litemrc.errors import UserError


@dataclass(frozen=True)
class GovernorParameters:
    """Parameters of `litemrc.policies.allocation.governor`.

    Attributes:
        memory_pages: divided among the governed contexts.
        delta_pages: unit of memory; at least a group of the monitor.
        minimum_pages: minimum budget of every context, rounded up to units.
        half_life: accesses of a process after which its counters have half the weight.
        gain: budgets move only if that saves more than this share of the misses of the contexts that get
            more.
        step_pages: largest change of one budget per epoch; None: no limit.
        epsilon: miss ratio that may be lost to save energy, as a share of all accesses.

    Raises:
        UserError: a number out of range.
    """

    memory_pages: int
    delta_pages: int = 16
    minimum_pages: int = 128
    half_life: float = 65_536
    gain: float = 0.01
    step_pages: int | None = None
    epsilon: float = EPSILON

    def __post_init__(self) -> None:
        for name, least in (("memory_pages", 1), ("delta_pages", 1), ("half_life", 1), ("step_pages", 1)):
            value = getattr(self, name)
            if value is not None and not least <= value < math.inf:
                raise UserError(f"{name} of the governor cannot be {value}", remedy=f"give at least {least}")
        for name in ("minimum_pages", "gain", "epsilon"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UserError(
                    f"{name} of the governor cannot be {getattr(self, name)}", remedy="give 0 or more"
                )
        if self.step_pages is not None and self.step_pages % self.delta_pages:
            raise UserError(
                f"step_pages of the governor cannot be {self.step_pages}",
                remedy=f"give a multiple of delta_pages ({self.delta_pages})",
            )
