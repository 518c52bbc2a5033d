"""Figures of page replacement as in Glass and Cao 1997: fault rates and inter-fault times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from litemrc.curves.drawing import size_axis
from litemrc.curves.sizes import MIB
from litemrc.plots.curves import COLOURS, MARKERS, STYLE, add_page_axis
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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


@dataclass(frozen=True)
class PagingPoint:
    """The page faults of a program under one policy in one memory.

    Attributes:
        policy: name in `litemrc_studies.glass1997.policies.POLICIES`.
        faults: page faults without cold faults, which no policy avoids.
        duration: run time of the program in time units.
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

    Parameters:
        name: of the policy.
        points: memory sizes in pages, and values.
        small: for one of many panels.
        clip: values may lie beyond the axis.
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
