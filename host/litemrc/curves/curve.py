"""The miss-ratio curve (MRC): the miss ratio of a stream of accesses under LRU, by memory size."""

from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.points import checked_band, checked_points, read_only
from litemrc.curves.sizes import EPSILON, PAGE_BYTES, size_bytes, size_text
from litemrc.curves.tail import Tail
from litemrc.errors import UserError

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes

    from litemrc.curves.difference import CurveDifference


@dataclass(frozen=True, eq=False)
class Curve:
    """A miss-ratio curve: a step function, as nothing is measured between two sizes.

    Attributes:
        sizes_pages: int64[n], memory sizes in pages, rising.
        miss_ratio: float64[n], share of the accesses that miss in a memory of that size; never rising. All
            nan without an access.
        accesses: accesses that the curve was measured over.
        misses: accesses that miss in every memory, as first accesses to a page do; an estimate if sampled.
        page_bytes: bytes of a page.
        name: what the curve is of, such as a process; may be empty.
        aliases: other names of it, such as a process number.
        resolution_pages: distance of distinguishable sizes, in pages.
        known_from_pages: the miss ratio in a smaller memory is unknown; 0: all sizes are known.
        dropped: accesses lost before they could be counted.
        overflow: a hit counter saturated: the curve is approximate.
        low, high: float64[n], the pointwise 95 % confidence band of a sampled curve; None: no band.
        tail: what was counted of evicted pages, and how many pages were resident: sizes above that were not
            there, and their miss ratios come from refaults. None: evicted pages were not tracked.

    Raises:
        UserError: sizes that do not rise, miss ratios that rise or are not in 0..1, or a ratio outside its
            band.
    """

    sizes_pages: NDArray[np.int64]
    miss_ratio: NDArray[np.float64]
    accesses: int
    misses: int
    page_bytes: int = PAGE_BYTES
    name: str = ""
    aliases: tuple[str, ...] = ()
    resolution_pages: int = 1
    known_from_pages: int = 0
    dropped: int = 0
    overflow: bool = False
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    tail: Tail | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.miss_ratio)
        idle = self.accesses == 0 and given.dtype.kind == "f" and bool(np.isnan(given).all())
        shown = np.ones(given.size) if idle else self.miss_ratio
        sizes, ratios = checked_points(self.name, self.sizes_pages, shown)
        object.__setattr__(self, "sizes_pages", sizes)
        object.__setattr__(self, "miss_ratio", read_only(np.full(sizes.size, np.nan)) if idle else ratios)
        if self.low is not None or self.high is not None:
            low, high = checked_band(self.name, self.miss_ratio, self.low, self.high)
            object.__setattr__(self, "low", low)
            object.__setattr__(self, "high", high)
        if self.page_bytes < 1:
            raise UserError(f"a page cannot have {self.page_bytes} bytes", remedy="give at least 1")

    def at(self, size: str = "", *, pages: int | None = None, bytes: int | None = None) -> float:
        """Return the miss ratio in one memory: `at("16M")`, `at(pages=4096)` or `at(bytes=1 << 24)`.

        It is that of the largest size of the curve that fits: 1 below the first size, the last miss ratio
        beyond the last size; nan without an access.

        Raises:
            UserError: not exactly one size, a negative one, or one below `known_from_pages`.
        """
        if (size != "") + (pages is not None) + (bytes is not None) != 1 or not isinstance(size, str):
            raise UserError(
                "the memory size is missing or ambiguous",
                where="Curve.at",
                remedy='write at("16M"), at(pages=4096) or at(bytes=1 << 24)',
            )
        if pages is None:
            pages = (size_bytes(size) if bytes is None else bytes) // self.page_bytes
        if pages < 0:
            raise UserError(f"a memory cannot have {pages} pages", where="Curve.at", remedy="give 0 or more")
        return float(self._ratios(np.array([pages]))[0])

    def exactly_at(self, sizes_pages: ArrayLike) -> NDArray[np.float64]:
        """Return the miss ratios, float64[n], at these sizes in pages, [n], in any order.

        Raises:
            UserError: a size below 1 page or below `known_from_pages`, or no multiple of `resolution_pages`.
        """
        sizes = np.asarray(sizes_pages, np.int64)
        for size in sizes.tolist():
            if size < 1 or size % self.resolution_pages:
                raise UserError(
                    f"no miss ratio at {size} pages",
                    remedy=f"give a multiple of {self.resolution_pages} pages, the resolution of this engine",
                )
        return self._ratios(sizes)

    def _ratios(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        if pages.size and pages.min() < self.known_from_pages:
            raise UserError(
                f"the miss ratio at {pages.min()} pages is unknown",
                where=f"curve of {self.name!r}",
                remedy=f"give at least {self.known_from_pages} pages",
            )
        below = 1.0 if self.accesses else np.nan
        return np.append(below, self.miss_ratio)[np.searchsorted(self.sizes_pages, pages, side="right")]

    def smallest(self, epsilon: float = EPSILON) -> int:
        """Return the smallest memory, in pages, whose miss ratio is within `epsilon` of the minimum.

        `epsilon` is a difference of miss ratios. 0 if memory helps no access.
        Source: N_mrc of Zhou et al. (ASPLOS 2004), section 5, "almost the maximum possible page hit ratio".

        Raises:
            UserError: `epsilon` is negative.
        """
        if not epsilon >= 0:
            raise UserError(f"epsilon must not be negative (got {epsilon})", where="Curve.smallest")
        if not self.accesses or not self.sizes_pages.size:
            return 0
        enough = np.append(1.0, self.miss_ratio) <= self.miss_ratio[-1] + epsilon
        return max(int(np.append(0, self.sizes_pages)[np.argmax(enough)]), self.known_from_pages)

    @property
    def reuse_pages(self) -> int:
        """Largest reuse distance, in pages, rounded up to a size of the curve; 0 without a reuse."""
        return self.smallest(0)

    def from_size(self, pages: int) -> "Curve":
        """Return the curve without the sizes below `pages`, where the miss ratio is unknown."""
        first = int(np.searchsorted(self.sizes_pages, pages))
        return replace(
            self,
            sizes_pages=self.sizes_pages[first:],
            miss_ratio=self.miss_ratio[first:],
            known_from_pages=pages,
            low=None if self.low is None else self.low[first:],
            high=None if self.high is None else self.high[first:],
        )

    def resized(self, page_bytes: int) -> "Curve":
        """Return the curve in pages of another size: sizes are scaled in bytes, miss ratios are unchanged.

        It is approximate: pages of another size have other misses. Sizes of no whole page are rounded up.

        Raises:
            UserError: `page_bytes` is below 1.
        """
        if page_bytes < 1:
            raise UserError(f"a page cannot have {page_bytes} bytes", remedy="give at least 1")
        sizes, first = np.unique(-(-self.sizes_pages * self.page_bytes // page_bytes), return_index=True)
        kept = np.append(first[1:], self.sizes_pages.size)[: sizes.size] - 1  # the last of equal sizes
        return replace(
            self,
            sizes_pages=sizes,
            miss_ratio=self.miss_ratio[kept],
            page_bytes=page_bytes,
            resolution_pages=max(self.resolution_pages * self.page_bytes // page_bytes, 1),
            known_from_pages=-(-self.known_from_pages * self.page_bytes // page_bytes),
            low=None if self.low is None else self.low[kept],
            high=None if self.high is None else self.high[kept],
            tail=self.tail and self.tail.resized(self.page_bytes, page_bytes),
        )

    def difference(self, other: "Curve") -> "CurveDifference":
        """Return the difference of the miss ratios, this curve minus `other`, over the sizes of both.

        Raises:
            UserError: the curves have no size in common, or one has no access.
        """
        from litemrc.curves.difference import difference

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

        Raises:
            UserError: pandas is not installed.
        """
        from litemrc.curves.frames import data_frame

        return data_frame(self.columns())

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return arrays [n] by name: pages, memory_bytes, miss_ratio; miss_ratio_low and _high of a band."""
        memory_bytes = self.sizes_pages * self.page_bytes
        found = {"pages": self.sizes_pages, "memory_bytes": memory_bytes, "miss_ratio": self.miss_ratio}
        if self.low is not None and self.high is not None:
            found |= {"miss_ratio_low": self.low, "miss_ratio_high": self.high}
        return found

    def plot(self, ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
        """Draw the curve into `ax` and return the axes.

        `ax` may be the path of a picture to write, such as "curve.png"; None: a new figure of pyplot.

        Raises:
            UserError: matplotlib is not installed, or the file cannot be written.
        """
        from litemrc.curves.drawing import draw

        return draw([self], ax)

    def __repr__(self) -> str:
        return f"<Curve {self.summary()}>"

    def summary(self) -> str:
        """Return the name, the number of accesses and the sizes of note in one line."""
        parts = [self.name or "unnamed", f"{self.accesses:,} accesses"]
        if self.accesses and self.sizes_pages.size:
            size = size_text(self.smallest(), self.page_bytes)
            parts.append(f"miss ratio {self.miss_ratio[-1]:.4g} at best, within {EPSILON:g} of it at {size}")
        if self.tail:
            parts.append(f"{size_text(self.tail.resident_pages, self.page_bytes)} resident")
        return ", ".join([*parts, f"pages of {self.page_bytes:,} bytes"])

    def _repr_html_(self) -> str:
        from litemrc.curves.html import curves_html

        return curves_html([self])
