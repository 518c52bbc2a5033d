"""Figures of traces."""

import matplotlib
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from litemrc.curves.sizes import size_text
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.traces.space_time import SpaceTime


def space_time_figure(graph: SpaceTime, *, page_bytes: int, title: str = "", time_unit: str = "") -> Figure:
    """Draw a mark for each referenced page over time: the space-time graph of Glass and Cao, section 2.2."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        axes.imshow(
            graph.referenced,
            origin="lower",
            aspect="auto",
            interpolation="nearest",
            extent=(graph.begin, graph.end, 0, graph.pages),
            cmap=ListedColormap(["#ffffff00", COLOURS[1]]),
            vmin=0,
            vmax=1,
        )
        unit = f"time in {time_unit}" if time_unit else "time"
        axes.set_xlabel(unit if graph.timed else "references")
        axes.set_ylabel(f"referenced pages of {size_text(1, page_bytes)}, by address")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=6)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        if title:
            axes.set_title(title)
    return figure
