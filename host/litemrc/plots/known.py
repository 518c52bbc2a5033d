# SPDX-License-Identifier: BSD-2-Clause
"""Values that a paper reports, as marks in a figure that repeats its experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from litemrc.plots.curves import COLOURS, INK, STYLE

LABEL = "value in the paper"


def draw_known(
    axes: Axes, points: Sequence[tuple[float, float]], label: str = LABEL, *, marker: str = "*"
) -> None:
    """Draw points of a paper as open marks above the data."""
    if points:
        horizontal, vertical = zip(*points, strict=True)
        axes.plot(
            horizontal,
            vertical,
            linestyle="none",
            marker=marker,
            markersize=12,
            markerfacecolor="none",  # a result may lie below
            markeredgecolor=INK,
            markeredgewidth=1.3,
            label=label,
            zorder=5,
        )


@dataclass(frozen=True)
class Beside:
    """A result beside the paper's.

    Attributes
    ----------
    label
        of its row.
    ours
        values of all seeds.
    paper
        the paper's value.
    """

    label: str
    ours: Sequence[float]
    paper: float


def beside_figure(
    panels: Mapping[str, Sequence[Beside]], ours: str = "here: mean, range of the seeds"
) -> Figure:
    """Draw results beside those of a paper: the mean and the range of the seeds, and the paper's value.

    Parameters
    ----------
    panels
        rows by label of the panel's axis, with the unit; all panels have the same rows.
    ours
        name of our results in the legend.
    """
    rows = [row.label for row in next(iter(panels.values()))]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 1.3 + 0.27 * len(rows)), dpi=150, layout="constrained")
        all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (label, results) in zip(all_axes, panels.items(), strict=True):
            axes.grid(axis="x")
            axes.axvline(0, color=INK, linewidth=0.8)
            for place, row in enumerate(results):
                axes.plot([min(row.ours), max(row.ours)], [place, place], color=COLOURS[1], linewidth=3)
            means = [float(np.mean(row.ours)) for row in results]
            places = range(len(results))
            axes.plot(means, places, "o", color=COLOURS[1], label=ours)
            draw_known(axes, [(row.paper, place) for place, row in enumerate(results)])
            axes.set_xlabel(label)
            axes.tick_params(axis="y", length=0)
        all_axes[0].set_yticks(range(len(rows)), rows)
        all_axes[0].set_ylim(len(rows) - 0.5, -0.5)
        handles, labels = all_axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
    return figure
