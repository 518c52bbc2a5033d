# SPDX-License-Identifier: BSD-2-Clause
"""Figures of pages replicated by reference counters: NAMC over DELAY, UPDATE, or both, and by protocol.

NAMC is the normalized average memory access cost. Source: "Reference counters", figures 1 and 2.
"""

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from litemrc.curves.sizes import size_text
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from litemrc.plots.known import draw_known
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from litemrc_studies.reference_counters.machine.numa import NumaRun, best

# A page size has one colour and one style of line in a figure.
_LINES = COLOURS[1:]
_DASHES = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1.5, 1)))
# Colour, width and style of level lines, the widest below: they may coincide.
_LEVELS = {
    "self-tuned": (COLOURS[0], 3.2, "-"),
    "invalidate": (COLOURS[7], 2.4, (0, (4, 3))),
    "first-touch": (COLOURS[4], 2.0, "--"),
    "upd": (COLOURS[3], 1.6, "-"),
    "always-remote": (INK, 1.4, ":"),
    "optimum": (INK, 1.0, "-."),
}
_NAMC = "NAMC (local access = 1)"
Points = Sequence[tuple[float, float]]


def sweep_figure(runs: Sequence[NumaRun], *, title: str = "") -> Figure:
    """Draw all runs: NAMC over the counter that is swept, over both counters, or a bar for each run."""
    delays = {run.delay for run in runs if run.protocol in ("upd", "invalidate")}
    updates = {run.update for run in runs if run.protocol == "upd"}
    if len(delays) > 1 and len(updates) > 1:
        return _both_figure(runs, title)
    if len(delays) > 1 or len(updates) > 1:
        return _counter_figure({title: runs}, "delay" if len(delays) > 1 else "update", {}, {})
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 1.2 + 0.3 * len(runs)), dpi=150, layout="constrained")
        _bars(figure.subplots(), runs)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def delay_figure(
    programs: Mapping[str, Sequence[NumaRun]],
    known: Mapping[str, Points] | None = None,
    flat: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Draw NAMC over DELAY, a panel for each program, a line for each page size, a marker at its minimum.

    Parameters
    ----------
    known
        points (DELAY, NAMC) of the paper, by program.
    flat
        range of DELAY in which the paper's NAMC is close to its minimum, by program.
    """
    return _counter_figure(programs, "delay", known or {}, flat or {})


def _counter_figure(
    programs: Mapping[str, Sequence[NumaRun]],
    counter: str,
    known: Mapping[str, Points],
    flat: Mapping[str, tuple[float, float]],
) -> Figure:
    columns = min(len(programs), 2)
    rows = -(-len(programs) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(max(8.0, 4.6 * columns + 1.0), 3.3 * rows), dpi=150, layout="constrained")
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        labelled: dict[str, Artist] = {}
        for axes, (name, runs) in zip(panels, programs.items(), strict=False):
            _counter_panel(axes, runs, counter)
            draw_known(axes, known.get(name, ()))
            if name in flat:
                axes.axvspan(
                    *flat[name], color=INK, alpha=0.1, linewidth=0, label="close to the best\nin the paper"
                )
            axes.set_ylim(bottom=0)
            axes.set_title(name)
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                labelled.setdefault(label, handle)
        for axes in panels[len(programs) :]:
            axes.remove()
        figure.set_figheight(max(3.3 * rows, 0.3 + 0.22 * len(labelled)))
        figure.legend(list(labelled.values()), list(labelled), loc="outside right upper")
        figure.supxlabel(f"initial value of {counter.upper()} (0: off)")
        figure.supylabel(_NAMC)
    return figure


def _counter_panel(axes: Axes, runs: Sequence[NumaRun], counter: str) -> None:
    sizes = sorted({run.page_bytes for run in runs})
    several = len({run.protocol for run in runs if run.protocol in ("upd", "invalidate")}) > 1
    values: set[int] = set()
    for (protocol, page_bytes), line in _grouped(runs).items():
        index = sizes.index(page_bytes)
        colour = _LINES[index % len(_LINES)]
        pages = f"{size_text(1, page_bytes)} pages"
        if len(line) == 1:
            of_size = len([run for run in runs if run.protocol == protocol]) > 1
            level, width, dashes = _LEVELS[protocol]
            axes.axhline(
                line[0].namc,
                color=colour if of_size else level,
                linewidth=width,
                linestyle=dashes,
                label=f"{protocol}, {pages}" if of_size else protocol,
            )
            continue
        line = sorted(line, key=lambda run: _value(run, counter))
        places = [_value(run, counter) for run in line]
        values.update(places)
        invalidating = protocol == "invalidate"
        axes.plot(
            places,
            [run.namc for run in line],
            color=colour,
            linestyle=_DASHES[index % len(_DASHES)],
            linewidth=1 if invalidating else 1.8,
            label=f"{protocol}, {pages}" if several else pages,
        )
        least = best(line)
        marker = MARKERS[index % len(MARKERS)]
        axes.plot(
            _value(least, counter),
            least.namc,
            marker,
            color=colour,
            markerfacecolor="white" if invalidating else colour,
        )
    _counter_axis(axes, sorted(values))
    axes.grid()


def _counter_axis(axes: Axes, values: Sequence[int]) -> None:
    """Make the axis logarithmic; 0 has its place left of 1."""
    axes.set_xscale("symlog", base=2, linthresh=1, linscale=0.5)
    shown = values[:: max(1, -(-len(values) // 8))]
    axes.set_xticks(shown, [f"{value}" for value in shown])
    axes.set_xticks([], minor=True)
    low, high = values[0], values[-1]
    axes.set_xlim(low - 0.15 if low < 2 else low / 1.2, high * 1.2 + 0.15)


def _bars(axes: Axes, runs: Sequence[NumaRun]) -> None:
    sizes = sorted({run.page_bytes for run in runs})
    labels = []
    for place, run in enumerate(runs):
        colour = _LINES[sizes.index(run.page_bytes) % len(_LINES)]
        (bar,) = axes.barh(place, run.namc, 0.7, color=colour)
        axes.annotate(
            f"{run.namc:.3g}", (bar.get_width(), place), (3, 0), textcoords="offset points", va="center"
        )
        counters = {"upd": ("delay", "update"), "invalidate": ("delay",)}.get(run.protocol, ())
        parts = [run.protocol, *(f"{counter.upper()} {_value(run, counter)}" for counter in counters)]
        labels.append(", ".join([*parts, *([f"{size_text(1, run.page_bytes)}"] if len(sizes) > 1 else [])]))
    axes.set_yticks(range(len(runs)), labels, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.12 * max(run.namc for run in runs))
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.set_xlabel(_NAMC)


def surface_figure(
    programs: Mapping[str, Sequence[NumaRun]],
    known: Mapping[str, Mapping[tuple[int, int], float]] | None = None,
) -> Figure:
    """Draw the speedup of memory accesses over DELAY and UPDATE, relative to a run without counters.

    The run without counters has DELAY 1 and UPDATE 0, which drops no copy; without it NAMC itself is drawn.
    The best pair is in bold.

    Parameters
    ----------
    known
        the paper's NAMC by (DELAY, UPDATE), by program; these cells are framed.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.8 * len(programs), 4.4), dpi=150, layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, len(programs)))
        for axes, (name, runs) in zip(panels, programs.items(), strict=True):
            _surface_panel(figure, axes, runs, (known or {}).get(name, {}))
            axes.set_title(name)
    return figure


def _both_figure(runs: Sequence[NumaRun], title: str) -> Figure:
    """Draw a surface for each page size, and bars of the protocols without both counters below."""
    surfaces = {
        f"{size_text(1, size)} pages": line for (name, size), line in _grouped(runs).items() if name == "upd"
    }
    others = [run for run in runs if run.protocol != "upd"]
    columns = min(len(surfaces), 2)
    rows = -(-len(surfaces) // columns)
    heights = [4.4] * rows + ([0.9 + 0.3 * len(others)] if others else [])
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(max(8.0, 6.0 * columns), sum(heights)), dpi=150, layout="constrained")
        grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
        for place, (name, line) in enumerate(surfaces.items()):
            axes = figure.add_subplot(grid[place // columns, place % columns])
            _surface_panel(figure, axes, line, {})
            axes.set_title(name)
        if others:
            _bars(figure.add_subplot(grid[rows, :]), others)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _surface_panel(
    figure: Figure, axes: Axes, runs: Sequence[NumaRun], known: Mapping[tuple[int, int], float]
) -> None:
    pairs = {(_value(run, "delay"), _value(run, "update")): run for run in runs if run.protocol == "upd"}
    delays, updates = (sorted({pair[axis] for pair in pairs}) for axis in (0, 1))
    plain = pairs.get((1, 0))
    if plain and len(pairs) < len(delays) * len(updates):  # it is a base only, not a part of the sweep
        delays, updates = (sorted({pair[axis] for pair in pairs if pair != (1, 0)}) for axis in (0, 1))
    values = _grid(pairs, delays, updates)
    if plain:
        values = plain.namc / values
    levels = np.arange(len(delays)), np.arange(len(updates))
    mesh = axes.pcolormesh(*levels, values, cmap="viridis" if plain else "viridis_r")
    for row, column in np.ndindex(values.shape):
        best_here = values[row, column] == (np.nanmax(values) if plain else np.nanmin(values))
        dark = (values[row, column] - np.nanmin(values)) < 0.6 * (np.nanmax(values) - np.nanmin(values))
        axes.text(
            column,
            row,
            f"{values[row, column]:.2f}",
            ha="center",
            va="center",
            fontsize=7.5,
            fontweight="bold" if best_here else "normal",
            color="white" if dark == bool(plain) else INK,
        )
    for (delay, update), namc in known.items():
        corner = delays.index(delay) - 0.5, updates.index(update) - 0.5
        label = f"best pair of the paper, NAMC {namc:g} (here {pairs[delay, update].namc:.2f})"
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=COLOURS[2], linewidth=2.2, label=label))
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.13), fontsize=9)
    axes.set_xticks(levels[0], [f"{delay}" for delay in delays])
    axes.set_yticks(levels[1], [f"{update}" for update in updates])
    axes.tick_params(length=0, labelsize=8)
    axes.set_xlabel("initial value of DELAY")
    axes.set_ylabel("initial value of UPDATE")
    figure.colorbar(mesh, ax=axes, label="speedup: NAMC at DELAY 1 / NAMC" if plain else _NAMC)


def _grid(
    runs: Mapping[tuple[int, int], NumaRun], delays: Sequence[int], updates: Sequence[int]
) -> NDArray[np.float64]:
    """Return NAMC of each pair, nan for one that did not run."""
    return np.array(
        [
            [runs[delay, update].namc if (delay, update) in runs else np.nan for delay in delays]
            for update in updates
        ]
    )


def _grouped(runs: Sequence[NumaRun]) -> dict[tuple[str, int], list[NumaRun]]:
    """Return the runs by protocol and page size."""
    groups: dict[tuple[str, int], list[NumaRun]] = {}
    for run in runs:
        groups.setdefault((run.protocol, run.page_bytes), []).append(run)
    return groups


def _value(run: NumaRun, counter: str) -> int:
    """Return the initial value of a counter, 0 without it."""
    return getattr(run, counter) or 0
