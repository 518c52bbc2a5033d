# SPDX-License-Identifier: BSD-2-Clause
"""The rank timeline: the states of each power domain over time, and its energy."""

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from litemrc.energy.rank_energy import RankEnergy
from litemrc.plots.curves import INK, PALE, STYLE
from litemrc.ranks.activity import LABELS, PowerState
from litemrc.ranks.table import RankTable

# From the palette of Okabe and Ito: deeper states have cooler colours, neighbours differ in lightness.
STATE_COLOURS = {
    PowerState.ACTIVE_STANDBY: "#d55e00",
    PowerState.PRECHARGE_STANDBY: "#f0c04a",
    PowerState.POWER_DOWN: "#56b4e9",
    PowerState.SELF_REFRESH: "#0072b2",
    PowerState.SELF_REFRESH_PARTIAL: "#009e73",
}
COMMAND_COLOUR, REFRESH_COLOUR = "#7d858f", "#cc79a7"
# For each label its colour and the energy components drawn together, from the left: SDRAM names, RDRAM names.
GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **{
        LABELS[state]: (STATE_COLOURS[state], (LABELS[state], *rdram))
        for state, rdram in zip(PowerState, ((), ("standby",), ("nap",), ("powerdown",), ()), strict=True)
    },
    "activations, reads, writes": (COMMAND_COLOUR, ("activate", "read", "write", "active")),
    "refreshes, low-power entries, wake-ups": (REFRESH_COLOUR, ("refresh", "self-refresh entry", "wake-up")),
}
_FILL = 0.8  # share of a row's height


def ranks_figure(
    table: RankTable, report: RankEnergy, *, title: str = "", working_set: bool = False
) -> Figure:
    """Draw a row for each domain: the share of each epoch in each state over time, and energy by component.

    With `working_set`, its pages over time are drawn below the states.

    The outline behind the energy is that of an always awake domain. A line below a row marks epochs in which
    the domain held a page of the working set. A dashed line marks lost epochs, which the time axis omits.
    """
    edges = np.concatenate([[0], np.cumsum(table.of_domain(0, "clocks"), dtype=np.float64)]) / table.clock_hz
    unit, scale = _time_unit(edges[-1])
    with matplotlib.rc_context(STYLE):
        rows = max(0.34 * table.domains, 0.9)
        figure = Figure(figsize=(8, 1.5 + rows + (1.2 if working_set else 0)), dpi=200, layout="constrained")
        heights = (rows, 0.8) if working_set else (1,)
        grid = figure.add_gridspec(len(heights), 2, width_ratios=(2.1, 1), height_ratios=heights)
        left = figure.add_subplot(grid[0, 0])
        right = figure.add_subplot(grid[0, 1], sharey=left)
        seen = _draw_states(left, table, edges * scale)
        lost = np.flatnonzero(np.diff(table.epochs.astype(np.int64)) != 1)
        for gap in edges[1:-1][lost] * scale:
            left.axvline(gap, color=INK, linewidth=1, linestyle="--")
        left.set(
            title="state over time",
            xlabel=f"time in {unit}",
            ylabel=_noun(table),
            xlim=(0, edges[-1] * scale),
        )
        left.set_yticks(range(table.domains), [str(domain) for domain in range(table.domains)])
        left.set_ylim(table.domains - 0.5, -0.5)
        left.tick_params(left=False)
        left.spines["left"].set_visible(False)
        seen |= _draw_energy(right, report)
        if working_set:
            _draw_working_set(figure.add_subplot(grid[1, 0], sharex=left), table, edges * scale)
            left.set_xlabel("")
            left.tick_params(labelbottom=False)
            figure.axes[-1].set_xlabel(f"time in {unit}")
        legend: list[Artist] = [Patch(color=GROUPS[name][0], label=name) for name in GROUPS if name in seen]
        legend.append(Patch(facecolor="none", edgecolor=PALE, label="always awake"))
        if table.working.any():
            legend.append(left.plot([], [], color=INK, linewidth=1.5, label="holds working set")[0])
        figure.legend(handles=legend, loc="outside lower center", ncols=3, fontsize=9)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _draw_states(axes: Axes, table: RankTable, edges: NDArray[np.float64]) -> set[str]:
    seen = set()
    for domain in range(table.domains):
        cycles = np.maximum(table.of_domain(domain, "clocks").astype(np.float64), 1)
        bottom = np.full(cycles.size, domain + _FILL / 2)
        # The deepest state is at the bottom.
        for state in reversed(PowerState):
            share = _FILL * table.of_domain(domain, state.name.lower()) / cycles
            if share.any():
                seen.add(LABELS[state])
                colour = STATE_COLOURS[state]
                axes.stairs(bottom - share, edges, baseline=bottom, fill=True, color=colour, linewidth=0)
            bottom = bottom - share
        working = table.of_domain(domain, "working")
        below = np.where(working, domain + 0.5 * (_FILL / 2 + 0.5), np.nan)
        axes.stairs(below, edges, baseline=None, color=INK, linewidth=1.5)
    return seen


def _draw_working_set(axes: Axes, table: RankTable, edges: NDArray[np.float64]) -> None:
    pages = sum(table.of_domain(domain, "top_pages").astype(np.int64) for domain in range(table.domains))
    axes.stairs(pages, edges, baseline=None, color=INK, linewidth=1.5)
    axes.set_ylim(bottom=0)
    axes.set(title="working set", ylabel="pages")


def _draw_energy(axes: Axes, report: RankEnergy) -> set[str]:
    seen = set()
    widest = max(max(each.energy.total, each.awake.total) for each in report.domains) or 1.0
    unit, scale = _energy_unit(widest)
    for domain, each in enumerate(report.domains):
        start = 0.0
        for label, (colour, names) in GROUPS.items():
            mj = sum(each.energy.components.get(name, 0.0) for name in names)
            if mj > 0:
                seen.add(label)
                axes.barh(domain, mj * scale, _FILL, left=start * scale, color=colour, linewidth=0)
                start += mj
        axes.barh(domain, each.awake.total * scale, _FILL, color="none", edgecolor=PALE, linewidth=1)
        beyond = max(start, each.awake.total) * scale + 0.02 * widest * scale
        saved = round(-100 * each.saving) + 0  # no -0
        axes.text(beyond, domain, f"{_number(start * scale)}, {saved:+d} %", va="center", fontsize=9)
    axes.set(title="energy vs. always awake", xlabel=f"energy in {unit}", xlim=(0, 1.55 * widest * scale))
    axes.tick_params(left=False, labelleft=False)
    return seen


def _noun(table: RankTable) -> str:
    return "slice of the rank" if table.virtual else "rank"


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _time_unit(seconds: float) -> tuple[str, float]:
    if seconds >= 2:
        return "s", 1
    return ("ms", 1e3) if seconds >= 2e-3 else ("µs", 1e6)


def _energy_unit(mj: float) -> tuple[str, float]:
    if mj >= 2000:
        return "J", 1e-3
    return ("mJ", 1) if mj >= 2 else ("µJ", 1e3)
