"""Figures of pages replicated by reference counters: NAMC over DELAY, and over DELAY and UPDATE.

NAMC is the normalized average memory access cost. Source: "Reference counters", figures 1 and 2.
"""

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.machines.numa.machine import NumaRun, best
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE

_LINES = COLOURS[1:]
_FLAT = {"self-tuned": "-", "always-remote": ":", "first-touch": "--", "optimum": "-."}


def sweep_figure(runs: Sequence[NumaRun], *, title: str = "") -> Figure:
    """Draw runs of `upd` over DELAY (one UPDATE), or over both counters; other protocols as level lines.

    Raises:
        UserError: fewer than two values of DELAY.
    """
    swept = [run for run in runs if run.protocol == "upd"]
    if len({run.delay for run in swept if run.delay}) < 2:
        raise UserError(
            "a plot needs at least two values of DELAY", remedy="give a list, such as --delay 8,16,32,64"
        )
    if len({run.update for run in swept}) > 1:
        return surface_figure({title: swept})
    return delay_figure({title: runs})


def delay_figure(programs: Mapping[str, Sequence[NumaRun]]) -> Figure:
    """Draw NAMC over DELAY, a panel for each program, a line for each page size, a marker at its minimum."""
    columns = min(len(programs), 2)
    rows = -(-len(programs) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.6 * columns + 0.6, 3.3 * rows), dpi=200, layout="constrained")
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for axes, (name, runs) in zip(panels, programs.items(), strict=False):
            _delay_panel(axes, runs)
            axes.set_title(name)
        for axes in panels[len(programs) :]:
            axes.remove()
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper")
        figure.supxlabel("initial value of DELAY")
        figure.supylabel("NAMC (local access = 1)")
    return figure


def _delay_panel(axes: Axes, runs: Sequence[NumaRun]) -> None:
    swept = [run for run in runs if run.protocol == "upd" and run.delay]
    sizes = sorted({run.page_bytes for run in swept})
    for index, page_bytes in enumerate(sizes):
        line = sorted((run for run in swept if run.page_bytes == page_bytes), key=_delay)
        colour = _LINES[index % len(_LINES)]
        label = f"{page_bytes // 1024} KiB pages" if page_bytes >= 1024 else f"{page_bytes} byte pages"
        axes.plot([_delay(run) for run in line], [run.namc for run in line], color=colour, label=label)
        least = best(line)
        axes.plot(_delay(least), least.namc, MARKERS[index % len(MARKERS)], color=colour)
    for protocol, dashes in _FLAT.items():
        level = [run for run in runs if run.protocol == protocol and run.page_bytes == sizes[0]]
        if level:
            axes.axhline(level[0].namc, color=INK, linestyle=dashes, linewidth=1, label=protocol)
    axes.set_xscale("log", base=2)
    delays = sorted({_delay(run) for run in swept})
    axes.set_xticks(delays[:: max(1, len(delays) // 7)])
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.grid()


def surface_figure(programs: Mapping[str, Sequence[NumaRun]]) -> Figure:
    """Draw the speedup of memory accesses over DELAY and UPDATE, relative to a run without counters.

    The run without counters has DELAY 1 and UPDATE 0, which drops no copy; without it NAMC itself is drawn.
    The best pair is in bold.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.4 * len(programs), 4.2), dpi=200, layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, len(programs)))
        for axes, (name, runs) in zip(panels, programs.items(), strict=True):
            _surface_panel(figure, axes, runs)
            axes.set_title(name)
    return figure


def _surface_panel(figure: Figure, axes: Axes, runs: Sequence[NumaRun]) -> None:
    pairs = {(_delay(run), run.update or 0): run for run in runs if run.protocol == "upd"}
    plain = pairs.get((1, 0))
    drawn = {pair: run for pair, run in pairs.items() if all(pair)}
    delays, updates = (sorted({pair[axis] for pair in drawn}) for axis in (0, 1))
    values = _grid(drawn, delays, updates)
    if plain:
        values = plain.namc / values
    levels = np.arange(len(delays)), np.arange(len(updates))
    mesh = axes.pcolormesh(*levels, values, cmap="viridis" if plain else "viridis_r")
    for row, column in np.ndindex(values.shape):
        best_here = values[row, column] == (values.max() if plain else values.min())
        dark = (values[row, column] - values.min()) < 0.6 * np.ptp(values)
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
    axes.set_xticks(levels[0], [f"{delay}" for delay in delays])
    axes.set_yticks(levels[1], [f"{update}" for update in updates])
    axes.tick_params(length=0, labelsize=8)
    axes.set_xlabel("initial value of DELAY")
    axes.set_ylabel("initial value of UPDATE")
    figure.colorbar(mesh, ax=axes, label="speedup: NAMC at DELAY 1 / NAMC" if plain else "NAMC")


def _grid(
    runs: Mapping[tuple[int, int], NumaRun], delays: Sequence[int], updates: Sequence[int]
) -> NDArray[np.float64]:
    return np.array([[runs[delay, update].namc for delay in delays] for update in updates])


def _delay(run: NumaRun) -> int:
    """Return the initial DELAY of a run, 0 without the counter."""
    return run.delay or 0
