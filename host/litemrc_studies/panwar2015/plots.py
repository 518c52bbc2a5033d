# SPDX-License-Identifier: BSD-2-Clause
"""Figures of placement runs: maps of banks (Panwar 2015, figures 3 and 9), memory over time (figure 10)."""

from collections.abc import Collection, Sequence
from itertools import pairwise

import matplotlib
import numpy as np
from litemrc.curves.sizes import size_unit
from litemrc.plots.curves import COLOURS, INK, RULE, STYLE
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from litemrc_studies.panwar2015.machine.placement import PAGE_BYTES, PlacementRun

_OFFLINE, _MOVABLE, _UNMOVABLE = "white", COLOURS[6], INK
_BORDER = COLOURS[2]  # between nodes
_COLUMNS = 3
_MANY = 5  # panels over time, from which on they are lower


def map_figure(
    runs: Sequence[PlacementRun], ticks: Sequence[int] | None = None, titles: Sequence[str] = ()
) -> Figure:
    """Draw the banks of each run at a tick, row by row from the upper left.

    Black banks hold an unmovable page. The shade of blue of the others shows their utilization. Hatched banks
    are offline. A line parts the banks of two nodes; a bank that belongs to both counts for the second.

    Parameters
    ----------
    ticks
        a tick for each run; default: the last.
    titles
        a title for each run; default: the allocator's name.
    """
    ticks = [len(run.used) - 1 for run in runs] if ticks is None else ticks
    with matplotlib.rc_context(STYLE):
        columns = min(len(runs), _COLUMNS)
        rows = -(-len(runs) // columns)
        figure = Figure(
            figsize=(max(4.4, 3.1 * columns + 0.2), 3.7 * rows + 0.6), dpi=150, layout="constrained"
        )
        all_axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in all_axes[len(runs) :]:
            axes.remove()
        for index, (run, tick, axes) in enumerate(zip(runs, ticks, all_axes, strict=False)):
            _map(axes, run, tick)
            used = run.used[tick] / run.placement.frames
            title = titles[index] if titles else run.allocator
            axes.set_title(
                f"{title}\n{used:.0%} in use, {run.offline_share[tick]:.0%} offline\n"
                f"{run.unmovable_units[tick]} of {run.placement.units} banks unmovable",
                fontsize=9,
            )
        figure.legend(
            handles=[
                Patch(facecolor=_UNMOVABLE, edgecolor=RULE, label="unmovable pages"),
                Patch(facecolor=_MOVABLE, edgecolor=RULE, label="only movable pages"),
                Patch(facecolor=_OFFLINE, edgecolor=RULE, hatch="xxxx", label="offline"),
                Patch(facecolor=_OFFLINE, edgecolor=RULE, label="empty, online"),
            ],
            loc="outside lower center",
            ncols=4 if len(runs) > 1 else 2,
            fontsize=8,
        )
        return figure


def _map(axes: Axes, run: PlacementRun, tick: int) -> None:
    units = run.placement.units
    columns = int(np.ceil(np.sqrt(units)))
    rows = -(-units // columns)
    share = run.used_of_unit[tick] / run.unit_pages
    # A bank with one page already has a quarter of the colour, to be visible.
    tint = np.where(share > 0, 0.25 + 0.75 * share, 0)[:, None]
    colours = 1 - tint * (1 - np.array(to_rgb(_MOVABLE)))
    colours[run.unmovable_of_unit[tick] > 0] = to_rgb(_UNMOVABLE)
    for unit, colour in enumerate(colours):
        row, column = divmod(unit, columns)
        axes.add_patch(
            Rectangle(
                (column, row),
                1,
                1,
                facecolor=colour,
                edgecolor=RULE,
                linewidth=0.5,
                hatch="xxxx" if run.offline[tick, unit] else "",
            )
        )
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.set_axis_off()
    if run.placement.nodes > 1 and not run.placement.interleave_bytes:
        _mark_nodes(axes, run, tick, columns)


def _mark_nodes(axes: Axes, run: PlacementRun, tick: int, columns: int) -> None:
    """Name each node and its use at the left of its banks, and draw lines between the nodes."""
    place = run.placement
    of_node = place.frames // place.nodes
    firsts = [node * of_node // place.unit_frames for node in range(place.nodes)] + [place.units]
    for node, (first, end) in enumerate(pairwise(firsts)):
        used = run.used_of_unit[tick, first:end].sum() / run.unit_pages[first:end].sum()
        axes.text(
            -0.3,
            (first + end) / 2 / columns,
            f"node {node}: {used:.1%} in use",
            rotation=90,
            ha="right",
            va="center",
            fontsize=8,
        )
        row, column = divmod(first, columns)
        if node:
            axes.plot([0, column, column, columns], [row + bool(column)] * 2 + [row] * 2, color=_BORDER)


def time_figure(
    runs: Sequence[PlacementRun],
    titles: Sequence[str] = (),
    shown: Sequence[Collection[str]] | None = None,
) -> Figure:
    """Draw free, offline and, if any, migrated memory over time.

    Parameters
    ----------
    titles
        a title for each run; default: the allocator's name.
    shown
        of "free", "offline" and "migrated" what the panel of each run shows; default: all.
    """
    copied_by_any = any(run.copied_pages for run in runs)
    unit, unit_bytes = size_unit(max(run.placement.memory_bytes for run in runs))
    shown = [("free", "offline", "migrated")] * len(runs) if shown is None else shown
    height = 1.9 if len(runs) < _MANY else 1.35
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, height * len(runs) + 1.2), dpi=150, layout="constrained")
        all_axes = figure.subplots(len(runs), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
        for index, (run, axes, kinds) in enumerate(zip(runs, all_axes, shown, strict=True)):
            total = run.placement.memory_bytes / unit_bytes
            times = np.arange(1, len(run.used) + 1) * run.tick_s
            free = total * (1 - run.used / run.placement.frames)
            if "free" in kinds:
                axes.plot(times, free, color=COLOURS[0], label="free", linewidth=2.8)
            if "offline" in kinds:
                axes.plot(times, total * run.offline_share, color=COLOURS[1], label="offline", linewidth=1.2)
            if "migrated" in kinds and copied_by_any:
                axes.fill_between(
                    times,
                    run.copied * PAGE_BYTES / unit_bytes,
                    step="post",
                    color=COLOURS[2],
                    label="migrated (cumulative)",
                )
            axes.set_title(titles[index] if titles else run.allocator)
            axes.set_ylim(bottom=0)
            axes.set_xlim(0, times[-1])
            axes.grid(axis="y")
        figure.supylabel(f"memory in {unit}")
        all_axes[-1].set_xlabel("time in s")
        handles = {
            label: handle
            for axes in all_axes
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside upper right", ncols=3)
        return figure
