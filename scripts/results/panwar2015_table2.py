"""Table 2 of Panwar and Gopinath 2015: the paper's rows beside the results of the simulated machine."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from litemrc.machines.placement.machine import PlacementRun
from litemrc.plots.known import Beside, beside_figure
from matplotlib.figure import Figure
from page_tables import markdown

# Panwar 2015, table 2: maximum, optimum, Adaptive-Buddy; percent of memory.
PAPER = {
    ("32 GB", "light"): (81, 69, 59.5),
    ("32 GB", "medium"): (56, 57, 45.7),
    ("4 GB", "light"): (64, 55, 48),
    ("4 GB", "medium"): (45, 35, 26),
}
Runs = Mapping[tuple[str, str], Sequence[PlacementRun]]  # by memory and workload, of all seeds


def table_2(runs_of: Runs) -> str:
    rows = []
    for (memory, name), (most, optimum, offline) in PAPER.items():
        runs = runs_of[memory, name]
        rows.append(
            (
                f"{memory}, {name}",
                f"{most}",
                f"{optimum}",
                f"{offline}",
                f"{optimum - offline:.1f}",
                _percent(runs, lambda run: run.offline_share.max()),
                _percent(runs, lambda run: run.optimal_share.mean()),
                f"**{_percent(runs, lambda run: run.offline_share.mean())}**",
                _percent(runs, lambda run: (run.optimal_share - run.offline_share).mean()),
            )
        )
    columns = ("maximum", "optimum", "Adaptive-Buddy", "below optimum")
    heads = ["", *(f"paper: {column}" for column in columns)]
    return markdown([*heads, *(f"ours: {column}" for column in columns)], rows)


def picture(runs_of: Runs) -> Figure:
    """Draw the mean offline memory and its optimum beside those of the paper."""
    optimum, adaptive = [], []
    for (memory, name), (_, paper_optimum, paper) in PAPER.items():
        runs, label = runs_of[memory, name], f"{memory}, {name}"
        optimum.append(Beside(label, [100 * run.optimal_share.mean() for run in runs], paper_optimum))
        adaptive.append(Beside(label, [100 * run.offline_share.mean() for run in runs], paper))
    return beside_figure(
        {"Adaptive-Buddy: offline memory in %": adaptive, "optimum: offline memory in %": optimum}
    )


def _percent(runs: Sequence[PlacementRun], share: Callable[[PlacementRun], float]) -> str:
    return f"{100 * float(np.mean([share(run) for run in runs])):.1f}"
