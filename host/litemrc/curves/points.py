# SPDX-License-Identifier: BSD-2-Clause
"""What a miss-ratio curve (MRC) is made of: memory sizes, and the miss ratio at each under LRU."""

from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.sizes import EPSILON, PAGE_BYTES, size_bytes, size_text
from litemrc.errors import UserError

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Tail:
    """Refaults in a curve: accesses to pages that the operating system had evicted.

    The evicted pages, the last evicted first, continue the LRU stack behind the resident pages, so a refault
    has an LRU stack distance as any hit has. The number of resident pages varies: it is given as the mean and
    the range over the epochs of the curve.

    Attributes
    ----------
    refaults
        accesses that hit only in a memory larger than was resident.
    unidentified
        evictions and refaults whose page or order is unknown; such refaults remain misses.
    resident_pages
        mean number of resident pages: where "resident | evicted" lies.
    resident_least, resident_most
        range of that number.
    evicted_pages
        mean number of evicted pages that had not returned.
    open_refaults
        part of `refaults` at the last size that the device counts: they may need more memory.
    """

    refaults: int
    unidentified: int
    resident_pages: float
    resident_least: int
    resident_most: int
    evicted_pages: float = 0.0
    open_refaults: int = 0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises
        ------
        ValueError
            a negative one, or a mean out of its range.
        """
        counts = (
            self.refaults,
            self.unidentified,
            self.resident_least,
            self.evicted_pages,
            self.open_refaults,
        )
        if not min(counts) >= 0 or not self.resident_least <= self.resident_pages <= self.resident_most:
            raise ValueError(f"no such tail can have been counted: {self}")
        if self.open_refaults > self.refaults:
            raise ValueError(f"{self.open_refaults} of {self.refaults} refaults")

    @property
    def evicts(self) -> bool:
        """Whether pages were evicted at all: else the resident pages are no limit of the curve."""
        return bool(self.refaults or self.unidentified or self.evicted_pages)

    def resized(self, old_page_bytes: int, new_page_bytes: int) -> "Tail":
        """Return the tail in pages of another size; the range is rounded outwards."""
        share = old_page_bytes / new_page_bytes
        return replace(
            self,
            resident_pages=self.resident_pages * share,
            resident_least=self.resident_least * old_page_bytes // new_page_bytes,
            resident_most=-(-self.resident_most * old_page_bytes // new_page_bytes),
            evicted_pages=self.evicted_pages * share,
        )


@dataclass(frozen=True, eq=False)
class Points:
    """The numbers of a miss-ratio curve, and values between them; the attributes are those of `Curve`."""

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

        Raises
        ------
        UserError
            not exactly one size, a negative one, or one below `known_from_pages`.
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

    def at_sizes(self, sizes_pages: ArrayLike) -> NDArray[np.float64]:
        """Return the miss ratios, float64[n], at these sizes in pages, [n], in any order.

        Raises
        ------
        UserError
            a size below 1 page or below `known_from_pages`, or no multiple of `resolution_pages`.
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

    def size_within(self, tolerance: float = EPSILON) -> int:
        """Return the smallest memory, in pages, whose miss ratio is within `tolerance` of the minimum.

        `tolerance` is a difference of miss ratios. 0 pages if memory helps no access.
        Source: N_mrc of Zhou et al. (ASPLOS 2004), section 5, "almost the maximum possible page hit ratio".

        Raises
        ------
        UserError
            `tolerance` is negative.
        """
        if not tolerance >= 0:
            raise UserError(
                f"the tolerance must not be negative (got {tolerance})",
                where="Curve.size_within",
                remedy="give a difference of miss ratios, such as 0.01",
            )
        if not self.accesses or not self.sizes_pages.size:
            return 0
        enough = np.append(1.0, self.miss_ratio) <= self.miss_ratio[-1] + tolerance
        return max(int(np.append(0, self.sizes_pages)[np.argmax(enough)]), self.known_from_pages)

    @property
    def max_reuse_distance(self) -> int:
        """Largest reuse distance, in pages, rounded up to a size of the curve; 0 without a reuse."""
        return self.size_within(0)

    def without_sizes_below(self, pages: int) -> Self:
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

    def resized(self, page_bytes: int) -> Self:
        """Return the curve in pages of another size: sizes are scaled in bytes, miss ratios are unchanged.

        It is approximate: pages of another size have other misses. Sizes of no whole page are rounded up.

        Raises
        ------
        UserError
            `page_bytes` is below 1.
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

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return arrays [n] by name: pages, memory_bytes, miss_ratio; miss_ratio_low and _high of a band."""
        memory_bytes = self.sizes_pages * self.page_bytes
        found = {"pages": self.sizes_pages, "memory_bytes": memory_bytes, "miss_ratio": self.miss_ratio}
        if self.low is not None and self.high is not None:
            found |= {"miss_ratio_low": self.low, "miss_ratio_high": self.high}
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    def summary(self) -> str:
        """Return the name, the number of accesses and the sizes of note in one line."""
        parts = [self.name or "unnamed", f"{self.accesses:,} accesses"]
        if self.accesses and self.sizes_pages.size:
            size = size_text(self.size_within(), self.page_bytes)
            parts.append(f"miss ratio {self.miss_ratio[-1]:.4g} at best, within {EPSILON:g} of it at {size}")
        if self.tail:
            parts.append(f"{size_text(self.tail.resident_pages, self.page_bytes)} resident")
        return ", ".join([*parts, f"pages of {self.page_bytes:,} bytes"])


