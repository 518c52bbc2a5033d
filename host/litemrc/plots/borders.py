"""The border "resident | evicted" in pictures of miss-ratio curves."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import MIB
from litemrc.plots.memory_axis import CurveLine

_NOTE = "\nvertical line:\nresident | evicted\n(mean; shaded: range)"
_WIDEST, _NARROWEST = 2.0, 1.0  # lines at the same size remain visible
_ROOM = 0.13  # of the axis, for a word


def resident_bytes(curves: Sequence[Curve]) -> list[int]:
    """Return the mean resident memory of each curve with evicted pages, for the memory axis to contain."""
    return [
        round(curve.tail.resident_pages * curve.page_bytes)
        for curve in curves
        if curve.tail and curve.tail.evicts
    ]


def draw_borders(axes: Axes, lines: Sequence[CurveLine], *, words: bool = True) -> None:
    """Draw a dotted line at the mean resident memory of each curve with evicted pages, its range shaded.

    The words stand beside the line of a single curve, else in the legend.

    Parameters:
        axes: with a logarithmic memory axis in MiB, already drawn.
        words: label the lines.
    """
    borders = [(line, line.curve.tail) for line in lines if line.curve.tail and line.curve.tail.evicts]
    if not borders:
        return
    widths = np.linspace(_NARROWEST, _WIDEST, len(borders))[::-1]
    for (line, tail), width in zip(borders, widths, strict=True):
        unit = line.curve.page_bytes / MIB
        at = tail.resident_pages * unit
        axes.axvline(at, color=line.colour, linestyle=":", linewidth=width, zorder=1.5)
        if tail.resident_least < tail.resident_most:
            least, most = tail.resident_least * unit, tail.resident_most * unit
            axes.axvspan(least, most, color=line.colour, alpha=0.08, linewidth=0)
    if not words:
        return
    if len(lines) > 1:
        axes.plot([], [], " ", label=_NOTE)
        return
    first, last = axes.get_xlim()
    place = float(np.log(at / first) / np.log(last / first))
    for word, side, fits in (("resident ", "right", place > _ROOM), (" evicted", "left", place < 1 - _ROOM)):
        if fits:
            axes.text(at, 0.955, word, ha=side, va="top", fontsize=9, transform=axes.get_xaxis_transform())
