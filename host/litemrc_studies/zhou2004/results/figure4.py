# SPDX-License-Identifier: BSD-2-Clause
"""Figure 4 of Zhou et al. 2004: Apache and gcc over time, beside what the paper says of it."""

from dataclasses import replace

import numpy as np
from litemrc.plots.known import draw_known
from litemrc_studies.zhou2004.machine.run_result import RunResult
from litemrc_studies.zhou2004.machine.scenario import Scenario
from litemrc_studies.zhou2004.results.table2 import FIRST, Runs
from matplotlib.figure import Figure

FIGURE_4_BEFORE_S = 140  # time in figure 4 before gcc begins
PAPER_BEFORE = 20_000  # pages of Apache before gcc begins
PAPER_BESIDE = {FIRST: 8000, "mrc": 15_000}  # and beside it
NAMES = {FIRST: "the original", "mrc": "MRC-MM"}


def from_figure_4(scenario: Scenario) -> Scenario:
    """Return the scenario, measured from the beginning of figure 4."""
    gcc = scenario.processes[1]
    return replace(scenario, measure_from=gcc.start - round(FIGURE_4_BEFORE_S / scenario.tick_s))


def figure_4_table(mix: Runs) -> str:
    lines = [
        "| resident set, pages | before gcc begins | last 30 s of gcc's first pass"
        " | last 30 s of the second |",
        "| --- | ---: | ---: | ---: |",
        f"| apache, original: paper | {PAPER_BEFORE:,} | {PAPER_BESIDE[FIRST]:,} | |",
        _figure_4_row("apache, original: ours", mix[FIRST][0], 0),
        f"| apache, MRC-MM: paper | {PAPER_BEFORE:,} | {PAPER_BESIDE['mrc']:,} | |",
        _figure_4_row("apache, MRC-MM: ours", mix["mrc"][0], 0),
        "| gcc, original: paper | | above 20,000 | 20,000 |",
        _figure_4_row("gcc, original: ours", mix[FIRST][0], 1),
        "| gcc, MRC-MM: paper | | 8,000 | |",
        _figure_4_row("gcc, MRC-MM: ours", mix["mrc"][0], 1),
    ]
    return "\n".join(lines)


def resident(run: RunResult, process: int) -> tuple[int, float, float]:
    """Return the pages of a process before gcc begins, and in the last 30 s of its first and second pass.

    A pass ends when gcc releases its memory, or with the run.
    """
    gcc = run.resident_pages[:, 1]
    begun = int(np.argmax(gcc > 0))
    released = begun + 10 + int(np.argmin(gcc[begun + 10 : -30]))
    pages = run.resident_pages[:, process]
    first, second = (float(np.mean(pages[end - 30 : end - 1])) for end in (released, pages.size))
    return int(pages[begun - 1]), first, second


def with_known_points(figure: Figure, scenario: Scenario) -> Figure:
    """Mark what the paper says of its figure 4: a response of 250 ms; Apache's resident pages."""
    mib = scenario.page_bytes / (1 << 20)
    begun = FIGURE_4_BEFORE_S
    mark(figure, 0, [(begun + 20, 0.25)], "largest in the paper")
    for panel, pages in enumerate(PAPER_BESIDE.values(), 1):
        points = [(begun - 20, PAPER_BEFORE * mib), (begun + 120, pages * mib)]
        mark(figure, panel, points, "apache in the paper")
    return figure


def mark(figure: Figure, panel: int, points: list[tuple[float, float]], label: str) -> None:
    """Mark points of the paper in a panel, whose axis is extended to them, and name them in its legend."""
    axes = figure.axes[panel]
    draw_known(axes, points, label)
    axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * max(value for _, value in points)))
    entries = axes.get_legend_handles_labels()
    axes.legend(
        *entries,
        loc="lower right",
        bbox_to_anchor=(1, 0.97),
        ncols=len(entries[1]),
        fontsize=9,
        frameon=False,
    )


def figure_4_values(mix: Runs) -> dict[str, str]:
    pages = [resident(mix[policy][0], 0)[1] for policy in (FIRST, "mrc")]
    return {"figure4": f"{pages[0]:,.0f} pages, {pages[1]:,.0f} with MRC-MM"}


def _figure_4_row(label: str, run: RunResult, process: int) -> str:
    before, first, second = resident(run, process)
    return f"| {label} | {f'{before:,}' if process == 0 else ''} | {first:,.0f} | {second:,.0f} |"
