"""The difference of two miss-ratio curves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.curves.curve import Curve


@dataclass(frozen=True, eq=False)
class CurveDifference:
    """Differences of two curves at the sizes that both resolve.

    Attributes:
        memory_bytes: int64[n], sizes of either curve, rising, from where both begin, at multiples of both
            resolutions.
        miss_ratios: float64[2, n], of the first and of the second curve.
        mean: mean absolute difference. A size weighs as much as the memory from it to the next size, so that
            equal steps of memory count the same (as in Waldspurger et al., FAST 2015); the last one weighs
            nothing.
        largest: largest absolute difference.
        largest_at_bytes: the first memory size with it.
    """

    memory_bytes: NDArray[np.int64]
    miss_ratios: NDArray[np.float64]
    mean: float
    largest: float
    largest_at_bytes: int

    @property
    def differences(self) -> NDArray[np.float64]:
        """Return float64[n], the first miss ratio minus the second."""
        difference: NDArray[np.float64] = self.miss_ratios[0] - self.miss_ratios[1]
        return difference

    def __repr__(self) -> str:
        return (
            f"<CurveDifference mean {self.mean:.4g}, largest {self.largest:.4g} at"
            f" {size_text(self.largest_at_bytes, 1)}, {self.memory_bytes.size:,} sizes>"
        )


def difference(first: "Curve", second: "Curve") -> CurveDifference:
    """Return the difference of two curves, whose pages may differ in size.

    Raises:
        UserError: a curve without accesses, or no size that both resolve.
    """
    for curve in (first, second):
        if not curve.accesses or not curve.sizes_pages.size:
            raise UserError("no access was measured", where=f"curve of {curve.name!r}")
    both = (first, second)
    sizes = np.unique(np.concatenate([curve.sizes_pages * curve.page_bytes for curve in both]))
    start = max(max(int(c.sizes_pages[0]), c.known_from_pages) * c.page_bytes for c in both)
    sizes = sizes[sizes >= start]
    for curve in both:
        sizes = sizes[sizes % (curve.resolution_pages * curve.page_bytes) == 0]
    if not sizes.size:
        raise UserError(
            "no memory size is resolved by both curves",
            where=f"curves of {first.name!r} and {second.name!r}",
            remedy="measure both with the same page size and resolution",
        )
    ratios = np.stack([curve.exactly_at(sizes // curve.page_bytes) for curve in both])
    apart = np.abs(ratios[0] - ratios[1])
    widths = np.diff(sizes)
    mean = float(np.average(apart[:-1], weights=widths)) if widths.size else float(apart[0])
    at = int(np.argmax(apart))
    return CurveDifference(sizes, ratios, mean, float(apart[at]), int(sizes[at]))
