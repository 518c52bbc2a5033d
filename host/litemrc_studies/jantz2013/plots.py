# SPDX-License-Identifier: BSD-2-Clause
"""Figures of the tray machine as figures 3 to 6 of Jantz et al. 2013."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from litemrc.curves.sizes import size_unit
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from litemrc.plots.known import draw_known
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES
from litemrc_studies.jantz2013.machine.result import TrayRun

_ORDER = (2, 5, 1, 3, 4, 7, 6, 0)
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_PAGES = {"hot (red)": "#c23b22", "cold (blue)": COLOURS[1], "others": "#b0b5bb"}


def samples_figure(
    runs: Sequence[TrayRun], *, title: str = "", span: tuple[float, float] | None = None
) -> Figure:
    """Draw DRAM power, and free memory below it, over time, a line for each configuration (figures 6 and 3).

    Parameters
    ----------
    span
        first and last second to show; None: all.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 5.2), dpi=150, layout="constrained")
        power, free = figure.subplots(2, 1, sharex=True)
        draw_power(power, runs, span)
        draw_free(free, runs)
        power.set_xlabel("")
        _legend(figure, power)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def power_figure(
    runs: Sequence[TrayRun],
    *,
    title: str = "",
    span: tuple[float, float] | None = None,
    known: tuple[str, Sequence[float]] | None = None,
) -> Figure:
    """Draw only the power samples (figure 6).

    Parameters
    ----------
    known
        label and powers in W of the paper, drawn as lines.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2), dpi=150, layout="constrained")
        axes = figure.subplots()
        draw_power(axes, runs, span)
        _draw_known(axes, known)
        _legend(figure, axes)
        axes.set_title(title)
    return figure


def free_figure(
    runs: Sequence[TrayRun], *, title: str = "", known: tuple[str, Sequence[float]] | None = None
) -> Figure:
    """Draw only the free memory (figure 3).

    Parameters
    ----------
    known
        label and amounts of the paper in the unit of the axis, drawn as lines.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), dpi=150, layout="constrained")
        axes = figure.subplots()
        draw_free(axes, runs)
        _draw_known(axes, known)
        _legend(figure, axes)
        axes.set_title(title)
    return figure


def draw_power(axes: Axes, runs: Sequence[TrayRun], span: tuple[float, float] | None = None) -> None:
    """Draw the power samples, summed over all ranks."""
    for number, run in enumerate(runs):
        axes.plot(
            _begins(run),
            run.samples_mw / 1e3,
            drawstyle="steps-post",
            label=run.configuration,
            **_look(number, len(runs), widest=3.0),
        )
    axes.set_ylabel("DRAM power in W")
    axes.set_xlabel("time in s")
    axes.set_ylim(0, 1.05 * max(run.samples_mw.max() for run in runs) / 1e3)
    if span:
        axes.set_xlim(*span)
    axes.grid(axis="y")


def draw_free(axes: Axes, runs: Sequence[TrayRun]) -> None:
    """Draw the free memory at the end of each sample."""
    unit, unit_bytes = size_unit(max(run.free_pages.max() for run in runs) * PAGE_BYTES)
    for number, run in enumerate(runs):
        axes.plot(
            _begins(run) + run.sample_s,
            run.free_pages * PAGE_BYTES / unit_bytes,
            label=run.configuration,
            **_look(number, len(runs), widest=6.2),
        )
    axes.set_ylabel(f"free memory in {unit}")
    axes.set_xlabel("time in s")
    axes.set_ylim(0, 1.08 * max(max(run.free_pages.max() for run in runs) * PAGE_BYTES / unit_bytes, 1e-9))
    axes.grid(axis="y")


