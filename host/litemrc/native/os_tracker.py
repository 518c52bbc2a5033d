# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware: protection faults and accessed bits (Zhou et al., ASPLOS 2004, 3.2)."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

# Below 5 % overhead and 0.01 mean error for the programs of the paper: zhou2004/page.md, table 3.
DEFAULT_SCAN_LIST = 8192
DEFAULT_PERIOD = 2000
DEFAULT_GROUP_PAGES = 256
DEFAULT_REFERENCE_NS = 50_000.0
_LIST_SHARE, _GROUPS = 8, 64  # a scan list of an eighth of the pages, and 64 groups: docs/os-tracker.md
_LEAST_LIST, _LEAST_GROUP = 64, 16  # pages
_COARSE = 8  # a curve that is resolved to more than an eighth of its pages is reported


def scaled_defaults(pages: int) -> dict[str, int]:
    """Return scan list, period and group pages for a trace of n distinct pages.

    A scan list that holds the whole trace never faults, and then no order within a period is known. So the
    list is an eighth of the pages, the period in the same proportion to it as by default, and a group a 64th
    of the pages; at most the defaults.
    """
    scan_list = min(max(pages // _LIST_SHARE, _LEAST_LIST), DEFAULT_SCAN_LIST)
    return {
        "scan_list": scan_list,
        "period": max(scan_list * DEFAULT_PERIOD // DEFAULT_SCAN_LIST, 1),
        "group_pages": min(max(pages // _GROUPS, _LEAST_GROUP), DEFAULT_GROUP_PAGES),
    }


@dataclass(frozen=True)
class TrackerCosts:
    """CPU time of the tracker's events in ns: of the order of a Pentium 4 of 1.8 GHz; the paper has none.

    Attributes
    ----------
    fault
        a protection fault, from exception to return, with the TLB entries of both pages.
    scan
        a scan of the list without its pages: timer interrupt, TLB flush.
    scanned
        reading a page's accessed bit.
    accessed
        clearing it, counting the page, and the TLB miss of its next access.
    crossed
        pushing the last page of a group into the next group.
    """

    fault: float = 1500.0
    scan: float = 1000.0
    scanned: float = 30.0
    accessed: float = 80.0
    crossed: float = 5.0

    def ticks(self, tick_ns: float) -> dict[str, int]:
        """Return each cost in whole ticks of n ns."""
        return {cost.name: round(getattr(self, cost.name) / tick_ns) for cost in fields(self)}


class OsTracker:
    """The OS-only tracker of one process; equal to `golden.monitor.os_tracker`, which states its rules.

    Counts are those up to the last scan, plus the faults since.

    Parameters
    ----------
    scan_list
        most pages that are accessible, and scanned.
    period
        accesses between two scans.
    group_pages
        pages of a group, the resolution of the curve.
    stack_pages
        most pages of the stack, in the paper the frames of the memory; None: no limit.
    seen_only
        the curve is of the accesses that the tracker sees, as in the paper. Otherwise the unseen
        ones, repeated accesses to a page within a period, are hits of the first group.
    reference_ns
        time of the program for an access, for `overhead`.
    costs
        of the events.
    tick_ns
        unit of `access_ticks`.

    Raises
    ------
    UserError
        a number below 1, or a time that is not positive.
    """

    def __init__(
        self,
        scan_list: int = DEFAULT_SCAN_LIST,
        period: int = DEFAULT_PERIOD,
        group_pages: int = DEFAULT_GROUP_PAGES,
        *,
        stack_pages: int | None = None,
        seen_only: bool = False,
        reference_ns: float = DEFAULT_REFERENCE_NS,
        costs: TrackerCosts | None = None,
        tick_ns: float = 1.0,
    ) -> None:
        numbers = {"the scan list": scan_list, "the period": period, "a group": group_pages}
        for what, number in (*numbers.items(), ("the stack", 1 if stack_pages is None else stack_pages)):
            if not 1 <= number < 1 << 63:
                unit = "accesses" if what == "the period" else "pages"
                raise UserError(f"{what} cannot have {number} {unit}", remedy="give at least 1")
        if not 0 < reference_ns < float("inf"):
            raise UserError(
                f"the time of a reference must be positive (got {reference_ns} ns)", remedy="give such as 100"
            )
        self.group_pages, self.seen_only = group_pages, seen_only
        self._scan_list, self._period = scan_list, period
        self._reference_ns = reference_ns
        self._costs = TrackerCosts() if costs is None else costs
        self._core = _core.OsTracker(
            scan_list, period, group_pages, stack_pages or 0, **self._costs.ticks(tick_ns)
        )

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses; chunk borders do not affect the result.

        Raises
        ------
        UserError
            as in `page_array`, or more than 2^31 distinct pages.
        """
        try:
            self._core.access(page_array(pages))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="choose engine shards") from error

    def access_ticks(self, pages: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Process a chunk of accesses; return the time that tracking took at each, in ticks, uint64[n]."""
        return self._core.access_ticks(pages)

    def release(self) -> None:
        """Free all pages of the process; counters keep their values."""
        self._core.release()

    @property
    def hits(self) -> NDArray[np.uint64]:
        """Return the hits by group, uint64[groups], up to the last group with a hit."""
        hits: NDArray[np.uint64] = self._core.hits()
        if self.seen_only or not self._core.unseen:
            return hits
        hits = hits if hits.size else np.zeros(1, np.uint64)
        hits[0] += np.uint64(self._core.unseen)
        return hits

    @property
    def misses(self) -> int:
        """Return the accesses to pages that were not in the stack."""
        return self._core.misses

    @property
    def events(self) -> dict[str, int]:
        """Return the number of each event, by the names of `TrackerCosts`."""
        core = self._core
        return {
            "fault": core.faults,
            "scan": core.scans,
            "scanned": core.scanned,
            "accessed": core.accessed,
            "crossed": core.crossed,
        }

    @property
    def unresolved(self) -> str:
        """Return at which sizes the curve is not resolved; "" if it is to an eighth of the trace's pages."""
        pages = self.misses
        off = min(self._period, self._scan_list, pages)
        if off * _COARSE <= pages:
            return ""
        return (
            f"sizes up to {min(self._scan_list, pages):,} pages, those of the scan list, are not resolved:"
            f" a scan does not see the order of a period of {self._period:,} references, so distances are"
            f" off by up to {off:,} of the trace's {pages:,} pages (see --period and --scan-list)"
        )

    @property
    def overhead(self) -> float:
        """Return the time of tracking as a share of the program's; nan without an access."""
        spent = sum(getattr(self._costs, name) * count for name, count in self.events.items())
        return spent / (self._core.accesses * self._reference_ns) if self._core.accesses else float("nan")

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss ratio at one group, two groups ... the last group with a hit."""
        hits = self.hits
        hits = hits if hits.size else np.zeros(1, np.uint64)
        accesses = int(hits.sum()) + self.misses
        sizes, ratios = points_of_hits(hits, self.misses, self.group_pages)
        return Curve(sizes, ratios, accesses, self.misses, page_bytes, resolution_pages=self.group_pages)
