# SPDX-License-Identifier: BSD-2-Clause
"""Figures of miss-ratio curves: several in one picture, differences, allocations, windows over time."""

from collections.abc import Sequence
from dataclasses import replace

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from litemrc.curves.curve import Curve, CurveDifference
from litemrc.curves.drawing import ratio_top
from litemrc.curves.sizes import MIB, size_text
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from litemrc.plots.memory_axis import (
    MARKER_NOTE,
    CurveLine,
    draw_lines,
    highest,
    memory_axis,
    memory_span,
    ratio_axis,
)
from litemrc.policies.allocation.division import Allocation
from litemrc.texts import printable

_MILLION = 1_000_000


def mrc_figure(curves: Sequence[Curve], *, title: str = "") -> Figure:
    """Draw miss ratios under LRU over memory size, cold misses included; bands where curves have them."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6 if len(curves) == 1 else 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        span = memory_span(curves)
        draw_lines(axes, curve_lines(curves), span[1])
        memory_axis(axes, span, common_page_bytes(curves))
        ratio_axis(axes, highest(curves), "miss ratio under LRU")
        note = MARKER_NOTE
        if any(curve.low is not None for curve in curves):
            note += "\n\nshaded: 95 % confidence\nband of a sampled curve"
        axes.plot([], [], " ", label=note)
        figure.legend(loc="outside right upper")
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def difference_figure(
    pairs: Sequence[tuple[Curve, Curve, CurveDifference]], *, tolerance: float | None = None
) -> Figure:
    """Draw each pair of curves, and below it the difference of the pair, first minus second.

    Parameters
    ----------
    tolerance
        absolute difference to mark.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.6 * len(pairs)), dpi=200, layout="constrained")
        grid = figure.subplots(
            2 * len(pairs), 1, squeeze=False, height_ratios=[2, 1] * len(pairs), sharex=False
        ).ravel()
        for (first, second, difference), above, below in zip(pairs, grid[::2], grid[1::2], strict=True):
            both = [first, second]
            largest = int(difference.largest_at_bytes)
            span = memory_span(both, largest)
            draw_lines(above, curve_lines(both), span[1], markers=False)
            memory_axis(above, span, common_page_bytes(both))
            ratio_axis(above, highest(both))
            above.legend(loc="best")
            sizes = difference.memory_bytes / MIB
            shown = sizes <= span[1]
            x, y = sizes[shown], difference.differences[shown]
            below.step(np.append(x, span[1]), np.append(y, y[-1]), where="post", color=COLOURS[1])
            at = int(np.searchsorted(difference.memory_bytes, largest))
            below.plot(sizes[at], difference.differences[at], "o", color=COLOURS[2], zorder=4)
            memory_axis(below, span, None)
            furthest = max(1.1 * difference.largest, 1.2 * (tolerance or 0), 1e-6)
            below.set(ylabel=f"{_short(first)}\nminus {_short(second)}", ylim=(-furthest, furthest))
            below.axhline(0, color=INK, linewidth=0.8)
            if tolerance:
                for limit in (-tolerance, tolerance):
                    below.axhline(limit, color=INK, linewidth=1, linestyle=":")
            below.grid(axis="y")
    return figure


def curve_lines(curves: Sequence[Curve]) -> list[CurveLine]:
    """Return a line for each curve, with its colour, marker and name."""
    return [
        CurveLine(curve, _short(curve, 28), COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)])
        for n, curve in enumerate(curves, 1)
    ]


def common_page_bytes(curves: Sequence[Curve]) -> int | None:
    """Return the page size of all curves; None if they differ, or are curves by bytes."""
    sizes = {curve.page_bytes for curve in curves}
    return sizes.pop() if len(sizes) == 1 and sizes != {1} else None


def _short(curve: Curve, most: int = 16) -> str:
    name = curve.name or "trace"
    return printable(name if len(name) <= most else name[: most - 1] + "…")


def allocation_figure(curves: Sequence[Curve], allocation: Allocation) -> Figure:
    """Draw all curves in one picture, with a marker at the memory size of each process.

    The axis is logarithmic: the marker of a process without memory stands at its left end.

    Parameters
    ----------
    curves
        of all processes of the allocation, with one page size.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        given = {curve.name: allocation.pages[curve.name] * curve.page_bytes for curve in curves}
        span = memory_span(curves, *(size for size in given.values() if size))
        lines = curve_lines(curves)
        draw_lines(axes, [replace(line, label="") for line in lines], span[1], markers=False)
        for number, line in enumerate(lines):
            name, size = line.curve.name, given[line.curve.name]
            axes.plot(
                size / MIB if size else span[0],
                allocation.miss_ratio[name] if size else line.curve.miss_ratio[0],
                line.marker,
                color=line.colour,
                markersize=10 - 5 * number / len(lines),
                markerfacecolor="none" if size else "white",
                label=f"{printable(name)}: {size_text(allocation.pages[name], line.curve.page_bytes)}",
                clip_on=False,
                zorder=4,
            )
        memory_axis(axes, span, common_page_bytes(curves))
        ratio_axis(axes, highest(curves))
        figure.legend(loc="outside right upper", title="allocated memory")
    return figure


def windows_figure(curves: Sequence[Curve], *, title: str = "") -> Figure:
    """Draw the miss ratio (colour) over references (x) and memory size (y, logarithmic).

    Parameters
    ----------
    curves
        of consecutive windows, all with the same sizes; see `litemrc.mrc_windows`.
    """
    sizes = curves[0].sizes_pages * curves[0].page_bytes / MIB
    first, last = float(sizes[0]), memory_span(curves)[1]
    shown = sizes < last
    edges = np.append(sizes[shown], last)
    ratios = np.stack([curve.miss_ratio[shown] for curve in curves], axis=1)
    ends = np.cumsum([0, *(curve.accesses for curve in curves)])
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        unit, name = (_MILLION, "million references") if ends[-1] >= _MILLION else (1, "references")
        mesh = axes.pcolormesh(
            ends / unit,
            edges,
            ratios,
            cmap="cividis",
            vmin=0,
            vmax=ratio_top([ratios]),
            shading="flat",
            rasterized=True,
        )
        memory_axis(axes, (first, last), curves[0].page_bytes, vertical=True)
        axes.set(xlabel=name, xlim=(0, ends[-1] / unit))
        axes.xaxis.set_major_formatter("{x:,g}")
        figure.colorbar(mesh, label="miss ratio under LRU", pad=0.02)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure
