# SPDX-License-Identifier: BSD-2-Clause
"""The MRC engines by name."""

from typing import Protocol

from numpy.typing import ArrayLike

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError, choose_from
from litemrc.native.byte_stack import ByteStack
from litemrc.native.exact_stack import ExactStack
from litemrc.native.hls_engine import HlsEngine
from litemrc.native.os_tracker import (
    DEFAULT_GROUP_PAGES,
    DEFAULT_PERIOD,
    DEFAULT_REFERENCE_NS,
    DEFAULT_SCAN_LIST,
    OsTracker,
)
from litemrc.native.shards import ShardsFixedRate, ShardsFixedSize
from litemrc.native.stack_engines import STACK_ENGINES

# Parameters of each engine.
ENGINES = {
    "exact": ("threads",),
    **dict.fromkeys(STACK_ENGINES, ("frames", "groups")),
    "shards": ("sample_rate", "sample_pages", "band"),
    "os": ("scan_list", "period", "group_pages", "seen_only", "reference_ns"),
}
BY = ("pages", "bytes")
DEFAULT_FRAMES = 1 << 20
DEFAULT_GROUPS = 256
DEFAULT_RATE = 0.01


class Engine(Protocol):
    """An MRC engine."""

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses; only the engine by bytes uses `sizes`, the bytes of each page."""

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss-ratio curve of all accesses so far."""
        ...


def make_engine(
    name: str,
    *,
    by: str = "pages",
    threads: int | None = None,
    sample_rate: float | None = None,
    sample_pages: int | None = None,
    band: bool | None = None,
    frames: int | None = None,
    groups: int | None = None,
    scan_list: int | None = None,
    period: int | None = None,
    group_pages: int | None = None,
    seen_only: bool | None = None,
    reference_ns: float | None = None,
) -> Engine:
    """Return an engine; a parameter that is None has its default.

    Parameters
    ----------
    name
        one of `ENGINES`.
    by
        "pages": every page counts as one; "bytes": objects have sizes (exact only, with 1 thread).
    threads
        of exact: number of threads.
    sample_rate, sample_pages
        of shards: sampled share of the pages, or largest number of sampled pages.
    band
        of shards: whether the curve has a confidence band (default: yes).
    frames, groups
        of the engines of the hardware.
    scan_list, period, group_pages, seen_only, reference_ns
        of os, as `OsTracker` has them.

    Raises
    ------
    UserError
        an unknown engine, a parameter of another engine, or a value out of range.
    """
    if name not in ENGINES:
        raise UserError(f"unknown engine {name!r}", remedy=choose_from(name, ENGINES))
    given = {
        "threads": threads,
        "sample_rate": sample_rate,
        "sample_pages": sample_pages,
        "band": band,
        "frames": frames,
        "groups": groups,
        "scan_list": scan_list,
        "period": period,
        "group_pages": group_pages,
        "seen_only": seen_only,
        "reference_ns": reference_ns,
    }
    for parameter, value in given.items():
        if value is not None and parameter not in ENGINES[name]:
            owners = " and ".join(engine for engine in ENGINES if parameter in ENGINES[engine])
            raise UserError(
                f"engine {name} has no {parameter.replace('_', ' ')}", remedy=f"omit it, or choose {owners}"
            )
    if by not in BY:
        raise UserError(f"by must be pages or bytes (got {by!r})", remedy="choose one of the two")
    if by == "bytes":
        if name != "exact":
            raise UserError(f"engine {name} measures by pages only", remedy="choose engine exact")
        if threads not in (None, 1):
            raise UserError(f"the exact curve by bytes takes 1 thread (got {threads})", remedy="omit threads")
        return ByteStack()
    if name == "exact":
        return ExactStack(1 if threads is None else threads)
    if name == "shards":
        if sample_rate is not None and sample_pages is not None:
            raise UserError(
                "shards takes either a sample rate or a number of sample pages", remedy="give one of the two"
            )
        if sample_pages is not None:
            return ShardsFixedSize(sample_pages, band=band is not False)
        rate = DEFAULT_RATE if sample_rate is None else sample_rate
        return ShardsFixedRate(rate, band=band is not False)
    if name == "os":
        return OsTracker(
            DEFAULT_SCAN_LIST if scan_list is None else scan_list,
            DEFAULT_PERIOD if period is None else period,
            DEFAULT_GROUP_PAGES if group_pages is None else group_pages,
            seen_only=seen_only is True,
            reference_ns=DEFAULT_REFERENCE_NS if reference_ns is None else reference_ns,
        )
    return HlsEngine(
        name, DEFAULT_FRAMES if frames is None else frames, DEFAULT_GROUPS if groups is None else groups
    )
