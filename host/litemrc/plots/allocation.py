"""Miss-ratio curves with the memory sizes that an allocation gives to their processes."""

from collections.abc import Sequence
from dataclasses import replace

import matplotlib
from matplotlib.figure import Figure

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import MIB, size_text
from litemrc.plots.curves import STYLE
from litemrc.plots.memory_axis import draw_lines, highest, memory_axis, memory_span, ratio_axis
from litemrc.plots.mrc import common_page_bytes, curve_lines
from litemrc.policies.allocation.division import Allocation
from litemrc.texts import printable


def allocation_figure(curves: Sequence[Curve], allocation: Allocation) -> Figure:
    """Draw all curves in one picture, with a marker at the memory size of each process.

    The axis is logarithmic: the marker of a process without memory stands at its left end.

    Parameters:
        curves: of all processes of the allocation, with one page size.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        given = {curve.name: allocation.pages[curve.name] * curve.page_bytes for curve in curves}
        span = memory_span(curves, *(size for size in given.values() if size))
        lines = curve_lines(curves)
        draw_lines(axes, [replace(line, label="") for line in lines], span[1], markers=False)
        for number, line in enumerate(lines):
            name, size = line.curve.name, given[line.curve.name]
            axes.plot(
                size / MIB if size else span[0],
                allocation.miss_ratio[name] if size else line.curve.miss_ratio[0],
                line.marker,
                color=line.colour,
                markersize=10 - 5 * number / len(lines),
                markerfacecolor="none" if size else "white",
                label=f"{printable(name)}: {size_text(allocation.pages[name], line.curve.page_bytes)}",
                clip_on=False,
                zorder=4,
            )
        memory_axis(axes, span, common_page_bytes(curves))
        ratio_axis(axes, highest(curves))
        figure.legend(loc="outside right upper", title="allocated memory")
    return figure
