"""Miss-ratio curves with the memory sizes that an allocation gives to their processes."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from litemrc.curves.shown import ratio_top
from litemrc.plots.curves import COLOURS, MARKERS, STYLE
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import Allocation


def allocation_figure(demands: Sequence[Demand], allocation: Allocation) -> Figure:
    """Draw all curves in one picture, with a marker at the memory size of each process."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        for number, demand in enumerate(demands, 1):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            pages = allocation.pages[demand.name]
            axes.step(
                [0, *demand.sizes_pages.tolist()],
                [1, *demand.miss_ratio.tolist()],
                where="post",
                color=colour,
            )
            label = f"{demand.name}: {pages:,}"
            y = allocation.miss_ratio[demand.name]
            axes.plot(pages, y, marker, color=colour, label=label, clip_on=False, zorder=4)
        reuse = [int(demand.sizes_pages[_last_step(demand)]) for demand in demands]
        largest = 1.1 * max(*allocation.pages.values(), *reuse)
        top = ratio_top([demand.miss_ratio for demand in demands])
        axes.set(xlabel="memory size in pages", ylabel="miss ratio", xlim=(0, largest), ylim=(0, 1.03 * top))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(axis="y")
        figure.legend(loc="outside right upper", title="allocated pages")
    return figure


def _last_step(demand: Demand) -> int:
    """Return the index of the last size that lowers the miss ratio."""
    return int(np.argmax(demand.miss_ratio == demand.miss_ratio[-1]))
