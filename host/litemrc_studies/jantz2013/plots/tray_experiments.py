"""Figures of experiments with trays: ranks under intents, kernels on nodes, background accesses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from litemrc.plots.known import draw_known
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from litemrc_studies.jantz2013.plots.trays import draw_levels

_PAGES = {"hot (red)": "#c23b22", "cold (blue)": COLOURS[1], "others": "#b0b5bb"}


@dataclass(frozen=True, eq=False)
class RankUse:
    """What lies on the ranks under one configuration, and how long they sleep.

    Attributes:
        gib: memory in use of each rank, by kind of pages: hot, cold and others, in this order.
        asleep: share of the time in self-refresh of each rank.
    """

    gib: Sequence[ArrayLike]
    asleep: Sequence[float]


def ranks_figure(panels: Mapping[str, RankUse]) -> Figure:
    """Draw the pages on each rank, and below them the time that the rank sleeps, by title of the panel."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.4), dpi=150, layout="constrained")
        axes = figure.subplots(2, len(panels), sharex=True, sharey="row", squeeze=False)
        for (pages, sleep), (title, use) in zip(axes.T, panels.items(), strict=True):
            ranks = np.arange(len(use.asleep))
            below = np.zeros(ranks.size)
            for (label, colour), each in zip(_PAGES.items(), use.gib, strict=True):
                pages.bar(ranks, np.asarray(each), bottom=below, color=colour, label=label)
                below += np.asarray(each)
            bars = sleep.bar(ranks, 100 * np.asarray(use.asleep), color=COLOURS[2])
            sleep.bar_label(bars, fmt="%.0f", fontsize=8)
            pages.set_title(title, fontsize=10)
            sleep.set_xlabel("rank")
            sleep.set_xticks(ranks)
            for each in (pages, sleep):
                each.grid(axis="y")
        axes[0][0].set_ylabel("pages in GiB")
        axes[1][0].set_ylabel("self-refresh, % of time")
        axes[1][0].set_ylim(0, 115)
        figure.legend(
            *axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=9
        )
    return figure


def groups_figure(
    panels: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
    known: Mapping[str, Mapping[str, float]],
) -> Figure:
    """Draw groups of bars with the range of their values (figure 2).

    Parameters:
        panels: values of all seeds by label of the panel's axis, by series, and by group.
        known: the paper's values by label of the panel's axis and by group.
    """
    names = max((list(series) for series in panels.values()), key=len)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), dpi=150, layout="constrained")
        shown: dict[str, Any] = {}
        for axes, (label, series) in zip(
            np.atleast_1d(figure.subplots(1, len(panels))), panels.items(), strict=True
        ):
            wide = 0.8 / len(series)
            groups = list(next(iter(series.values())))
            for number, (name, values) in enumerate(series.items()):
                means = np.array([np.mean(values[group]) for group in groups])
                low, high = (np.array([bound(values[group]) for group in groups]) for bound in (min, max))
                axes.bar(
                    np.arange(len(groups)) + (number - (len(series) - 1) / 2) * wide,
                    means,
                    wide,
                    yerr=[np.maximum(means - low, 0), np.maximum(high - means, 0)],
                    color=COLOURS[names.index(name)],
                    error_kw={"elinewidth": 1, "ecolor": INK},
                    label=name,
                )
            points = [(groups.index(group), value) for group, value in known.get(label, {}).items()]
            draw_known(axes, points)
            axes.set_xticks(range(len(groups)), groups, rotation=30, ha="right", fontsize=9)
            axes.set_ylabel(label)
            axes.grid(axis="y")
            shown |= {name: handle for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=4, fontsize=9)
    return figure


def rates_figure(
    panels: Mapping[str, Mapping[str, tuple[ArrayLike, ArrayLike]]],
    band: tuple[ArrayLike, ArrayLike, ArrayLike],
    levels: Mapping[str, Mapping[str, float]],
    marks: Mapping[str, Sequence[tuple[float, float]]],
) -> Figure:
    """Draw reductions of power over the rate of background accesses.

    Parameters:
        panels: (rates, reductions) by title of the panel and by line.
        band: (rates, lowest, highest reduction) of the first panel's second line.
        levels: the paper's reductions by title and by label.
        marks: points where a line has the paper's value.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.8), dpi=150, layout="constrained")
        all_axes: Sequence[Axes] = np.atleast_1d(figure.subplots(1, len(panels), sharey=True)).tolist()
        for axes, (title, lines) in zip(all_axes, panels.items(), strict=True):
            for number, (label, (rates, reductions)) in enumerate(lines.items()):
                axes.plot(
                    rates,
                    100 * np.asarray(reductions),
                    color=COLOURS[(1, 2, 3)[number % 3]],
                    marker=MARKERS[number],
                    markersize=4,
                    label=label,
                )
            if axes is all_axes[0]:
                rates, low, high = band
                low, high = 100 * np.asarray(low), 100 * np.asarray(high)
                axes.fill_between(rates, low, high, color=COLOURS[2], alpha=0.2)
            in_percent = {label: 100 * level for label, level in levels.get(title, {}).items()}
            draw_levels(axes, in_percent, right=axes is not all_axes[0])
            draw_known(axes, [(rate, 100 * value) for rate, value in marks.get(title, ())])
            axes.set_xscale("log")
            if axes is all_axes[0]:
                axes.set_xlim(left=axes.get_xlim()[0] / 2)  # room for the labels of the levels
            axes.set_xlabel("background accesses per second")
            axes.set_title(title, fontsize=10)
            axes.grid(axis="y")
            axes.legend(fontsize=8, loc="upper right")
        all_axes[0].set_ylabel("reduction of DRAM power in %")
        all_axes[0].set_ylim(0, 68)
    return figure
