"""Curves as a picture of matplotlib, which is imported here only."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from litemrc.curves.sizes import MIB
from litemrc.extras import require
from litemrc.texts import picture_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from litemrc.curves.curve import Curve


def draw(curves: Sequence["Curve"], ax: "Axes | None" = None) -> "Axes":
    """Draw each curve as a step function over the memory size in MiB, with its band; return the axes.

    A dotted line shows where evicted pages begin: sizes beyond it were not resident.

    Parameters:
        ax: what to draw into; None: a new figure of pyplot.

    Raises:
        UserError: matplotlib is not installed.
    """
    if ax is None:
        require("plot")
        from matplotlib import pyplot

        _, ax = pyplot.subplots()
    for curve in curves:
        sizes = curve.sizes_pages * curve.page_bytes / MIB
        (line,) = ax.step(sizes, curve.miss_ratio, where="post", label=picture_text(curve.name))
        if curve.low is not None and curve.high is not None:
            ax.fill_between(
                sizes, curve.low, curve.high, step="post", color=line.get_color(), alpha=0.2, linewidth=0
            )
        if curve.tail and curve.tail.evicts:
            resident = curve.tail.resident_pages * curve.page_bytes / MIB
            note = ": ".join(filter(None, [picture_text(curve.name), "resident | evicted"]))
            ax.axvline(resident, color=line.get_color(), linestyle=":", linewidth=1, label=note)
    ax.set(xlabel="memory size in MiB", ylabel="miss ratio")
    ax.set_ylim(bottom=0)
    if any(curve.name or (curve.tail and curve.tail.evicts) for curve in curves):
        ax.legend()
    return ax
