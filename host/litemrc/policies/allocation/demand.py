"""What a process wants memory for: its miss ratio curve, and what that is worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.errors import UserError


@dataclass(frozen=True, eq=False)
class Demand:
    """A process that wants memory (Zhou et al., ASPLOS 2004, section 4.1.1).

    Attributes:
        name: of the process; tells it from others.
        sizes_pages: int64[k], memory sizes in pages, rising, above 0.
        miss_ratio: float64[k], at these sizes, never rising, in 0..1; 1 below the first, the last one beyond.
        accesses: that the curve was measured over.
        weight: how much its utility counts (w_i of equation 2).
        minimum_pages: memory it gets in any case.
        reference_rate: accesses in a unit of time, the same for all. With it utility is end performance: the
            hits in that time; without it, the hit ratio.

    Raises:
        UserError: arrays of different or no length; sizes that do not rise; a ratio that rises or is none; a
            negative number where none can be.
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
        object.__setattr__(self, "sizes_pages", _array("sizes_pages", self.sizes_pages, np.int64, where))
        object.__setattr__(self, "miss_ratio", _array("miss_ratio", self.miss_ratio, np.float64, where))
        _check_curve(self.sizes_pages, self.miss_ratio, where)
        for name in ("accesses", "weight", "minimum_pages", "reference_rate"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise UserError(f"{name} cannot be {value}", where=where, remedy="give a number from 0 on")

    @property
    def value(self) -> float:
        """Utility of a hit ratio of 1."""
        return self.weight if self.reference_rate is None else self.weight * self.reference_rate

    def miss_ratio_at(self, pages: int) -> float:
        """Miss ratio in a memory of `pages` pages: that of the largest size that fits."""
        fitting = int(np.searchsorted(self.sizes_pages, pages, side="right"))
        return float(self.miss_ratio[fitting - 1]) if fitting else 1.0

    def utility(self, pages: int) -> float:
        """Weighted hit ratio, times the reference rate if there is one."""
        return self.value * (1 - self.miss_ratio_at(pages))


def _array(name: str, values: ArrayLike, dtype: type, where: str) -> NDArray:
    try:
        given = np.asarray(values)
        array = np.ascontiguousarray(given, dtype)
        same = given.dtype.kind in "iuf" and np.array_equal(array, given, equal_nan=True)
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same or array.ndim != 1:
        raise UserError(f"{name} is no list of {np.dtype(dtype).name} numbers", where=where)
    return array


def _check_curve(sizes: NDArray[np.int64], ratios: NDArray[np.float64], where: str) -> None:
    if not 0 < sizes.size == ratios.size:
        raise UserError(
            f"{sizes.size} sizes_pages and {ratios.size} miss_ratio", where=where, remedy="give one for each"
        )

    def refuse(bad: NDArray[np.bool_], why: str) -> None:
        if bad.any():
            at = int(np.argmax(bad))
            here = f"sizes_pages[{at}] = {sizes[at]}, miss_ratio[{at}] = {ratios[at]:g}"
            before = f", before it {sizes[at - 1]} and {ratios[at - 1]:g}" if at else ""
            raise UserError(why, where=f"{where}: {here}{before}")

    first = np.zeros(1, dtype=bool)
    refuse(sizes < 1, "a size is below one page")
    refuse(np.concatenate([first, sizes[1:] <= sizes[:-1]]), "sizes do not rise")
    refuse(~((ratios >= 0) & (ratios <= 1)), "a miss ratio is not in 0..1")
    refuse(np.concatenate([first, ratios[1:] > ratios[:-1]]), "the miss ratio rises with memory")
