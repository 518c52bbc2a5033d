#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Budgets that can only shrink, and budgets that grow again: a table and a picture of docs/evicted.md."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc.policies.allocation.decision import GovernorParameters
from litemrc_studies.zhou2004.machine.governed import GovernedRun, loops, run_governed
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"
MEMORY, GROUPS = 2048, 64
GROUP_PAGES = MEMORY // GROUPS
SMALL, LARGE = 512, 1400  # pages of the loops
EPOCH, BEFORE, AFTER = 6000, 4, 12  # references of an epoch; epochs before and after the first program grows
GROWING, STEADY = 1, 2
# What counts evicted pages, in the order of the table.
NAMES = {
    "full": "all pages stay in the stack, as with the firmware's pager",
    "resident": "an evicted page leaves the stack: Linux without a tail",
    "tail": "the same with refaults: Linux with a tail",
}


def main() -> None:
    """Run the three systems, and fill in the table and the picture."""
    runs = ratchet()
    fill_tables(DOCS / "evicted.md", {"ratchet": table(runs)})
    save_figure(picture(runs), DOCS / "ratchet.svg")


def ratchet() -> dict[str, GovernedRun]:
    """Return the runs of two programs, one of which grows, by system."""
    programs = {
        GROWING: loops([(SMALL, BEFORE), (LARGE, AFTER)], EPOCH),
        STEADY: loops([(SMALL, BEFORE + AFTER)], EPOCH),
    }
    parameters = GovernorParameters(memory_pages=MEMORY, delta_pages=GROUP_PAGES)
    return {
        system: run_governed(programs, parameters, system=system, group_pages=GROUP_PAGES, groups=GROUPS)
        for system in NAMES
    }


def table(runs: Mapping[str, GovernedRun]) -> str:
    """Return a row for each system: the last budgets, and the faults since the first program grew."""
    heads = (
        "monitor",
        "budget of the growing program, pages",
        "idle, pages",
        "its faults",
        "faults of the other",
    )
    rows = [
        (
            NAMES[system],
            f"{run.budgets[-1, 0]:,}",
            f"{run.idle_pages[-1]:,}",
            *(f"{faults:,}" for faults in run.faults[BEFORE:].sum(axis=0)),
        )
        for system, run in runs.items()
    ]
    return markdown(heads, rows)


def picture(runs: Mapping[str, GovernedRun]) -> Figure:
    """Draw the budget of the growing program and its faults over the epochs."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        edges = np.arange(-BEFORE, AFTER + 1)
        shown = (("resident", "without a tail", ":"), ("tail", "with a tail", "-"))
        for colour, (system, label, style) in zip(COLOURS[1:], shown[::-1], strict=False):
            run = runs[system]
            in_force = np.append(MEMORY // 2, run.budgets[:-1, 0])  # decided at the end of the epoch before
            for axes, values in ((above, in_force), (below, run.faults[:, 0])):
                axes.stairs(
                    values, edges, baseline=None, color=colour, linestyle=style, linewidth=2, label=label
                )
        above.axhline(LARGE, color=COLOURS[0], linewidth=0.8)
        title = f"budget of a program whose loop grows from {SMALL} to {LARGE:,} pages (line)"
        above.set(title=title, ylabel="pages")
        above.set_ylim(0, 1.1 * LARGE)
        below.set(title="its faults in the epoch", xlabel="epochs since it grew", ylabel="faults")
        below.set_ylim(0, 1.1 * EPOCH)
        for axes in (above, below):
            axes.yaxis.set_major_formatter("{x:,.0f}")
            axes.grid(axis="y")
        above.set_xlim(edges[0], edges[-1])
        above.legend(loc="center right")
    return figure


if __name__ == "__main__":
    main()