def checked_points(
    name: str, sizes_pages: ArrayLike, miss_ratio: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return memory sizes in pages, int64[n], and the miss ratio at each, float64[n], as read-only arrays.

    Parameters
    ----------
    name
        of the curve, for messages.
    sizes_pages
        [n], rising, at least one page.
    miss_ratio
        [n], in 0..1, never rising.

    Raises
    ------
    UserError
        the arrays are no numbers, of different length or break one of these rules.
    """
    where = f"curve of {name!r}"
    sizes = _array("sizes_pages", sizes_pages, np.int64, where)
    ratios = _array("miss_ratio", miss_ratio, np.float64, where)
    if sizes.size != ratios.size:
        raise UserError(
            f"{sizes.size} sizes_pages and {ratios.size} miss_ratio", where=where, remedy="give one for each"
        )

    def refuse(bad: NDArray[np.bool_], why: str, first: int = 0) -> None:
        if bad.any():
            at = int(np.argmax(bad)) + first
            here = f"sizes_pages[{at}] = {sizes[at]}, miss_ratio[{at}] = {ratios[at]:g}"
            before = f", before it {sizes[at - 1]} and {ratios[at - 1]:g}" if at else ""
            raise UserError(why, where=f"{where}: {here}{before}")

    refuse(sizes < 1, "a size is below one page")
    refuse(sizes[1:] <= sizes[:-1], "sizes do not rise", 1)
    refuse(~((ratios >= 0) & (ratios <= 1)), "a miss ratio is not in 0..1")
    refuse(ratios[1:] > ratios[:-1], "the miss ratio rises with memory", 1)
    return sizes, ratios


def checked_band(
    name: str, miss_ratio: NDArray[np.float64], low: ArrayLike | None, high: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits of a band around miss ratios, float64[n] each, as read-only arrays.

    Raises
    ------
    UserError
        a missing limit, another length, or not 0 <= low <= miss ratio <= high <= 1.
    """
    where = f"curve of {name!r}"
    if low is None or high is None:
        raise UserError("a band needs both limits", where=where, remedy="give low and high, or neither")
    lows = _array("miss_ratio_low", low, np.float64, where)
    highs = _array("miss_ratio_high", high, np.float64, where)
    if not lows.size == highs.size == miss_ratio.size:
        raise UserError("the band and the miss ratios differ in length", where=where)
    bad = ~((lows >= 0) & (lows <= miss_ratio) & (miss_ratio <= highs) & (highs <= 1))
    if bad.any():
        at = int(np.argmax(bad))
        raise UserError(
            f"miss_ratio[{at}] = {miss_ratio[at]:g} is not in its band {lows[at]:g} to {highs[at]:g}",
            where=where,
            remedy="give 0 <= low <= miss ratio <= high <= 1",
        )
    return lows, highs


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a view of the array that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _array(name: str, values: ArrayLike, dtype: type[Scalar], where: str) -> NDArray[Scalar]:
    try:
        given = np.asarray(values)
        array: NDArray[Scalar] = np.ascontiguousarray(given, dtype)
        numeric = given.dtype.kind in "iuf" or given.size == 0
        same = numeric and np.array_equal(array, given, equal_nan=True)
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same or array.ndim != 1:
        raise UserError(f"{name} must be a list of {np.dtype(dtype).name} numbers", where=where)
    return read_only(array)