def stages_figure(
    runs: Sequence[TrayRun], *, title: str = "", known: Mapping[str, tuple[float, float]] | None = None
) -> Figure:
    """Draw the mean power of each phase, a line for each configuration (figure 4).

    Parameters
    ----------
    known
        points (stage, W) that follow from the paper, by label.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), dpi=150, layout="constrained")
        axes = figure.subplots()
        phases = runs[0].phase_names
        for number, run in enumerate(runs):
            axes.plot(
                range(1, len(phases) + 1),
                [run.mean_mw(phase) / 1e3 for phase in phases],
                marker=MARKERS[number % len(MARKERS)],
                label=run.configuration,
                **_look(number, len(runs), widest=3.0),
            )
        for index, (label, point) in enumerate((known or {}).items()):
            draw_known(axes, [point], label, marker="*" if index == 0 else "P")
        axes.set_xlabel("stage")
        axes.set_xticks(range(1, len(phases) + 1))
        axes.set_ylabel("DRAM power in W")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y")
        _legend(figure, axes)
        axes.set_title(title)
    return figure


def relative_figure(
    panels: Mapping[str, Mapping[str, float]],
    known: Mapping[str, float] | None = None,
    levels: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:
    """Draw relative power as a bar for each workload, followed by their mean (figure 5).

    Parameters
    ----------
    panels
        the ratio of each workload, by title of the panel.
    known
        the paper's mean, by title of the panel.
    levels
        ratios that are drawn as lines, by title of the panel and by label.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4), dpi=150, layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
        for panel, (title, ratios) in zip(axes, panels.items(), strict=True):
            shown = {**ratios, "mean": float(np.mean(list(ratios.values())))}
            colours = [COLOURS[1]] * len(ratios) + [COLOURS[0]]
            bars = panel.bar(range(len(shown)), list(shown.values()), color=colours)
            panel.bar_label(bars, fmt="%.2f", fontsize=8)
            panel.set_xticks(range(len(shown)), list(shown), rotation=30, ha="right", fontsize=9)
            panel.axhline(1, color="black", linewidth=0.8, linestyle=":")
            if known and title in known:
                draw_known(panel, [(len(ratios), known[title])])
                panel.legend(loc="upper left", bbox_to_anchor=(0.0, 1.0), fontsize=9)
            draw_levels(panel, (levels or {}).get(title))
            panel.set_title(title, fontsize=10)
            panel.grid(axis="y")
        axes[0].set_ylabel("relative DRAM power")
        highest = max(1.0, *(ratio for ratios in panels.values() for ratio in ratios.values()))
        axes[0].set_ylim(0, 1.25 * highest if known else 1.12 * highest)
    return figure


def draw_levels(axes: Axes, levels: Mapping[str, float] | None, *, right: bool = False) -> None:
    """Draw values as lines across the data, each with its label, at the left or the right end."""
    place, align = (0.99, "right") if right else (0.01, "left")
    for label, level in (levels or {}).items():
        axes.axhline(level, color="black", linewidth=0.9, linestyle=":")
        axes.annotate(
            label, (place, level), xycoords=("axes fraction", "data"), fontsize=8, va="bottom", ha=align
        )


def _draw_known(axes: Axes, known: tuple[str, Sequence[float]] | None) -> None:
    """Draw values of the paper as lines across the data, with one label in the legend."""
    for number, level in enumerate(known[1] if known else ()):
        label = known[0] if known and not number else None
        axes.axhline(level, color="black", linewidth=1.1, linestyle=(0, (2, 4)), label=label, zorder=4)


def _look(number: int, count: int, *, widest: float) -> dict[str, Any]:
    """Return the style of a configuration's line: the first is the widest, so that all stay visible."""
    return {
        "color": COLOURS[_ORDER[number % len(_ORDER)]],
        "linestyle": _DASHES[number % len(_DASHES)],
        "linewidth": float(np.linspace(widest, 1.2, count)[number]),
    }


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), fontsize=9)


def _begins(run: TrayRun) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(run.sample_s)[:-1]])


@dataclass(frozen=True, eq=False)
class RankUse:
    """What lies on the ranks under one configuration, and how long they sleep.

    Attributes
    ----------
    gib
        memory in use of each rank, by kind of pages: hot, cold and others, in this order.
    asleep
        share of the time in self-refresh of each rank.
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

    Parameters
    ----------
    panels
        values of all seeds by label of the panel's axis, by series, and by group.
    known
        the paper's values by label of the panel's axis and by group.
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

    Parameters
    ----------
    panels
        (rates, reductions) by title of the panel and by line.
    band
        (rates, lowest, highest reduction) of the first panel's second line.
    levels
        the paper's reductions by title and by label.
    marks
        points where a line has the paper's value.
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
