# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of glass1997/page.md: a panel for each program."""

from collections.abc import Callable, Sequence

import matplotlib
from litemrc.curves.sizes import MIB
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.traces.trace import PAGE_BYTES
from litemrc_studies.glass1997.plots import draw_policy
from litemrc_studies.glass1997.results.programs import Measured
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

LONGEST = 10  # M instructions: the end of the axis of the paper's figures 3 and 4
M = 1_000_000
SMALL = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "figure.labelsize": 9,
    "lines.markersize": 3,
    "xtick.major.pad": 2,
    "ytick.major.pad": 2,
}
DRAWN = ("lru", "seq", "opt")


def grid(count: int, draw: Callable[[Axes, int], None], across: str, up: str, *, columns: int = 4) -> Figure:
    """Draw `count` panels, the number of each given to `draw`, with common labels and a common legend."""
    rows = -(-count // columns)
    with matplotlib.rc_context({**STYLE, **SMALL}):
        figure = Figure(figsize=(8, 0.5 + 1.75 * rows), dpi=150, layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).flat
        for number, axes in enumerate(panels):
            if number < count:
                draw(axes, number)
            else:
                axes.set_axis_off()
        figure.supxlabel(across)
        figure.supylabel(up)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        if labels:
            figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    return figure


def fault_rates(programs: Sequence[Measured]) -> Figure:
    """Draw page faults per million instructions over memory size: figures 1 and 2."""

    def draw(axes: Axes, number: int) -> None:
        of = programs[number]
        for policy in DRAWN:
            points = [(size, M * faults / of.instructions) for size, faults in of.line(policy)]
            draw_policy(axes, policy, points, PAGE_BYTES, small=True)
        _panel(axes, of)
        axes.set_ylim(bottom=0)

    return grid(len(programs), draw, "memory in MiB", "page faults per million instructions")


def interfault_times(programs: Sequence[Measured]) -> Figure:
    """Draw mean inter-fault times over memory size: figures 3 and 4, up to the end of the paper's axis."""

    def draw(axes: Axes, number: int) -> None:
        of = programs[number]
        for policy in DRAWN:
            points = [(size, of.instructions / faults / M) for size, faults in of.line(policy) if faults]
            draw_policy(axes, policy, points, PAGE_BYTES, small=True, clip=True)
        _panel(axes, of)
        highest = max(
            of.instructions / faults / M for policy in DRAWN for _, faults in of.line(policy) if faults
        )
        axes.set_ylim(0, min(1.05 * highest, LONGEST))

    return grid(len(programs), draw, "memory in MiB", "mean inter-fault time in million instructions")


def space_times(programs: Sequence[Measured]) -> Figure:
    """Draw the pages over time: the space-time graphs of section 2.2."""

    def draw(axes: Axes, number: int) -> None:
        graph = programs[number].graph
        axes.imshow(
            graph.referenced,
            origin="lower",
            aspect="auto",
            interpolation="nearest",
            extent=(graph.begin / M, graph.end / M, 0, graph.pages * PAGE_BYTES / MIB),
            cmap=ListedColormap(["#ffffff00", COLOURS[1]]),
            vmin=0,
            vmax=1,
        )
        axes.set_title(programs[number].program.title)
        axes.locator_params(axis="x", nbins=4)
        axes.locator_params(axis="y", nbins=5)

    across = "time in million instructions"
    return grid(len(programs), draw, across, "referenced pages by address, in MiB")


def _panel(axes: Axes, of: Measured) -> None:
    axes.grid(axis="y")
    axes.set_title(of.program.title)
    axes.set_xlim(0, 1.04 * of.pages * PAGE_BYTES / MIB)
    axes.locator_params(axis="x", nbins=5)
