"""Figures of page faults and evictions over time, as figures 5 to 8 of Glass and Cao 1997."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from litemrc.curves.sizes import size_text
from litemrc.plots.curves import COLOURS, STYLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litemrc_studies.glass1997.machine.fault_log import FaultLog

FAULTS, EVICTIONS = "faults", "evictions"
_FAULT, _SEQUENCE, _OTHER = COLOURS[1], COLOURS[2], COLOURS[0]


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

    Parameters:
        panels: FAULTS, EVICTIONS or both.
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
