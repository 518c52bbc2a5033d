"""Figures of an epoch table: curves in one picture, one panel per owner, and how they went over time.

Figures are built without pyplot, so nothing global is touched and nothing stays open. A curve is drawn as the
step function it is: nothing was measured between two whole numbers of groups, where the smaller one is safe.
Every figure needs a table in which at least one access was counted.
"""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.shown import ratio_top, shown_sizes
from litemrc.curves.sizes import EPSILON, MIB, size_text
from litemrc.epochs.processes import Owner
from litemrc.epochs.table import EpochTable

INK = "#1f2328"
PALE = "#b4bbc4"
RULE = "#d9dde2"
# Okabe and Ito's palette, told apart in all common kinds of colour blindness, but for black and yellow, which
# vanish on dark or light paper: grey (context 0) and a colour of Tol's instead. Markers serve prints in grey.
COLOURS = ("#7d858f", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#aa3377")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.labelsize": 10,
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": RULE,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "text.color": INK,
    "text.parse_math": False,  # a context may be named anything
    "xtick.color": INK,
    "ytick.color": INK,
}


def curves_figure(table: EpochTable, owners: Sequence[Owner] | None = None, *, title: str = "") -> Figure:
    """Miss ratio over memory size of several owners (default: all with data), in one picture.

    A marker stands at the smallest size whose miss ratio is within `EPSILON` of the best.
    """
    owners = owners or table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2), dpi=200, layout="constrained")
        axes = figure.subplots()
        for owner, curve in zip(owners, curves, strict=True):
            _draw_curve(axes, curve, table, owner, label=table.name_of(owner))
        axes.plot([], [], " ", label=f"\nmarker: smallest size\nwithin {EPSILON:g} of the best")
        _limit_size(axes, curves, table)
        _ratio_axis(axes, [curve.miss_ratio for curve in curves])
        axes.set_xlabel("memory size in MiB")
        per_mib = MIB / table.page_bytes
        pages = axes.secondary_xaxis(
            "top", functions=(lambda mib: mib * per_mib, lambda pages: pages / per_mib)
        )
        pages.set_xlabel(f"pages of {size_text(1, table.page_bytes)}")
        pages.spines["top"].set_visible(False)
        figure.legend(loc="outside right upper")
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def panels_figure(table: EpochTable, exact: Mapping[int, Curve] | None = None, *, columns: int = 3) -> Figure:
    """One small panel per owner with data: its curve before those of the others in grey.

    `exact` has curves by context, of the same sizes, to be dotted over the estimated ones of owners that had
    a context for themselves. Above each panel stands the size at the marker: the smallest whose miss ratio is
    within `EPSILON` of the best.
    """
    owners = table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    alone = {context: exact for context, exact in (exact or {}).items() if _had_one_owner(owners, context)}
    columns = min(columns, len(curves))
    rows = -(-len(curves) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 0.6 + 2.1 * rows), dpi=200, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, owner, curve in zip(grid, owners, curves, strict=False):
            for other in curves:
                axes.step(*_steps(other, table), where="post", color=PALE, linewidth=0.8)
            colour = _colour(table, owner)
            axes.fill_between(*_steps(curve, table), step="post", color=colour, alpha=0.15, linewidth=0)
            _draw_curve(axes, curve, table, owner)
            if owner.context in alone:
                axes.step(
                    *_steps(alone[owner.context], table), where="post", color=INK, linestyle=":", linewidth=1
                )
            _limit_size(axes, curves, table)
            _ratio_axis(axes, [curve.miss_ratio for curve in curves], label="")
            axes.grid(False)
            axes.set_title(table.name_of(owner))
            enough = size_text(curve.smallest(), table.page_bytes)
            axes.set_title(enough, loc="right", fontsize=9)
        for position, axes in enumerate(grid):
            axes.tick_params(labelbottom=position + columns >= len(curves))
            axes.set_visible(position < len(curves))
        figure.supxlabel("memory size in MiB")
        figure.supylabel("miss ratio")
    return figure


