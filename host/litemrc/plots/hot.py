# SPDX-License-Identifier: BSD-2-Clause
"""The hot pages of epochs as a picture."""

from collections.abc import Sequence

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from litemrc.plots.curves import STYLE


def hot_figure(epochs: Sequence[tuple[Sequence[int], Sequence[int]]], *, title: str = "") -> Figure:
    """Draw the count (colour) of each hot page (y) by epoch (x).

    Parameters
    ----------
    epochs
        pages and counts of each, of equal length.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        points = [
            (number, page, count)
            for number, (pages, counts) in enumerate(epochs)
            for page, count in zip(pages, counts, strict=True)
        ]
        at, pages, counts = zip(*points, strict=True) if points else ((), (), ())
        drawn = axes.scatter(at, pages, c=counts, cmap="magma_r", vmin=0, s=8)
        axes.set(xlabel="epoch", ylabel="page")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.colorbar(drawn, label="accesses counted", pad=0.02)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure
