# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves over a logarithmic memory axis, in bytes below and in pages above."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.drawing import ratio_top
from litemrc.curves.sizes import EPSILON, MIB, size_text

MARKER_NOTE = f"\nmarker: smallest size\nwithin {EPSILON:g} of the\nminimum miss ratio"
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))
_WIDEST, _NARROWEST = 2.8, 1.2
_MOST_POINTS = 4096  # of a line: more than a picture has columns


@dataclass(frozen=True)
class CurveLine:
    """A curve, its name in the legend, and the colour and marker that belong to it."""

    curve: Curve
    label: str
    colour: str
    marker: str = "o"


def memory_span(curves: Sequence[Curve], *others_bytes: int) -> tuple[float, float]:
    """Return the memory axis in MiB: from the smallest size to just beyond the largest reuse distance.

    Parameters
    ----------
    others_bytes
        further sizes that the axis must contain.
    """
    low = min([*(int(curve.sizes_pages[0]) * curve.page_bytes for curve in curves), *others_bytes])
    high = max([1.25 * max(curve.max_reuse_distance * curve.page_bytes for curve in curves), *others_bytes])
    return low / MIB, max(high, 2 * low) / MIB


def memory_axis(
    axes: Axes,
    span: tuple[float, float],
    page_bytes: int | None,
    *,
    most_labels: int = 8,
    vertical: bool = False,
) -> None:
    """Make the x axis (or y) logarithmic in MiB; label it in bytes and, on the other side, in pages.

    Parameters
    ----------
    span
        first and last size in MiB.
    page_bytes
        None: no labels in pages.
    """
    axis, letter = (axes.yaxis, "y") if vertical else (axes.xaxis, "x")
    axes.set(**{f"{letter}scale": "log", f"{letter}lim": span})
    first, last = (float(np.log2(size * MIB)) for size in span)
    step = max(1, int(np.ceil((last - first) / most_labels)))
    sizes = 2.0 ** np.arange(np.ceil(first - 1e-9), last + 1e-9, step) / MIB
    if sizes.size < most_labels // 2:  # 64, 96, 128, 192 KiB
        sizes = np.unique([sizes, 0.75 * sizes, 1.5 * sizes])
        sizes = sizes[(sizes >= span[0]) & (sizes <= span[1])]
    axis.set_major_locator(FixedLocator(sizes.tolist()))
    axis.set_major_formatter(FixedFormatter([size_text(size * MIB, 1) for size in sizes]))
    axis.set_minor_locator(NullLocator())
    axes.set(**{f"{letter}label": "memory size"})
    if page_bytes is None:
        return
    pages = axes.secondary_yaxis("right") if vertical else axes.secondary_xaxis("top")
    pages_axis = pages.yaxis if vertical else pages.xaxis
    whole = sizes[sizes * MIB % page_bytes == 0]
    pages_axis.set_major_locator(FixedLocator(whole.tolist()))
    pages_axis.set_major_formatter(FixedFormatter([f"{size * MIB / page_bytes:,.0f}" for size in whole]))
    pages_axis.set_minor_locator(NullLocator())
    pages.set(**{f"{letter}label": f"pages of {size_text(1, page_bytes)}"})
    for spine in pages.spines.values():
        spine.set_visible(False)


def highest(curves: Sequence[Curve]) -> list[NDArray[np.float64]]:
    """Return what of each curve is highest: the upper limit of its band, or its miss ratios."""
    return [curve.miss_ratio if curve.high is None else curve.high for curve in curves]


def ratio_axis(axes: Axes, ratios: Iterable[NDArray[np.float64]], label: str = "miss ratio") -> None:
    """Make the y axis that of miss ratios, from 0 to the largest of these, with a margin."""
    top = ratio_top(ratios)
    axes.set(ylabel=label, ylim=(-0.03 * top, 1.03 * top))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")


def steps(
    curve: Curve, last_mib: float, ratios: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sizes in MiB and miss ratios (or other values per size) of a "post" step line up to a size.

    It begins at the first size: below it nothing was measured.
    """
    sizes = curve.sizes_pages * curve.page_bytes / MIB
    ratios = curve.miss_ratio if ratios is None else ratios
    shown = np.arange(int(np.searchsorted(sizes, last_mib, side="right")))
    if shown.size > _MOST_POINTS:
        grid = np.geomspace(sizes[0], sizes[shown[-1]], _MOST_POINTS)
        shown = np.unique(np.searchsorted(sizes, grid, side="right") - 1)
    if not shown.size or sizes[shown[-1]] >= last_mib:
        return sizes[shown], ratios[shown]
    return np.append(sizes[shown], last_mib), np.append(ratios[shown], ratios[shown[-1]])


def draw_lines(axes: Axes, lines: Sequence[CurveLine], last_mib: float, *, markers: bool = True) -> None:
    """Draw curves as step lines with their bands; lines that coincide remain visible side by side.

    Each line is narrower than the ones below it and has other dashes. A marker shows the smallest size within
    `EPSILON` of the minimum miss ratio.
    """
    widths = np.linspace(_WIDEST, _NARROWEST, len(lines)) if len(lines) > 1 else [1.8]
    for number, (line, width) in enumerate(zip(lines, widths, strict=True)):
        style = {"color": line.colour, "linewidth": width, "linestyle": _DASHES[number % len(_DASHES)]}
        curve = line.curve
        if curve.low is not None and curve.high is not None:
            low, high = (steps(curve, last_mib, limit) for limit in (curve.low, curve.high))
            axes.fill_between(low[0], low[1], high[1], step="post", color=line.colour, alpha=0.2, linewidth=0)
        label = "" if markers else line.label
        axes.step(*steps(curve, last_mib), where="post", label=label, **style)
        if markers:
            at = max(curve.size_within(), int(curve.sizes_pages[0]))
            size = at * curve.page_bytes / MIB
            style |= {"marker": line.marker, "markersize": 4 + 1.5 * width, "markerfacecolor": "none"}
            axes.plot(size, curve.at(pages=at), label=line.label, clip_on=False, zorder=4, **style)