def epochs_figure(table: EpochTable) -> Figure:
    """Over the epochs, for each owner: accesses, stacked; the working set; miss ratios at telling sizes."""
    owners = table.owners_with_data
    sizes = shown_sizes([table.curve(owner) for owner in owners])
    edges = np.unique(np.concatenate([table.epoch, table.epoch + 1.0]))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 1.6 + 1.2 * (2 + len(sizes))), dpi=200, layout="constrained")
        top, middle, *below = figure.subplots(2 + len(sizes), 1, sharex=True)
        bottom = np.zeros(edges.size - 1)
        shown: list[NDArray[np.float64]] = []
        for owner in owners:
            rows = table.rows_of(owner)
            bins = np.searchsorted(edges, table.epoch[rows])
            accesses = np.zeros(edges.size - 1)
            accesses[bins] = table.accesses[rows]
            style = {"color": _colour(table, owner)}
            top.stairs(
                bottom + accesses, edges, baseline=bottom, fill=True, label=table.name_of(owner), **style
            )
            bottom += accesses
            pages = np.full(edges.size - 1, np.nan)
            pages[bins] = table.working_set_pages[rows]
            middle.stairs(pages * table.page_bytes / MIB, edges, baseline=None, linewidth=1.8, **style)
            for axes, pages in zip(below, sizes, strict=True):
                ratios = np.full(edges.size - 1, np.nan)
                ratios[bins] = _ratios_at(table, rows, pages)
                shown.append(ratios)
                axes.stairs(ratios, edges, baseline=None, linewidth=1.8, **style)
        lossy = np.unique(table.epoch[table.dropped > 0])
        if lossy.size:
            above = 1.06 * bottom[np.searchsorted(edges, lossy)]
            top.plot(lossy + 0.5, above, "v", color=INK, label="accesses dropped")
        top.set(title="accesses per epoch", ylabel="accesses", xlim=(edges[0], edges[-1]))
        top.yaxis.set_major_formatter("{x:,.0f}")
        top.grid(axis="y")
        middle.set(title="working set: memory accessed in the epoch", ylabel="MiB")
        middle.set_ylim(bottom=0)
        middle.grid(axis="y")
        for axes, pages in zip(below, sizes, strict=True):
            axes.set_title(f"miss ratio in {size_text(pages, table.page_bytes)} of memory")
            _ratio_axis(axes, shown)
        below[-1].set_xlabel("epoch")
        below[-1].xaxis.get_major_locator().set_params(integer=True)
        figure.legend(loc="outside right upper")
    return figure


def _place(table: EpochTable, owner: Owner) -> int:
    """Number of an owner's colour and marker: its context, or where contexts change hands one of its own."""
    if not table.processes:
        return owner.context
    others = [each for each in table.owners_with_data if each != Owner(0)]
    return others.index(owner) + 1 if owner in others else 0


def _colour(table: EpochTable, owner: Owner) -> str:
    return COLOURS[_place(table, owner) % len(COLOURS)]


def _had_one_owner(owners: Sequence[Owner], context: int) -> bool:
    return [owner.context for owner in owners].count(context) == 1


def _steps(curve: Curve, table: EpochTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sizes in MiB and miss ratios for a "post" step line.

    It begins at one group: below, all curves are 1 by definition and would hide each other.
    """
    return curve.sizes_pages * table.page_bytes / MIB, curve.miss_ratio


def _draw_curve(axes: Axes, curve: Curve, table: EpochTable, owner: Owner, *, label: str = "") -> None:
    colour = _colour(table, owner)
    axes.step(*_steps(curve, table), where="post", color=colour)
    enough = curve.smallest()
    x, y = enough * table.page_bytes / MIB, curve.at(pages=enough)
    marker = MARKERS[_place(table, owner) % len(MARKERS)]
    axes.plot(x, y, marker=marker, color=colour, label=label, clip_on=False, zorder=4)


def _limit_size(axes: Axes, curves: Sequence[Curve], table: EpochTable) -> None:
    """Show sizes up to a little beyond what holds all reuse: no curve changes after that."""
    group = table.group_pages * table.page_bytes / MIB
    widest = max(curve.reuse_pages for curve in curves) * table.page_bytes / MIB
    axes.set_xlim(0, min(max(1.1 * widest, 4 * group), curves[0].sizes_pages.size * group))


def _ratio_axis(axes: Axes, ratios: Iterable[NDArray[np.float64]], label: str = "miss ratio") -> None:
    top = ratio_top(ratios)
    axes.set(ylabel=label, ylim=(-0.03 * top, 1.03 * top))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")


def _ratios_at(table: EpochTable, rows: NDArray[np.bool_], pages: int) -> NDArray[np.float64]:
    """Miss ratio at a size, row by row; nan for a row without accesses."""
    groups = min(pages // table.group_pages, table.groups)
    hits = table.hits[rows].astype(np.uint64)
    total = hits.sum(axis=1) + table.misses[rows]
    missed = total - hits[:, :groups].sum(axis=1)
    return np.divide(missed, total, out=np.full(total.shape, np.nan), where=total > 0)
