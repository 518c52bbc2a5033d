# SPDX-License-Identifier: BSD-2-Clause
"""Table 2 of Panwar and Gopinath 2015: the paper's rows beside the results of the simulated machine."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from litemrc.plots.known import Beside, beside_figure
from litemrc_studies.panwar2015.machine.placement import PlacementRun
from litemrc_studies.panwar2015.results.machines import HALF, RARE, RESERVE, ROWS, SEEDS, Runs, adaptive
from matplotlib.figure import Figure

from scripts.docs.page_tables import markdown

# Panwar 2015, table 2: maximum, optimum, Adaptive-Buddy; percent of memory.
PAPER = dict(zip(ROWS, ((81, 69, 59.5), (56, 57, 45.7), (64, 55, 48), (45, 35, 26)), strict=True))
# What may explain the distance from the optimum, by name of the run.
EXPLAINED = {
    "adaptive": "every 2 ticks",
    adaptive(10): "every 10 ticks",
    adaptive(RARE): f"every {RARE} ticks",
    adaptive(0): "never",
    "reserve": f"every 2 ticks, reserve of {RESERVE:.0%} of memory in each pool".replace("%", " %"),
    "half": f"every 2 ticks, only banks less than {HALF} % full",
}
AllRuns = Mapping[tuple[str, str, int], Runs]  # by memory, workload and seed


def table_2(runs_of: AllRuns) -> str:
    rows = []
    for (memory, name), paper in PAPER.items():
        cells = [f"{value}" for value in paper]
        often, rare = (_seeds(runs_of, memory, name, run) for run in ("adaptive", adaptive(RARE)))
        cells.append(_percent(often, lambda run: run.optimal_share.mean()))
        for runs in (often, rare):
            cells.append(_percent(runs, lambda run: run.offline_share.max()))
            cells.append(f"**{_percent(runs, lambda run: run.offline_share.mean())}**")
        rows.append((f"{memory}, {name}", *cells))
    heads = ["", "paper: maximum", "paper: optimum", "paper: Adaptive-Buddy", "ours: optimum"]
    for period in ("every 2 ticks", f"every {RARE} ticks"):
        heads += [f"{period}: maximum", f"{period}: Adaptive-Buddy"]
    return markdown(heads, rows)


def distance_table(runs_of: AllRuns) -> str:
    """Return the distance from the optimum under what may explain the paper's, of the first seed."""
    below = [optimum - offline for _, optimum, offline in PAPER.values()]
    rows = [("the paper", *(f"{value:.1f}" for value in below), "", "")]
    for run, label in EXPLAINED.items():
        ours, most = _distances(runs_of, run)
        rows.append((label, *(f"{value:.1f}" for value in ours), f"{_off(ours, below):.1f}", f"{most:.1f}"))
    heads = ["migration", *(", ".join(row) for row in PAPER)]
    return markdown([*heads, "mean difference from the paper", "of the maxima"], rows)


def values_2(runs_of: AllRuns) -> dict[str, str]:
    """Return Adaptive-Buddy's rows under both periods, and how far each explanation is from the paper."""
    below = [optimum - offline for _, optimum, offline in PAPER.values()]
    difference, maxima = {}, {}
    for run in EXPLAINED:
        ours, most = _distances(runs_of, run)
        difference[run], maxima[run] = f"{_off(ours, below):.1f}", f"{most:.1f}"
    rows = {
        run: [_percent(_seeds(runs_of, *row, run), lambda run: run.offline_share.mean()) for row in PAPER]
        for run in ("adaptive", adaptive(RARE))
    }
    farthest = max(
        abs(float(ours) - paper)
        for ours, (_, _, paper) in zip(rows[adaptive(RARE)], PAPER.values(), strict=True)
    )
    return {
        "table2-often": " / ".join(rows["adaptive"]),
        "table2-rare": " / ".join(rows[adaptive(RARE)]),
        "table2-rare-farthest": f"{farthest:.1f}",
        "table2-often-difference": difference["adaptive"],
        "table2-rare-difference": difference[adaptive(RARE)],
        "table2-reserve-difference": difference["reserve"],
        "table2-half-difference": difference["half"],
        "table2-rare-maxima": maxima[adaptive(RARE)],
        "table2-reserve-maxima": maxima["reserve"],
        "table2-half-maxima": maxima["half"],
    }


def picture(runs_of: AllRuns) -> Figure:
    """Draw the mean offline memory under both periods, and its optimum, beside those of the paper."""
    panels: dict[str, list[Beside]] = {}
    for (memory, name), (_, paper_optimum, paper) in PAPER.items():
        label = f"{memory}, {name}"
        often, rare = (_seeds(runs_of, memory, name, run) for run in ("adaptive", adaptive(RARE)))
        for title, shares, known in (
            ("offline %, every 2 ticks", [run.offline_share for run in often], paper),
            (f"offline %, every {RARE} ticks", [run.offline_share for run in rare], paper),
            ("optimum, %", [run.optimal_share for run in often], paper_optimum),
        ):
            ours = [100 * float(share.mean()) for share in shares]
            panels.setdefault(title, []).append(Beside(label, ours, known))
    return beside_figure(panels)


def _distances(runs_of: AllRuns, run: str) -> tuple[list[float], float]:
    """Return the distances from the optimum, and the mean difference of the maxima from the paper's."""
    runs = [runs_of[*row, SEEDS[0]][run] for row in PAPER]
    most = [100 * float(each.offline_share.max()) for each in runs]
    distances = [100 * float((each.optimal_share - each.offline_share).mean()) for each in runs]
    return distances, _off(most, [paper for paper, _, _ in PAPER.values()])


def _off(ours: Sequence[float], paper: Sequence[float]) -> float:
    return float(np.abs(np.array(ours) - np.array(paper)).mean())


def _seeds(runs_of: AllRuns, memory: str, name: str, run: str) -> list[PlacementRun]:
    return [runs_of[memory, name, seed][run] for seed in SEEDS]


def _percent(runs: Sequence[PlacementRun], share: Callable[[PlacementRun], float]) -> str:
    return f"{100 * float(np.mean([share(run) for run in runs])):.1f}"
