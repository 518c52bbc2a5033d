# SPDX-License-Identifier: BSD-2-Clause
"""Figures of an epoch table: curves in one picture, one panel per owner, and the epochs over time.

Figures are built without pyplot, which keeps global state. A curve is drawn as a step function: nothing is
measured between two sizes. Every figure needs a table with at least one counted access.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.drawing import shown_sizes, size_axis
from litemrc.curves.sizes import MIB, size_text
from litemrc.epochs.processes import Owner
from litemrc.epochs.table import EpochTable
from litemrc.plots.memory_axis import (
    MARKER_NOTE,
    CurveLine,
    draw_lines,
    highest,
    memory_axis,
    memory_span,
    ratio_axis,
    steps,
)

_NOTE = "\nvertical line:\nresident | evicted\n(mean; shaded: range)"
_WIDEST, _NARROWEST = 2.0, 1.0  # lines at the same size remain visible
_ROOM = 0.13  # of the axis, for a word
INK = "#1f2328"
PALE = "#b4bbc4"
RULE = "#d9dde2"
# The palette of Okabe and Ito, distinguishable in all common kinds of colour blindness. Black and yellow
# vanish on dark or light paper; grey (context 0) and a colour of Tol replace them. Markers serve grey prints.
COLOURS = ("#7d858f", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#aa3377")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
STYLE: dict[Any, Any] = {  # the stubs of matplotlib want every key as a literal type
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.labelsize": 10,
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": RULE,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "text.color": INK,
    "text.parse_math": False,  # names of contexts may hold a $
    "xtick.color": INK,
    "ytick.color": INK,
}


def resident_bytes(curves: Sequence[Curve]) -> list[int]:
    """Return the mean resident memory of each curve with evicted pages, for the memory axis to contain."""
    return [
        round(curve.tail.resident_pages * curve.page_bytes)
        for curve in curves
        if curve.tail and curve.tail.evicts
    ]


def draw_borders(axes: Axes, lines: Sequence[CurveLine], *, words: bool = True) -> None:
    """Draw a dotted line at the mean resident memory of each curve with evicted pages, its range shaded.

    The words stand beside the line of a single curve, else in the legend.

    Parameters
    ----------
    axes
        with a logarithmic memory axis in MiB, already drawn.
    words
        label the lines.
    """
    borders = [(line, line.curve.tail) for line in lines if line.curve.tail and line.curve.tail.evicts]
    if not borders:
        return
    widths = np.linspace(_NARROWEST, _WIDEST, len(borders))[::-1]
    for (line, tail), width in zip(borders, widths, strict=True):
        unit = line.curve.page_bytes / MIB
        at = tail.resident_pages * unit
        axes.axvline(at, color=line.colour, linestyle=":", linewidth=width, zorder=1.5)
        if tail.resident_least < tail.resident_most:
            least, most = tail.resident_least * unit, tail.resident_most * unit
            axes.axvspan(least, most, color=line.colour, alpha=0.08, linewidth=0)
    if not words:
        return
    if len(lines) > 1:
        axes.plot([], [], " ", label=_NOTE)
        return
    first, last = axes.get_xlim()
    place = float(np.log(at / first) / np.log(last / first))
    for word, side, fits in (("resident ", "right", place > _ROOM), (" evicted", "left", place < 1 - _ROOM)):
        if fits:
            axes.text(at, 0.955, word, ha=side, va="top", fontsize=9, transform=axes.get_xaxis_transform())


def curves_figure(table: EpochTable, owners: Sequence[Owner] | None = None, *, title: str = "") -> Figure:
    """Draw the miss ratio over memory size of several owners (default: all with data) in one picture.

    A marker shows the smallest size within `EPSILON` of the minimum miss ratio.
    """
    owners = owners or table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        span = memory_span(curves, *resident_bytes(curves))
        lines = [_line(table, *each) for each in zip(owners, curves, strict=True)]
        draw_lines(axes, lines, span[1])
        axes.plot([], [], " ", label=MARKER_NOTE)
        memory_axis(axes, span, table.page_bytes)
        draw_borders(axes, lines)
        ratio_axis(axes, highest(curves))
        figure.legend(loc="outside right upper")
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def panels_figure(table: EpochTable, exact: Mapping[int, Curve] | None = None, *, columns: int = 3) -> Figure:
    """Draw one small panel for each owner with data: its curve, and those of the others in grey.

    The title of a panel gives the smallest size within `EPSILON` of the minimum miss ratio, the marker.

    Parameters
    ----------
    exact
        curves by context, of the same sizes; drawn dotted for owners that were alone in their context.
    """
    owners = table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    alone = {context: exact for context, exact in (exact or {}).items() if _had_one_owner(owners, context)}
    columns = min(columns, len(curves))
    rows = -(-len(curves) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 0.6 + 2.1 * rows), dpi=200, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        span = memory_span([*curves, *alone.values()], *resident_bytes(curves))
        for axes, owner, curve in zip(grid, owners, curves, strict=False):
            for other in curves:
                if other is not curve:
                    axes.step(*steps(other, span[1]), where="post", color=PALE, linewidth=0.8)
            shown, colour = steps(curve, span[1]), _colour(table, owner)
            axes.fill_between(*shown, step="post", color=colour, alpha=0.15, linewidth=0)
            draw_lines(axes, [_line(table, owner, curve)], span[1])
            draw_borders(axes, [_line(table, owner, curve)], words=False)
            if owner.context in alone:
                axes.step(
                    *steps(alone[owner.context], span[1]), where="post", color=INK, linestyle=":", linewidth=1
                )
            memory_axis(axes, span, None, most_labels=max(2, 8 // columns))
            axes.set_xlabel("")
            ratio_axis(axes, highest(curves), "")
            axes.grid(False)
            axes.set_title(table.name_of(owner))
            axes.set_title(size_text(curve.size_within(), table.page_bytes), loc="right", fontsize=9)
        for position, axes in enumerate(grid):
            axes.tick_params(labelbottom=position + columns >= len(curves))
            axes.set_visible(position < len(curves))
        figure.supxlabel("memory size")
        figure.supylabel("miss ratio")
    return figure


def epochs_figure(table: EpochTable) -> Figure:
    """Draw accesses, working-set sizes and miss ratios at some sizes of each owner over the epochs.

    Where pages were evicted, also the memory resident and evicted.
    """
    table = table.together()  # a row for each owner and epoch
    owners = table.owners_with_data
    sizes = shown_sizes([table.curve(owner) for owner in owners])
    evicting = [owner for owner in owners if (tail := table.tail_of(owner)) and tail.evicts]
    edges = np.unique(np.concatenate([table.epoch, table.epoch + 1.0]))
    with matplotlib.rc_context(STYLE):
        panels = 2 + bool(evicting) + len(sizes)
        figure = Figure(figsize=(8, 1.6 + 1.2 * panels), dpi=200, layout="constrained")
        top, middle, *below = figure.subplots(panels, 1, sharex=True)
        if evicting:
            _draw_memory(below.pop(0), table, evicting, edges)
        bottom = np.zeros(edges.size - 1)
        shown: list[NDArray[np.float64]] = []
        for owner in owners:
            rows = table.rows_of(owner)
            bins = np.searchsorted(edges, table.epoch[rows])
            accesses = np.zeros(edges.size - 1)
            accesses[bins] = table.accesses[rows]
            style = {"color": _colour(table, owner)}
            top.stairs(
                bottom + accesses, edges, baseline=bottom, fill=True, label=table.name_of(owner), **style
            )
            bottom += accesses
            working_set = np.full(edges.size - 1, np.nan)
            working_set[bins] = table.working_set_pages[rows]
            middle.stairs(working_set * table.page_bytes / MIB, edges, baseline=None, linewidth=1.8, **style)
            for axes, pages in zip(below, sizes, strict=True):
                ratios = np.full(edges.size - 1, np.nan)
                ratios[bins] = _ratios_at(table, rows, pages)
                shown.append(ratios)
                axes.stairs(ratios, edges, baseline=None, linewidth=1.8, **style)
        lossy = np.unique(table.epoch[table.dropped > 0])
        if lossy.size:
            above = 1.06 * bottom[np.searchsorted(edges, lossy)]
            top.plot(lossy + 0.5, above, "v", color=INK, label="accesses dropped")
        top.set(title="accesses per epoch", ylabel="accesses", xlim=(edges[0], edges[-1]))
        top.yaxis.set_major_formatter("{x:,.0f}")
        top.grid(axis="y")
        middle.set(title="working-set size: memory accessed in the epoch", ylabel="memory")
        size_axis(middle.yaxis)
        middle.set_ylim(bottom=0)
        middle.grid(axis="y")
        for axes, pages in zip(below, sizes, strict=True):
            axes.set_title(f"miss ratio of a memory of {size_text(pages, table.page_bytes)}")
            ratio_axis(axes, shown)
        below[-1].set_xlabel("epoch")
        below[-1].locator_params(axis="x", integer=True)
        figure.legend(loc="outside right upper")
    return figure


def _draw_memory(axes: Axes, table: EpochTable, owners: Sequence[Owner], edges: NDArray[np.float64]) -> None:
    """Draw the resident and the evicted memory of owners at the ends of epochs."""
    for owner in owners:
        rows = table.rows_of(owner)
        for column, style in ((table.resident, "-"), (table.evicted, ":")):
            memory = np.full(edges.size - 1, np.nan)
            memory[np.searchsorted(edges, table.epoch[rows])] = column[rows] * (table.page_bytes / MIB)
            axes.stairs(
                memory, edges, baseline=None, linewidth=1.8, color=_colour(table, owner), linestyle=style
            )
    axes.set(title="memory at the end of the epoch: resident (solid), evicted (dotted)", ylabel="memory")
    size_axis(axes.yaxis)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")


def add_page_axis(axes: Axes, page_bytes: int) -> None:
    """Add an axis in pages on top of an axis in MiB."""
    per_mib = MIB / page_bytes
    pages = axes.secondary_xaxis(
        "top", functions=(lambda mib: np.asarray(mib) * per_mib, lambda pages: np.asarray(pages) / per_mib)
    )
    pages.set_xlabel(f"pages of {size_text(1, page_bytes)}")
    pages.xaxis.set_major_formatter("{x:,.0f}")
    pages.spines["top"].set_visible(False)


def _place(table: EpochTable, owner: Owner) -> int:
    """Return the index of an owner's colour and marker: its context, or its own number with processes."""
    if not table.processes:
        return owner.context
    others = [each for each in table.owners_with_data if each != Owner(0)]
    return others.index(owner) + 1 if owner in others else 0


def _colour(table: EpochTable, owner: Owner) -> str:
    return COLOURS[_place(table, owner) % len(COLOURS)]


def _had_one_owner(owners: Sequence[Owner], context: int) -> bool:
    return [owner.context for owner in owners].count(context) == 1


def _line(table: EpochTable, owner: Owner, curve: Curve) -> CurveLine:
    marker = MARKERS[_place(table, owner) % len(MARKERS)]
    return CurveLine(curve, table.name_of(owner), _colour(table, owner), marker)


def _ratios_at(table: EpochTable, rows: NDArray[np.bool_], pages: int) -> NDArray[np.float64]:
    """Return the miss ratio at a size for each row; nan for a row without accesses."""
    total = table.hits[rows].sum(axis=1, dtype=np.float64) + table.misses[rows]
    hits = table.combined_hits(rows)[:, : pages // table.group_pages].sum(axis=1)
    missed = np.maximum(total - hits, 0)  # refaults may be counted an epoch before their misses
    return np.divide(missed, total, out=np.full(total.shape, np.nan), where=total > 0)
