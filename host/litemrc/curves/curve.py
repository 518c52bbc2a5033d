# SPDX-License-Identifier: BSD-2-Clause
"""The miss-ratio curve (MRC), several of them by name, and the difference of two."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.points import Points
from litemrc.curves.sizes import EPSILON, size_text
from litemrc.errors import UserError, choose_from

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Points):
    """A miss-ratio curve: a step function, as nothing is measured between two sizes.

    Attributes
    ----------
    sizes_pages
        int64[n], memory sizes in pages, rising.
    miss_ratio
        float64[n], share of the accesses that miss in a memory of that size; never rising. All
        nan without an access.
    accesses
        accesses that the curve was measured over.
    misses
        accesses that miss in every memory, as first accesses to a page do; an estimate if sampled.
    page_bytes
        bytes of a page.
    name
        what the curve is of, such as a process; may be empty.
    aliases
        other names of it, such as a process number.
    resolution_pages
        distance of distinguishable sizes, in pages.
    known_from_pages
        the miss ratio in a smaller memory is unknown; 0: all sizes are known.
    dropped
        accesses lost before they could be counted.
    overflow
        a hit counter saturated: the curve is approximate.
    low, high
        float64[n], the pointwise 95 % confidence band of a sampled curve; None: no band.
    tail
        what was counted of evicted pages, and how many pages were resident: sizes above that were not
        there, and their miss ratios come from refaults. None: evicted pages were not tracked.

    Raises
    ------
    UserError
        sizes that do not rise, miss ratios that rise or are not in 0..1, or a ratio outside its
        band.
    """

    def difference(self, other: "Curve") -> "CurveDifference":
        """Return the difference of the miss ratios, this curve minus `other`, over the sizes of both.

        Raises
        ------
        UserError
            the curves have no size in common, or one has no access.
        """
        return difference(self, other)

    def to_arrow(self) -> "pyarrow.Table":
        """Return a pyarrow.Table with a row for each size: pages, memory_bytes, miss_ratio, band.

        Its metadata hold name, accesses, misses and page_bytes.
        """
        import pyarrow as pa

        described = {name: str(getattr(self, name)) for name in ("name", "accesses", "misses", "page_bytes")}
        return pa.table(self.columns()).replace_schema_metadata(described)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas.DataFrame with a row for each size: pages, memory_bytes, miss_ratio, band.

        Raises
        ------
        UserError
            pandas is not installed.
        """
        from litemrc.curves.drawing import data_frame

        return data_frame(self.columns())

    def plot(self, ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
        """Draw the curve into `ax` and return the axes.

        `ax` may be the path of a picture to write, such as "curve.png"; None: a new figure of pyplot.

        Raises
        ------
        UserError
            matplotlib is not installed, or the file cannot be written.
        """
        from litemrc.curves.drawing import draw

        return draw([self], ax)

    def _repr_html_(self) -> str:
        from litemrc.curves.drawing import curves_html

        return curves_html([self])

    # The names of version 0.1, for one version more.

    def smallest(self, epsilon: float = EPSILON) -> int:
        """Deprecated name of `size_within`."""
        _warn_renamed("smallest", "size_within")
        return self.size_within(epsilon)

    def exactly_at(self, sizes_pages: ArrayLike) -> NDArray[np.float64]:
        """Deprecated name of `at_sizes`."""
        _warn_renamed("exactly_at", "at_sizes")
        return self.at_sizes(sizes_pages)

    def from_size(self, pages: int) -> "Curve":
        """Deprecated name of `without_sizes_below`."""
        _warn_renamed("from_size", "without_sizes_below")
        return self.without_sizes_below(pages)

    @property
    def reuse_pages(self) -> int:
        """Deprecated name of `max_reuse_distance`."""
        _warn_renamed("reuse_pages", "max_reuse_distance")
        return self.max_reuse_distance


def _warn_renamed(old: str, new: str) -> None:
    warnings.warn(f"Curve.{old} is deprecated: use Curve.{new}", DeprecationWarning, stacklevel=3)


class NoCurveError(UserError, KeyError):
    """`Curves` has no curve of that name."""


class Curves(Mapping[str, Curve]):
    """Curves by name, in order; immutable.

    Parameters
    ----------
    curves
        any number. Of those with equal names, the second is called "name #2", and so on.
    """

    def __init__(self, curves: Iterable[Curve] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        for curve in curves:
            name, number = curve.name, 1
            while name in self._curves:
                number += 1
                name = f"{curve.name} #{number}"
            self._curves[name] = curve if name == curve.name else replace(curve, name=name)

    def __getitem__(self, name: str) -> Curve:
        if name not in self._curves:
            raise NoCurveError(
                f"no curve is named {name!r}",
                where="Curves",
                remedy=choose_from(name, self._curves) if self._curves else "there is no curve",
            )
        return self._curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas.DataFrame, a row for each curve and size: name, pages, memory_bytes, miss_ratio.

        Raises
        ------
        UserError
            pandas is not installed.
        """
        from litemrc.curves.drawing import joined_frame

        return joined_frame({name: curve.to_pandas() for name, curve in self.items()})

    def plot(self, ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
        """Draw all curves into `ax` and return the axes.

        `ax` may be the path of a picture to write, such as "curve.png"; None: a new figure of pyplot.

        Raises
        ------
        UserError
            matplotlib is not installed, or the file cannot be written.
        """
        from litemrc.curves.drawing import draw

        return draw(list(self.values()), ax)

    def __repr__(self) -> str:
        lines = [f"\n  {curve.summary()}" for curve in self.values()]
        return f"<Curves: {len(self)}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        from litemrc.curves.drawing import curves_html

        return curves_html(list(self.values()))


@dataclass(frozen=True, eq=False)
class CurveDifference:
    """Differences of two curves at the sizes that both resolve.

    Attributes
    ----------
    memory_bytes
        int64[n], sizes of either curve, rising, from where both begin, at multiples of both
        resolutions.
    miss_ratios
        float64[2, n], of the first and of the second curve.
    mean
        mean absolute difference. A size weighs as much as the memory from it to the next size, so that
        equal steps of memory count the same (as in Waldspurger et al., FAST 2015); the last one weighs
        nothing.
    largest
        largest absolute difference.
    largest_at_bytes
        the first memory size with it.
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


def difference(first: Curve, second: Curve) -> CurveDifference:
    """Return the difference of two curves, whose pages may differ in size.

    Raises
    ------
    UserError
        a curve without accesses, or no size that both resolve.
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
    ratios = np.stack([curve.at_sizes(sizes // curve.page_bytes) for curve in both])
    apart = np.abs(ratios[0] - ratios[1])
    widths = np.diff(sizes)
    mean = float(np.average(apart[:-1], weights=widths)) if widths.size else float(apart[0])
    at = int(np.argmax(apart))
    return CurveDifference(sizes, ratios, mean, float(apart[at]), int(sizes[at]))
