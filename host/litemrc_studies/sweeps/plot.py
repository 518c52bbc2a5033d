# SPDX-License-Identifier: BSD-2-Clause
"""A figure of any sweep: one column over another, lines by the values of a third, panels by a fourth."""

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib
from litemrc.plots.curves import COLOURS, MARKERS, STYLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_IN_A_ROW = 3
_LOG_FROM = 30  # largest over smallest value of an axis that becomes logarithmic
Column = Sequence[Any]


def sweep_figure(
    columns: Mapping[str, Column],
    *,
    x: str,
    y: str,
    lines: str = "",
    panels: str = "",
    over: Sequence[str] = (),
    title: str = "",
) -> Figure:
    """Draw `y` over `x`: means of the points with one `x`, with minima and maxima if they differ by seed.

    Parameters
    ----------
    columns
        of equal length, by name; None: no value. Rows without `x` or `y` are left out.
    x, y
        names of columns of numbers; `x` may have texts.
    lines, panels
        names of columns; empty: all points are in one line, or panel.
    over
        further parameters, in which points with one `x` differ.
    """
    count = len(columns[x])
    rows = [
        row
        for row in zip(
            columns[panels] if panels else [None] * count,
            columns[lines] if lines else [None] * count,
            columns[x],
            columns[y],
            strict=True,
        )
        if row[2] is not None and row[3] is not None
    ]
    shown = list(dict.fromkeys(row[0] for row in rows)) or [None]
    names = list(dict.fromkeys(row[1] for row in rows))
    seeds = bool(over) and all(name.rpartition(".")[2] == "seed" for name in over)
    styles = dict(zip(names, zip(cycle(COLOURS[1:]), cycle(MARKERS[1:]), strict=False), strict=False))
    height, width = math.ceil(len(shown) / _IN_A_ROW), min(len(shown), _IN_A_ROW)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(2 + 3.2 * width, 0.8 + 2.8 * height), dpi=150, layout="constrained")
        grid = list(figure.subplots(height, width, squeeze=False, sharey=True).flat)
        for axes in grid[len(shown) :]:
            axes.remove()
        for axes, panel in zip(grid, shown, strict=False):
            for name in names:
                points = [(row[2], row[3]) for row in rows if row[:2] == (panel, name)]
                _draw_line(axes, points, str(name), *styles[name], band=seeds)
            axes.set_title(f"{panels} = {_shown(panel)}" if panels else "")
            axes.set_xlabel(_named(x, [row[2] for row in rows]))
            _scale(axes, [row[2] for row in rows])
        first = figure.axes[0]
        first.set_ylim(bottom=min(0, first.get_ylim()[0]))  # of all panels, and after all lines are drawn
        first.set_ylabel(y + (f"\nmean over {', '.join(over)}" if over else ""))
        if lines and names:
            figure.legend(*first.get_legend_handles_labels(), title=lines, loc="outside right upper")
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _draw_line(
    axes: Axes, points: Sequence[tuple[Any, float]], name: str, colour: str, marker: str, *, band: bool
) -> None:
    by_x: dict[Any, list[float]] = {}
    for position, value in points:
        by_x.setdefault(position, []).append(value)
    if all(isinstance(position, int | float) for position in by_x):
        by_x = dict(sorted(by_x.items()))
    positions, groups = list(by_x), list(by_x.values())
    means = [sum(group) / len(group) for group in groups]
    axes.plot(positions, means, color=colour, marker=marker, markersize=4, linewidth=1.6, label=name)
    if band:
        axes.fill_between(
            positions, [min(group) for group in groups], [max(group) for group in groups], color=colour,
            alpha=0.12, linewidth=0,
        )  # fmt: skip


def _scale(axes: Axes, positions: Sequence[Any]) -> None:
    """Choose the scales; numbers are written out."""
    if all(isinstance(position, int | float) for position in positions):
        if positions and min(positions) > 0 and max(positions) >= _LOG_FROM * min(positions):
            axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.tick_params(axis="x", labelrotation=30)
    axes.yaxis.set_major_formatter("{x:,.10g}")


def _named(name: str, values: Sequence[Any]) -> str:
    """Return the label of an axis: a memory given as numbers counts pages."""
    numbers = all(isinstance(value, int | float) for value in values)
    return "memory in pages" if name == "memory" and numbers else name


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
