"""Miss ratios over time and memory size, as a heat map."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from litemrc.curves.curve import Curve
from litemrc.curves.drawing import ratio_top
from litemrc.curves.sizes import MIB
from litemrc.plots.curves import STYLE
from litemrc.plots.memory_axis import memory_axis, memory_span

_MILLION = 1_000_000


def windows_figure(curves: Sequence[Curve], *, title: str = "") -> Figure:
    """Draw the miss ratio (colour) over references (x) and memory size (y, logarithmic).

    Parameters:
        curves: of consecutive windows, all with the same sizes; see `litemrc.mrc_windows`.
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
