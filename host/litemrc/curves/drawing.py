# SPDX-License-Identifier: BSD-2-Clause
"""Curves as data frames, HTML and pictures; pandas and matplotlib are imported when they are used."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.points import Points
from litemrc.curves.sizes import EPSILON, MIB, size_text
from litemrc.errors import OutputError, UserError
from litemrc.extras import require
from litemrc.texts import picture_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_MOST_STEPS = 6  # of an axis
_WIDTH, _HEIGHT = 160, 40  # of the picture, in CSS pixels
_HEADINGS = (
    "curve",
    "accesses",
    "minimum miss ratio",
    f"size within {EPSILON:g} of it",
    "largest reuse distance",
    "miss ratio by memory size",
)


def data_frame(columns: Mapping[str, NDArray[Any]]) -> "pandas.DataFrame":
    """Return the columns as a frame of their own.

    Raises
    ------
    UserError
        pandas is not installed.
    """
    require("pandas")
    import pandas as pd

    return pd.DataFrame({name: column.copy() for name, column in columns.items()})


def joined_frame(frames: Mapping[str, "pandas.DataFrame"]) -> "pandas.DataFrame":
    """Return the rows of all frames, the name of each in the first column; nan where one has no band."""
    import pandas as pd

    if not frames:
        return pd.DataFrame(columns=["name", "pages", "memory_bytes", "miss_ratio"])
    joined = pd.concat([frame.assign(name=name) for name, frame in frames.items()], ignore_index=True)
    return joined[["name", *joined.columns.drop("name")]]


def shown_sizes(curves: Sequence[Points], count: int = 3) -> list[int]:
    """Return up to `count` sizes in pages, spread by equal ratios from one group to the largest reuse.

    All curves have the `resolution_pages` of the first.
    """
    group_pages = curves[0].resolution_pages
    largest = max(max(curve.max_reuse_distance for curve in curves) // group_pages, 1)
    steps = np.geomspace(1, largest, count)
    return sorted({round(step) * group_pages for step in steps})


def ratio_top(ratios: Iterable[NDArray[np.float64]]) -> float:
    """Return where a miss-ratio axis ends: 1, or less where all are low, as DRAM is accessed in bursts."""
    highest = max((float(np.nanmax(shown, initial=0)) for shown in ratios), default=0.0)
    return next(top for top in (0.05, 0.1, 0.2, 0.3, 0.5, 1.0) if highest <= top)


def curves_html(curves: Sequence[Points]) -> str:
    """Return a table with a row for each curve."""
    head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    rows = "".join(_row(curve) for curve in curves)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(curve: Points) -> str:
    measured = bool(curve.accesses and curve.sizes_pages.size)
    cells = [
        escape(curve.name),
        f"{curve.accesses:,}",
        f"{curve.miss_ratio[-1]:.4f}" if measured else "-",
        *(size_text(pages, curve.page_bytes) for pages in (curve.size_within(), curve.max_reuse_distance)),
        _picture(curve) if measured else "",
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _picture(curve: Points) -> str:
    """A bar for each column of pixels, from no memory to a little beyond the largest reuse distance."""
    sizes = np.linspace(curve.known_from_pages, curve.max_reuse_distance * 1.1, _WIDTH).astype(np.int64)
    heights = [_HEIGHT * (1 - curve.at(pages=int(pages))) for pages in sizes]
    line = " ".join(f"{x},{y:.1f}" for x, y in enumerate(heights))
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="miss-ratio curve">'
        f'<polyline points="{line}" fill="none" stroke="#0072b2" stroke-width="1.5"/></svg>'
    )


def draw(curves: Sequence[Points], ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
    """Draw each curve as a step function over the memory size, with its band; return the axes.

    The axis counts in MiB; its labels have units.

    A dotted line shows where evicted pages begin: sizes beyond it were not resident.

    Parameters
    ----------
    ax
        what to draw into, or the file to write (PNG, SVG, PDF); None: a new figure of pyplot.

    Raises
    ------
    UserError
        matplotlib is not installed, or the file cannot be written.
    """
    if isinstance(ax, str | PathLike):
        require("plot")
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 4), dpi=150, layout="constrained")
        drawn = draw(curves, figure.subplots())
        _write(figure, Path(ax))
        return drawn
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
    ax.set(xlabel="memory size", ylabel="miss ratio")
    size_axis(ax.xaxis)
    ax.set_ylim(bottom=0)
    if any(curve.name or (curve.tail and curve.tail.evicts) for curve in curves):
        ax.legend()
    return ax


def _write(figure: "Figure", path: Path) -> None:
    kind = path.suffix.lower().removeprefix(".")
    kinds = figure.canvas.get_supported_filetypes()
    if kind not in kinds:
        raise UserError(
            f"a picture's name cannot end in {path.suffix!r}",
            where=str(path),
            remedy=f"choose from {', '.join(f'.{each}' for each in sorted(kinds))}",
        )
    picture = BytesIO()  # drawn before the file is touched
    figure.savefig(picture, format=kind)
    try:
        path.write_bytes(picture.getvalue())
    except OSError as error:
        raise OutputError(
            f"cannot write: {error.strerror or error}",
            where=str(path),
            remedy="check that the folder exists, can be written and has room",
        ) from error


def size_axis(axis: "Axis") -> None:
    """Label a linear axis whose values are in MiB as sizes: 512 KiB, 3 MiB, 16 GiB.

    Ticks are at multiples of the smallest power of two that needs at most `_MOST_STEPS` steps.
    """
    from matplotlib.ticker import FuncFormatter, Locator

    class SizeLocator(Locator):
        def __call__(self) -> Sequence[float]:
            assert self.axis is not None
            low, high = sorted(self.axis.get_view_interval())
            return self.tick_values(low, high)

        def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
            """Return the ticks in a range of MiB."""
            if not vmax > vmin:
                return [vmin]
            step = 2.0 ** np.ceil(np.log2((vmax - vmin) / _MOST_STEPS))
            return [float(n * step) for n in range(int(np.ceil(vmin / step)), int(np.floor(vmax / step)) + 1)]

    axis.set_major_locator(SizeLocator())
    axis.set_major_formatter(FuncFormatter(lambda mib, _: "0" if mib == 0 else size_text(mib * MIB, 1)))
