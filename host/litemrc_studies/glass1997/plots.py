# SPDX-License-Identifier: BSD-2-Clause
"""Figures as in Glass and Cao 1997: fault rates, inter-fault times, faults and evictions over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from litemrc.curves.drawing import size_axis
from litemrc.curves.sizes import MIB, size_text
from litemrc.plots.curves import COLOURS, MARKERS, STYLE, add_page_axis
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litemrc_studies.glass1997.machine.fault_log import FaultLog

# A policy looks the same in all pictures: colour, marker, its size, width and style of line. Policies may
# coincide: wide lines and large markers are below.
_STYLES: dict[str, tuple[str, str, float, float, Any]] = {
    "lru": (COLOURS[1], MARKERS[1], 6, 2.8, "-"),
    "clock": (COLOURS[2], MARKERS[2], 5, 2.2, "--"),
    "seq": (COLOURS[4], MARKERS[4], 4.5, 1.6, "-."),
    "seq-adaptive": (COLOURS[5], MARKERS[5], 4, 1.4, ":"),
    "opt": (COLOURS[3], MARKERS[3], 3.5, 1.2, "-"),
}
RATE_PER = 1_000_000  # time units
FAULTS, EVICTIONS = "faults", "evictions"
_FAULT, _SEQUENCE, _OTHER = COLOURS[1], COLOURS[2], COLOURS[0]


@dataclass(frozen=True)
class PagingPoint:
    """The page faults of a program under one policy in one memory.

    Attributes
    ----------
    policy
        name in `litemrc_studies.glass1997.policies.POLICIES`.
    faults
        page faults without cold faults, which no policy avoids.
    duration
        run time of the program in time units.
    """

    policy: str
    memory_pages: int
    faults: int
    duration: int


def fault_rate_figure(
    points: Sequence[PagingPoint], *, page_bytes: int, time_unit: str, title: str = ""
) -> Figure:
    """Draw page faults per million time units over memory size, a line for each policy (figures 1, 2, 11)."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _panel(page_bytes, title)
        for name, line in _lines(points):
            _draw(axes, name, line, [RATE_PER * point.faults / point.duration for point in line], page_bytes)
        axes.set_ylabel(f"page faults per\nmillion {time_unit}")
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:,.10g}")
        _from_zero(axes, points, page_bytes)
    return figure


def interfault_figure(
    points: Sequence[PagingPoint], *, page_bytes: int, time_unit: str, title: str = ""
) -> Figure:
    """Draw the mean time between page faults over memory size, a line for each policy (figures 3 and 4).

    It resolves the right end, where fault rates approach zero. Unlike in the paper the axis is logarithmic. A
    line ends before the size without faults.
    """
    with matplotlib.rc_context(STYLE):
        figure, axes = _panel(page_bytes, title)
        every: list[float] = []
        for name, line in _lines(points):
            faulting = [point for point in line if point.faults]
            times = [point.duration / point.faults for point in faulting]
            _draw(axes, name, faulting, times, page_bytes)
            every += times
        if not all(point.faults for point in points):
            axes.plot([], [], " ", label="\na line ends before\nthe first size\nwithout faults")
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axes.set_ylabel(f"mean inter-fault time\nin {time_unit}")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_minor_formatter("{x:,.3g}" if every and max(every) < 10 * min(every) else "")
        _from_zero(axes, points, page_bytes)
    return figure


def _panel(page_bytes: int, title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 3.6), dpi=200, layout="constrained")
    axes = figure.subplots()
    axes.grid(axis="y")
    axes.set_xlabel("memory size")
    size_axis(axes.xaxis)
    add_page_axis(axes, page_bytes)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure, axes


def _from_zero(axes: Axes, points: Sequence[PagingPoint], page_bytes: int) -> None:
    axes.set_xlim(0, 1.04 * max(point.memory_pages for point in points) * page_bytes / MIB)


def _lines(points: Sequence[PagingPoint]) -> list[tuple[str, list[PagingPoint]]]:
    """Return the points of each policy, ordered by size."""
    names = list(dict.fromkeys(point.policy for point in points))
    by_size = sorted(points, key=lambda point: point.memory_pages)
    return [(name, [point for point in by_size if point.policy == name]) for name in names]


