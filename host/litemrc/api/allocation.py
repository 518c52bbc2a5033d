# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.allocate`: a memory divided among processes by their miss-ratio curves."""

from __future__ import annotations  # help() shows the names of types

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from litemrc.api.results import Result
from litemrc.curves.curve import Curve, Curves
from litemrc.curves.sizes import MemorySize, size_text
from litemrc.errors import UserError, choose_from
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import Allocation
from litemrc.policies.allocation.division import allocate as divide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNITS = 4096  # that a memory is divided into by default
CurveSource = str | PathLike[str] | Curve | Curves
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, eq=False, repr=False)
class AllocationResult(Result):
    """A memory divided among processes.

    Attributes
    ----------
    curves
        of the processes, all with one page size.
    demands
        what the memory was divided by: curves, weights, guaranteed memory, reference rates.
    allocation
        pages and miss ratio of each process, utility, its bound, free pages.
    memory_pages, delta_pages
        the whole memory, and the unit of allocation.
    method
        hull, greedy or optimal.
    performance
        whether utility is the hit ratio times the reference rate.
    """

    curves: tuple[Curve, ...]
    demands: tuple[Demand, ...]
    allocation: Allocation
    memory_pages: int
    delta_pages: int
    method: str
    performance: bool

    @property
    def pages(self) -> dict[str, int]:
        """Pages of each process, by name."""
        return dict(self.allocation.pages)

    @property
    def page_bytes(self) -> int:
        """Bytes of a page."""
        return self.curves[0].page_bytes

    @property
    def utility_in_use(self) -> str:
        """What is maximized: "hit ratio" or "hit ratio x reference rate"."""
        return "hit ratio x reference rate" if self.performance else "hit ratio"

    def document(self) -> dict[str, Any]:
        """Return the object of `litemrc allocate --json`."""
        return {
            "allocation_pages": self.allocation.pages,
            "utility": self.allocation.utility,
            "predicted_miss_ratio": self.allocation.miss_ratio,
            "utility_bound": self.allocation.utility_bound,
            "utility_in_use": self.utility_in_use,
            "free_pages": self.allocation.free_pages,
            "memory_pages": self.memory_pages,
            "delta_pages": self.delta_pages,
            "page_bytes": self.page_bytes,
            "method": self.method,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each process."""
        return [
            {
                "process": demand.name,
                "accesses": demand.accesses,
                "weight": demand.weight,
                "guaranteed_pages": demand.minimum_pages,
                "allocated_pages": self.allocation.pages[demand.name],
                "allocated_bytes": self.allocation.pages[demand.name] * self.page_bytes,
                "share_of_memory": self.allocation.pages[demand.name] / self.memory_pages,
                "miss_ratio": self.allocation.miss_ratio[demand.name],
                "miss_ratio_equal_shares": demand.miss_ratio_at(self.memory_pages // len(self.demands)),
                "minimum_miss_ratio": float(demand.miss_ratio[-1]),
            }
            for demand in self.demands
        ]

    def summary(self) -> str:
        """Return the memory of each process in one line."""
        pages = self.allocation.pages.items()
        given = ", ".join(f"{name}: {size_text(each, self.page_bytes)}" for name, each in pages)
        free = size_text(self.allocation.free_pages, self.page_bytes)
        return f"{size_text(self.memory_pages, self.page_bytes)} by {self.method}: {given}; {free} free"

    def _figure(self) -> Figure:
        from litemrc.plots.mrc import allocation_figure

        return allocation_figure(self.curves, self.allocation)


def allocate(
    curves: CurveSource | Iterable[CurveSource],
    memory: int | str,
    *,
    delta: int | str | None = None,
    minimums: Mapping[str, int | str] | None = None,
    weights: Mapping[str, float] | None = None,
    reference_rates: Mapping[str, float] | None = None,
    performance: bool = False,
    method: str = "hull",
    page_bytes: int | None = None,
    convert: bool = False,
) -> AllocationResult:
    """Divide a memory among processes by their miss-ratio curves, as `litemrc allocate` does.

    Parameters
    ----------
    curves
        `Curve`, `Curves`, a file of curves, or several of these.
    memory
        pages, or a size such as "16M".
    delta
        unit of allocation, pages or a size; None: 1/4096 of the memory, rounded up.
    minimums
        guaranteed memory by name, pages or sizes, rounded up to units. A process may also be named
        by an alias of its curve.
    weights
        of utilities, by name; 1 if not given.
    reference_rates
        accesses per any common unit of time, by name; only with `performance`. Not given:
        the accesses of the curve.
    performance
        maximize hit ratios times reference rates, not hit ratios.
    method
        "hull" (concave hulls, with a bound of the distance from the optimum), "greedy" (Zhou et al.,
        ASPLOS 2004, section 4.1.2) or "optimal" (dynamic programming).
    page_bytes
        page size of JSON files that do not contain it.
    convert
        scale curves of smaller pages to the largest page size, which is approximate.

    Raises
    ------
    UserError
        curves of several page sizes, two of one name, an unknown name, minimums beyond the memory,
        a size of no whole page, or an unreadable file.

    Warns
    -----
    UserWarning
        curves were converted.
    """
    chosen, converted = of_one_page_size(
        curves_in(curves, page_bytes),
        convert=convert,
        remedy="measure all with one page_bytes, or give convert=True (approximate)",
    )
    if converted:
        warnings.warn(converted_note(converted, chosen[0].page_bytes), stacklevel=2)
    if reference_rates and not performance:
        raise UserError(
            "reference_rates are given without performance",
            where="litemrc.allocate",
            remedy="give performance=True, or omit reference_rates",
        )

    def pages(size: int | str, name: str) -> int:
        return MemorySize.of(size, name).pages(chosen[0].page_bytes, name)

    least = {name: pages(size, "minimums") if size else 0 for name, size in (minimums or {}).items()}
    return divided(
        chosen,
        pages(memory, "memory"),
        None if delta is None else pages(delta, "delta"),
        minimums=by_curve(chosen, least.items(), "minimums"),
        weights=by_curve(chosen, (weights or {}).items(), "weights"),
        reference_rates=by_curve(chosen, (reference_rates or {}).items(), "reference_rates"),
        performance=performance,
        method=method,
    )


def divided(
    curves: Sequence[Curve],
    memory_pages: int,
    delta_pages: int | None,
    *,
    minimums: Mapping[str, int],
    weights: Mapping[str, float],
    reference_rates: Mapping[str, float],
    performance: bool,
    method: str,
) -> AllocationResult:
    """Divide a memory; the mappings have the names of curves, see `by_curve`.

    Raises
    ------
    UserError
        as `policies.allocation.division.allocate`.
    """
    delta = -(-memory_pages // UNITS) if delta_pages is None else delta_pages
    demands = [
        Demand(
            curve.name,
            curve.sizes_pages,
            curve.miss_ratio,
            curve.accesses,
            weight=weights.get(curve.name, 1.0),
            minimum_pages=minimums.get(curve.name, 0),
            reference_rate=reference_rates.get(curve.name, float(curve.accesses)) if performance else None,
        )
        for curve in curves
    ]
    found = divide(demands, memory_pages, delta_pages=delta, method=method)
    return AllocationResult(tuple(curves), tuple(demands), found, memory_pages, delta, method, performance)


def curves_in(source: CurveSource | Iterable[CurveSource], page_bytes: int | None = None) -> list[Curve]:
    """Return the curves of a `Curve`, `Curves`, a file, or of several of these.

    Raises
    ------
    UserError
        something else, or a file that cannot be read.
    """
    from litemrc.epochs.curve_files import read_curves  # pyarrow takes long to load

    if isinstance(source, Curve):
        return [source]
    if isinstance(source, Curves):
        return list(source.values())
    if isinstance(source, str | PathLike):
        return read_curves(Path(source), page_bytes)
    if not isinstance(source, Iterable):
        raise UserError(
            f"{type(source).__name__} is no miss-ratio curve", remedy="give Curve, Curves or a file of curves"
        )
    return [curve for each in source for curve in curves_in(each, page_bytes)]


def of_one_page_size(curves: Sequence[Curve], *, convert: bool, remedy: str) -> tuple[list[Curve], list[str]]:
    """Return the curves in pages of one size, and the names of those that were converted.

    Raises
    ------
    UserError
        no curve; or they differ in it, and `convert` is not set.
    """
    if not curves:
        raise UserError("there is no curve", remedy="give at least one")
    largest = max(curve.page_bytes for curve in curves)
    smaller = [curve.name for curve in curves if curve.page_bytes < largest]
    if smaller and not convert:
        listed = ", ".join(f"{curve.name}: {curve.page_bytes} bytes" for curve in curves)
        raise UserError("the curves have pages of different sizes", where=listed, remedy=remedy)
    return [curve.resized(largest) if curve.page_bytes < largest else curve for curve in curves], smaller


def converted_note(names: Sequence[str], page_bytes: int) -> str:
    """Return the note about converted curves."""
    return (
        f"{', '.join(names)}: converted to pages of {page_bytes} bytes; sizes are scaled, miss ratios are"
        " unchanged and therefore approximate"
    )


def by_curve(curves: Sequence[Curve], values: Iterable[tuple[str, Number]], where: str) -> dict[str, Number]:
    """Return values by the name of the curve that each name stands for, its own one or an alias.

    Raises
    ------
    UserError
        a name of no curve, or of several; a curve that is named twice.
    """
    found: dict[str, Number] = {}
    for name, value in values:
        meant = [curve.name for curve in curves if curve.name == name]
        meant = meant or [curve.name for curve in curves if name in curve.aliases]
        if len(meant) != 1:
            what = f"{len(meant)} curves are named {name!r}" if meant else f"no curve is named {name!r}"
            raise UserError(what, where=where, remedy=choose_from(name, [curve.name for curve in curves]))
        if meant[0] in found:
            raise UserError(f"{where} of {meant[0]!r} is given twice", where=where, remedy="give it once")
        found[meant[0]] = value
    return found
