# SPDX-License-Identifier: BSD-2-Clause
"""Figures of multiprogrammed runs as figure 4 of Zhou et al. 2004: response times and memory over time."""

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from litemrc.curves.sizes import size_unit
from litemrc.plots.curves import COLOURS, STYLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from litemrc_studies.zhou2004.machine.run_result import RunResult
from litemrc_studies.zhou2004.machine.scenario import POLICIES, Scenario

CurvePoints = Sequence[tuple[int, float]]  # sizes in pages at which the miss ratio falls, and the ratio there
BINS = 80  # bins of the time axis; response times are averaged in each
_POLICY_COLOURS = dict(
    zip(POLICIES, (COLOURS[2], COLOURS[5], COLOURS[3], COLOURS[4], COLOURS[1]), strict=True)
)
_POLICY_DASHES = dict(zip(POLICIES, ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), "-"), strict=True))


def mm_figure(
    scenario: Scenario,
    results: Sequence[RunResult],
    *,
    begin_s: float | None = None,
    title: bool = True,
    names: Mapping[str, str] | None = None,
    curves: Mapping[str, Sequence[CurvePoints]] | None = None,
) -> Figure:
    """Draw the mean response time of interactive processes, a line for each policy; below, memory by process.

    Parameters
    ----------
    begin_s
        time at which the axis begins with 0; None: the start of the measurement.
    names
        of policies in the picture, where they differ.
    curves
        of processes at the samples of the last result; each gets a heat map with its budget.
    """
    names = {result.policy: result.policy for result in results} | dict(names or {})
    begin = scenario.measure_from * scenario.tick_s if begin_s is None else begin_s
    interactive = [process for process in results[0].processes if process.kind != "batch"]
    end = max(result.time_s for result in results) - begin
    curves = {name: each for name, each in (curves or {}).items() if any(each)}
    panels = len(interactive) + len(results) + len(curves)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 0.9 + 1.5 * panels), dpi=150, layout="constrained")
        axes = figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0]
        for panel, process in zip(axes, interactive, strict=False):
            _draw_responses(panel, results, process.name, names, begin, end)
        for panel, result in zip(axes[len(interactive) : panels - len(curves)], results, strict=True):
            _draw_memory(panel, scenario, result, names[result.policy], begin)
        for panel, name in zip(axes[panels - len(curves) :], curves, strict=True):
            _draw_curves(panel, scenario, results[-1], name, curves[name], begin)
        shown = next((n for n, result in enumerate(results) if result.budget_pages is not None), 0)
        axes[len(interactive) + shown].legend(
            loc="lower right", bbox_to_anchor=(1, 0.97), ncols=4, fontsize=9
        )
        axes[-1].set_xlim(0, end)
        axes[-1].set_xlabel("time in s")
        if title:
            figure.suptitle(scenario.title, x=0.01, ha="left", fontweight="bold")
    return figure


def _draw_responses(
    axes: Axes,
    results: Sequence[RunResult],
    name: str,
    names: Mapping[str, str],
    begin: float,
    end: float,
) -> None:
    edges = np.linspace(0, end, BINS + 1)
    for place, result in enumerate(results):
        process = result.process(name)
        means = _means(process.arrived_s - begin, process.response_s, edges)
        seen = ~np.isnan(means)
        middle = (edges[:-1] + edges[1:]) / 2
        axes.plot(
            middle[seen],
            means[seen],
            color=_POLICY_COLOURS[result.policy],
            linestyle=_POLICY_DASHES[result.policy],
            linewidth=max(2.6 - 0.5 * place, 1.0),  # equal lines stay visible
            label=names[result.policy],
        )
    axes.set_title(f"{name}: mean response time")
    axes.set_ylabel("time in s")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 0.97), ncols=len(results), fontsize=9)


def _means(
    times: NDArray[np.float64], values: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean of the values in each time bin; nan for an empty bin."""
    counts, _ = np.histogram(times, edges)
    sums, _ = np.histogram(times, edges, weights=values)
    return np.divide(sums, counts, out=np.full(counts.size, np.nan), where=counts > 0)


def _draw_memory(axes: Axes, scenario: Scenario, result: RunResult, policy: str, begin: float) -> None:
    shown = np.flatnonzero(result.sampled_s >= begin)
    shown = shown[:: max(1, shown.size // 600)]
    unit, unit_bytes = size_unit(scenario.memory_pages * scenario.page_bytes)
    page = scenario.page_bytes / unit_bytes
    sizes = result.resident_pages[shown].T * page
    most = scenario.memory_pages * scenario.page_bytes / unit_bytes
    names = [process.name for process in result.processes]
    axes.stackplot(
        result.sampled_s[shown] - begin,
        sizes,
        labels=names,
        colors=_process_colours(len(names)),
        alpha=0.75,
    )
    budgets = result.budget_pages
    for number, sums in enumerate([] if budgets is None else budgets[shown].cumsum(axis=1).T):
        label = "budgets, stacked" if number == 0 else None
        axes.step(result.sampled_s[shown] - begin, sums * page, "k-", lw=1, where="post", label=label)
    axes.axhline(most, color="black", linewidth=0.8, linestyle=":")
    axes.set_title(f"resident memory under {policy}")
    axes.set_ylabel(unit)
    axes.set_ylim(0, max(most, sizes.sum(axis=0).max(initial=0)) * 1.04)


def _draw_curves(
    axes: Axes,
    scenario: Scenario,
    result: RunResult,
    name: str,
    curves: Sequence[CurvePoints],
    begin: float,
) -> None:
    group = scenario.mrc.group_pages
    deepest = max((pages for points in curves for pages, _ in points), default=group)
    sizes = np.arange(group, max(scenario.memory_pages, deepest + group) + 1, group)
    ratios = np.stack([_ratios(points, sizes[:-1]) for points in curves], axis=1)
    unit, unit_bytes = size_unit(scenario.memory_pages * scenario.page_bytes)
    page = scenario.page_bytes / unit_bytes
    times = result.sampled_s - begin
    edges = np.append(times[:1] - np.diff(times[:2]).sum(), times)
    # Of the misses in one group, as ratios of different epochs differ by far more than those of sizes.
    left = np.divide(ratios, ratios[:1], out=np.full_like(ratios, np.nan), where=ratios[:1] > 0)
    mesh = axes.pcolormesh(edges, sizes * page, left, cmap="cividis", vmin=0, vmax=1, rasterized=True)
    if result.budget_pages is not None:
        place = [process.name for process in result.processes].index(name)
        # White on black: seen on dark and bright cells.
        for colour, width in (("black", 2.6), ("white", 1.2)):
            axes.step(times, result.budget_pages[:, place] * page, color=colour, lw=width, where="post")
    axes.set_title(
        f"{name}: misses left with so much memory, of those with {group * page:g} {unit}; line: budget"
    )
    axes.set_ylabel(unit)
    axes.set_ylim(0, sizes[-1] * page)
    # Beside the panel: its time axis stays that of the others.
    axes.figure.colorbar(mesh, cax=axes.inset_axes((1.01, 0, 0.012, 1)))


def _ratios(points: CurvePoints, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the miss ratio in each size; nan without a curve."""
    if not points:
        return np.full(sizes.size, np.nan)
    falls, ratios = np.array(points).T
    return np.append(1.0, ratios)[np.searchsorted(falls, sizes, "right")]


def _process_colours(count: int) -> list[str]:
    order = (COLOURS[6], COLOURS[0], COLOURS[5], COLOURS[3], COLOURS[4], COLOURS[7], COLOURS[2], COLOURS[1])
    return [order[number % len(order)] for number in range(count)]
