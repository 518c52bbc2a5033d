"""Demand of a process for memory: its miss-ratio curve and utility."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.points import checked_points
from litemrc.errors import UserError


@dataclass(frozen=True, eq=False)
class Demand:
    """The memory demand of a process (Zhou et al., ASPLOS 2004, section 4.1.1).

    Attributes:
        name: unique name of the process.
        sizes_pages: int64[k], memory sizes in pages, increasing, above 0.
        miss_ratio: float64[k] at these sizes, non-increasing, in 0..1; 1 below the first size, constant
            beyond the last.
        accesses: over which the curve was measured.
        weight: of its utility (w_i of equation 2).
        minimum_pages: guaranteed memory.
        reference_rate: accesses per unit of time, the same unit for all processes. With it, utility is end
            performance (hits in that time); without it, the hit ratio.

    Raises:
        UserError: arrays of different or zero length; sizes that do not increase; a ratio that increases or
            is out of range; a negative number.
    """

    name: str
    sizes_pages: NDArray[np.int64]
    miss_ratio: NDArray[np.float64]
    accesses: int
    weight: float = 1.0
    minimum_pages: int = 0
    reference_rate: float | None = None

    def __post_init__(self) -> None:
        where = f"curve of {self.name!r}"
        sizes, ratios = checked_points(self.name, self.sizes_pages, self.miss_ratio)
        if not sizes.size:
            raise UserError("0 sizes_pages and 0 miss_ratio", where=where, remedy="give at least one")
        object.__setattr__(self, "sizes_pages", sizes)
        object.__setattr__(self, "miss_ratio", ratios)
        for name in ("accesses", "weight", "minimum_pages", "reference_rate"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise UserError(f"{name} cannot be {value}", where=where, remedy="give 0 or more")

    @property
    def value(self) -> float:
        """Return the utility of a hit ratio of 1."""
        return self.weight if self.reference_rate is None else self.weight * self.reference_rate

    def miss_ratio_at(self, pages: int) -> float:
        """Return the miss ratio at the largest size of at most `pages` pages."""
        fitting = int(np.searchsorted(self.sizes_pages, pages, side="right"))
        return float(self.miss_ratio[fitting - 1]) if fitting else 1.0

    def utility(self, pages: int) -> float:
        """Return the weighted hit ratio, times the reference rate if there is one."""
        return self.value * (1 - self.miss_ratio_at(pages))
