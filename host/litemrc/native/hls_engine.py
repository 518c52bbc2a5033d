# SPDX-License-Identifier: BSD-2-Clause
"""The hardware's stack engines on a trace: the sources of hls/, compiled for the host."""

from collections.abc import Iterable

from numpy.typing import ArrayLike

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array


def compiled_sizes() -> dict[int, list[int]]:
    """Return the compiled numbers of groups by number of frames."""
    sizes: dict[int, list[int]] = {}
    for frames, groups in _core.hls_sizes():
        sizes.setdefault(frames, []).append(groups)
    return sizes


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


class HlsEngine:
    """An engine of the monitor with one context.

    A page gets the next free frame at its first access and keeps it. Hit counters have 64 bits here.

    Parameters
    ----------
    unit
        a name of `STACK_ENGINES`: "group" is hls/group_stack, exact at group resolution.
    frames
        page frames of the memory, the largest number of distinct pages.
    groups
        page groups; the curve has one point per group.

    Raises
    ------
    UserError
        sizes that were not compiled.
    """

    def __init__(self, unit: str, frames: int, groups: int) -> None:
        sizes = compiled_sizes()
        if groups not in sizes.get(frames, []):
            raise UserError(
                f"the engine {unit} was not compiled for {frames} frames in {groups} groups",
                remedy=f"choose frames {_listed(sizes)}; groups {_listed(sizes[max(sizes)])}",
            )
        self.unit, self.frames, self.groups = unit, frames, groups
        self._core = _core.HlsEngine(unit, frames, groups)

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses.

        Raises
        ------
        UserError
            as in `page_array`, or more distinct pages than frames; the engine is unusable then.
        """
        try:
            self._core.access(page_array(pages))
        except _core.TooManyPagesError as error:
            larger = [frames for frames in compiled_sizes() if frames > self.frames]
            raise UserError(
                f"the trace has more than {self.frames} distinct pages, the number of frames",
                remedy=f"choose {_listed(larger)} frames" if larger else "choose engine exact",
            ) from error

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss ratio at one group, two groups ... all groups."""
        hits, misses, group_pages = self._core.hits(), self._core.misses, self.frames // self.groups
        accesses = int(hits.sum()) + misses
        sizes, ratios = points_of_hits(hits, misses, group_pages)
        return Curve(sizes, ratios, accesses, misses, page_bytes, resolution_pages=group_pages)
