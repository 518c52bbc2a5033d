# SPDX-License-Identifier: BSD-2-Clause
"""Figures of accesses by address and time: heat maps and traces."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from litemrc.curves.sizes import size_text
from litemrc.pages.page_bitmaps import HeatMap, PageBitmaps, mean_ns, times_ns
from litemrc.plots.curves import COLOURS, INK, PALE, STYLE
from litemrc.traces.summary import SpaceTime

_LABELS = 8  # of an axis, at most
_LEAST_RANGE = 0.05  # of the axis, between two labels
_MOST_GAPS = 40  # that are drawn


def heat_figure(drawn: HeatMap, bitmaps: PageBitmaps, *, title: str = "") -> Figure:
    """Draw the share of pages accessed (colour) by epoch (x) and address (y); lines mark gaps."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        colours = matplotlib.colormaps["magma_r"].with_extremes(bad=PALE)
        mesh = axes.pcolormesh(
            drawn.epoch_edges,
            drawn.page_edges,
            np.ma.masked_invalid(drawn.share),
            cmap=colours,
            vmin=0,
            vmax=drawn.highest or 1,
            shading="flat",
            rasterized=True,
        )
        axes.set_facecolor(PALE)
        _address_axis(axes, drawn)
        axes.xaxis.set_major_locator(MaxNLocator(_LABELS, integer=True))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        time = f" ({times_ns(bitmaps, 0)[1][-1] / 1e9:.3g} s in all)" if mean_ns(bitmaps) else ""
        missing = "; grey: missing" if np.isnan(drawn.share).any() else ""
        axes.set_xlabel(f"epoch{time}{missing}")
        what = "written" if drawn.written else "accessed"
        figure.colorbar(mesh, label=f"share of pages {what}", pad=0.02)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _address_axis(axes: Axes, drawn: HeatMap) -> None:
    """Label addresses on the left and sizes on the right; a cut of the addresses is a line."""
    shown = drawn.shown
    bits = _round_bits(drawn) if len(shown.ranges) == 1 else _range_bits(drawn)
    axes.yaxis.set_major_locator(FixedLocator(bits))
    axes.yaxis.set_major_formatter(FixedFormatter([f"{address:#x}" for address in shown.addresses(bits)]))
    axes.set(ylabel="address", ylim=(0, shown.pages))
    if len(shown.ranges) <= _MOST_GAPS:
        for first in shown.first_bits[1:].tolist():
            axes.axhline(first, color=INK, linewidth=0.5)
    sizes = axes.secondary_yaxis("right")
    step = _step(shown.pages)
    marks = list(range(0, shown.pages + 1, step))
    sizes.yaxis.set_major_locator(FixedLocator(marks))
    sizes.yaxis.set_major_formatter(
        FixedFormatter([size_text(mark, shown.page_bytes) if mark else "0" for mark in marks])
    )


def _step(pages: int) -> int:
    """Return the power of two of pages between two labels."""
    return 1 << max(0, int(np.ceil(np.log2(max(pages, 1) / _LABELS))))


def _round_bits(drawn: HeatMap) -> list[int]:
    """Return the pages of one range whose addresses are multiples of a step."""
    (frames,) = drawn.shown.ranges
    step = _step(len(frames))
    base = drawn.shown.base_address // drawn.shown.page_bytes
    return list(range(-(base + frames.start) % step, len(frames), step))


def _range_bits(drawn: HeatMap) -> list[int]:
    """Return the first page of each range that is far enough from the one labelled before."""
    bits = [0]
    for first in drawn.shown.first_bits[1:].tolist():
        if first - bits[-1] >= _LEAST_RANGE * drawn.shown.pages:
            bits.append(first)
    return bits


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