def _draw(
    axes: Axes, name: str, points: Sequence[PagingPoint], values: Sequence[float], page_bytes: int
) -> None:
    sizes = [point.memory_pages for point in points]
    draw_policy(axes, name, list(zip(sizes, values, strict=True)), page_bytes)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def draw_policy(
    axes: Axes,
    name: str,
    points: Sequence[tuple[int, float]],
    page_bytes: int,
    *,
    small: bool = False,
    clip: bool = False,
) -> None:
    """Draw a line of a policy over memory size in MiB.

    Parameters
    ----------
    name
        of the policy.
    points
        memory sizes in pages, and values.
    small
        for one of many panels.
    clip
        values may lie beyond the axis.
    """
    colour, marker, size, width, dashes = _STYLES[name]
    scale = 0.5 if small else 1
    axes.plot(
        [pages * page_bytes / MIB for pages, _ in points],
        [value for _, value in points],
        color=colour,
        linestyle=dashes,
        linewidth=scale * width,
        marker=marker,
        markersize=scale * size,
        label=name.upper(),
        clip_on=clip,  # marks at 0 are whole
        zorder=2 + (8 - size) / 8,
    )


def faults_figure(
    log: FaultLog,
    *,
    memory_pages: int,
    page_bytes: int,
    time_unit: str,
    title: str = "",
    panels: Sequence[str] = (FAULTS, EVICTIONS),
) -> Figure:
    """Draw the pages that fault, and the pages that are evicted, over time. Cold faults are left out.

    As in a space-time graph, the pages of the log are numbered by address, so that holes in the address space
    take no room. Victims from sequences and those of LRU differ in colour.

    Parameters
    ----------
    panels
        FAULTS, EVICTIONS or both.
    """
    pages = np.unique(np.concatenate([log.pages, log.victims[log.evicts]]))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 0.6 + 2.9 * len(panels)), dpi=150, layout="constrained")
        all_axes = figure.subplots(len(panels), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, panel in zip(all_axes, panels, strict=True):
            _mark_faults(axes, log, pages) if panel == FAULTS else _mark_evictions(axes, log, pages)
            axes.set_xlim(int(log.times[0]), int(log.times[-1]) + 1)
            axes.set_ylim(0, pages.size)
            axes.set_ylabel(f"pages of {size_text(1, page_bytes)}, by address")
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, markerscale=8, borderaxespad=0)
        named = {"references": "references", "units of time": "time"}
        all_axes[-1].set_xlabel(named.get(time_unit, f"time in {time_unit}"))
        all_axes[-1].xaxis.set_major_formatter("{x:,.0f}")
        all_axes[-1].locator_params(axis="x", nbins=6)
        memory = f"memory of {memory_pages:,} pages, {size_text(memory_pages, page_bytes)}"
        figure.suptitle(f"{title}, {memory}" if title else memory, x=0.01, ha="left", fontweight="bold")
    return figure


def _mark_faults(axes: Axes, log: FaultLog, pages: NDArray[np.uint64]) -> None:
    warm = log.pages[~log.cold]
    _mark(axes, log.times[~log.cold], warm, pages, _FAULT, f"{warm.size:,} page faults, not cold")


def _mark_evictions(axes: Axes, log: FaultLog, pages: NDArray[np.uint64]) -> None:
    others = log.evicts & ~log.from_sequence
    by = " by LRU" if log.from_sequence.any() else ""
    for chosen, colour, how in ((others, _OTHER, by), (log.from_sequence, _SEQUENCE, " from sequences")):
        if chosen.any():
            victims = log.victims[chosen]
            _mark(axes, log.times[chosen], victims, pages, colour, f"{victims.size:,} evictions{how}")
    if not log.evicts.any():
        axes.plot([], [], " ", label="no evictions")


def _mark(
    axes: Axes,
    times: NDArray[np.uint64],
    marked: NDArray[np.uint64],
    pages: NDArray[np.uint64],
    colour: str,
    label: str,
) -> None:
    axes.plot(
        times,
        np.searchsorted(pages, marked),
        linestyle="none",
        marker=".",
        markersize=1.5,
        markeredgewidth=0,
        color=colour,
        label=label,
        rasterized=True,  # an .svg of all marks would be far larger
    )
