# SPDX-License-Identifier: BSD-2-Clause
"""Figures of the paper, one column wide, drawn from the tables of the pages of docs/."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scripts.docs.paper_results import CURVES, number, table

WIDTH = 3.35  # inches: a column
SMALL: dict[Any, Any] = {
    **STYLE,
    "font.size": 7,
    "axes.titlesize": 7,
    "axes.linewidth": 0.6,
    "figure.labelsize": 7,
    "grid.linewidth": 0.5,
    "legend.fontsize": 6.5,
    "legend.handlelength": 2.2,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "svg.hashsalt": "litemrc",
    "text.hinting": "none",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (4, 1, 1, 1)))
# Traces of docs/engines.md by the beginnings of their names.
KINDS = {
    "random": ("zipf_", "uniform", "phases"),
    "loop": ("loop_",),
    "zipf and loop": ("zipf+loop_",),
}
LEAST = 1e-6  # errors below, which the table has as 0, are drawn here
Results = dict[str, Any]


def draw(results: Results, folder: Path) -> None:
    """Write each figure into a folder as an SVG file without text, so that no font is needed to show it."""
    for name, (height, figure) in FIGURES.items():
        with matplotlib.rc_context(SMALL):
            drawn = Figure(figsize=(WIDTH, height), dpi=72, layout="constrained")
            figure(drawn, results)
            drawn.savefig(folder / f"{name}.svg", metadata={"Date": None})


def accuracy(figure: Figure, results: Results) -> None:
    """Mean and largest error of bucket_stack for each trace."""
    traces = table(results, "docs/engines.md", "accuracy")
    axes = figure.subplots()
    ordered: list[str] = []
    middles = []
    for starts in KINDS.values():
        own = [name for name in traces if name.startswith(starts)]
        own.sort(key=lambda name: number(traces[name]["mean error"]))
        middles.append(len(ordered) + (len(own) - 1) / 2)
        ordered += own
        axes.axvline(len(ordered) - 0.5, color=INK, linewidth=0.4)
    if sorted(ordered) != sorted(traces):
        raise ValueError(f"traces of no kind: {sorted(set(traces) - set(ordered))}")
    for column, label, marker, colour in (
        ("largest error at one size", "largest, at one size", "^", COLOURS[2]),
        ("mean error", "mean over all sizes", "o", COLOURS[1]),
    ):
        errors = [max(LEAST, number(traces[name][column])) for name in ordered]
        axes.plot(errors, marker, color=colour, label=label)
    axes.set_yscale("log")
    axes.set_xticks(middles, list(KINDS))
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(ordered) - 0.5)
    axes.set_ylim(LEAST / 2, 1)
    decades = [10**-n for n in range(5, -1, -1)]
    axes.set_yticks([LEAST, *decades], ["0", *(f"{each:.5f}".rstrip("0").rstrip(".") for each in decades)])
    axes.minorticks_off()
    axes.set_ylabel("error of the miss ratio")
    axes.grid(axis="y")
    figure.legend(loc="outside upper center", ncols=2)


def drops(figure: Figure, results: Results) -> None:
    """Share of the accesses that find the queue full, over their rate."""
    rows = table(results, "docs/engines.md", "drops")
    axes = figure.subplots()
    patterns = list(next(iter(rows.values())))[1:]
    for n, pattern in enumerate(patterns):
        shares = [number(row[pattern]) for row in rows.values()]
        axes.plot(
            [float(rate) for rate in rows],
            shares,
            MARKERS[n],
            linestyle=DASHES[n],
            color=COLOURS[n + 1],
            markersize=4.5 - n,
            label=pattern,
        )
    axes.set(xlabel="accesses per cycle", ylabel="dropped, %")
    axes.grid(axis="y")
    axes.legend(loc="upper left")


def linux(figure: Figure, results: Results) -> None:
    """Curves of programs and of the kernel under Linux."""
    axes = figure.subplots()
    for n, (name, (sizes, ratios)) in enumerate(results[CURVES]["curves"].items()):
        axes.plot(
            [size / 1024 for size in sizes],
            ratios,
            color=COLOURS[n],
            linestyle=DASHES[n],
            linewidth=1.8 - 0.3 * n,
            label=name,
        )
    axes.set_yscale("log")
    decades = [10**-n for n in range(4, -1, -1)]
    axes.set_yticks(decades, [f"{each:g}" for each in decades])
    axes.set_ylim(min(decades) / 2, max(decades) / 2)
    axes.set_xlim(0.5)
    axes.set(xlabel="memory size, MiB", ylabel="miss ratio")
    axes.grid(axis="y")
    figure.legend(loc="outside upper center", ncols=2)


def hot(figure: Figure, results: Results) -> None:
    """Recall of structures that find hot pages over their block RAMs."""
    rows = table(results, "docs/hot-pages.md", "monitors")
    axes = figure.subplots()
    families = {"hot_pages": "hot_pages", "M5": "M5-like", "NeoMem": "NeoMem-like"}
    for (family, label), marker, colour in zip(families.items(), "os^", COLOURS[1:], strict=False):
        best: dict[float, tuple[float, float]] = {}
        for name, row in rows.items():
            if name.startswith(family):
                rams = number(row["DP16KD"])
                recall = (number(row["mean recall"]), number(row["lowest recall of a trace"]))
                best[rams] = max(best.get(rams, recall), recall)
        rams = sorted(best)
        axes.plot(rams, [best[each][0] for each in rams], marker=marker, color=colour, label=label)
        axes.plot(
            rams, [best[each][1] for each in rams], marker=marker, markersize=2, linestyle=":", color=colour
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
    axes.set_ylim(0, 1.03)
    axes.set(xlabel="block RAMs (DP16KD)", ylabel="recall of 64 pages")
    axes.grid(axis="y")
    axes.legend(loc="lower right")


def damon(figure: Figure, results: Results) -> None:
    """Recall of the hottest pages over the share of the processor, for both truths."""
    rows = table(results, "docs/damon-truth.md", "damon-truth")
    both = figure.subplots(1, 2, sharey=True)
    for axes, truth in zip(both, ("CPU references", "DRAM accesses"), strict=True):
        _observers(axes, rows, f"recall, {truth}")
        axes.set(title=f"against {truth}", xlabel="of the processor, %")
    both[0].set_ylabel("recall")
    handles, labels = both[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, columnspacing=1, handletextpad=0.3)


def _observers(axes: Axes, rows: Mapping[str, Mapping[str, str]], column: str) -> None:
    for n, (name, row) in enumerate(rows.items()):
        share = row["of the processor"]
        marker, colour = MARKERS[n % len(MARKERS)], COLOURS[n % len(COLOURS)]
        axes.plot(
            number(share) if share else 0,
            number(row[column]),
            marker,
            color=colour,
            markerfacecolor=colour if share else "none",
            label=name,
            clip_on=False,
        )
    axes.set_xlim(-2, 50)
    axes.set_ylim(0, 1.03)
    axes.grid()


FIGURES: dict[str, tuple[float, Callable[[Figure, Results], None]]] = {
    "accuracy": (1.9, accuracy),
    "drops": (1.4, drops),
    "linux": (1.9, linux),
    "hot": (1.7, hot),
    "damon": (2.6, damon),
}
