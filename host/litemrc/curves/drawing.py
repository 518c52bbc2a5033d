"""Curves as a picture of matplotlib, which is imported here only."""

from collections.abc import Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.curves.sizes import MIB
from litemrc.errors import OutputError, UserError
from litemrc.extras import require
from litemrc.texts import picture_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from litemrc.curves.curve import Curve


def draw(curves: Sequence["Curve"], ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
    """Draw each curve as a step function over the memory size, with its band; return the axes.

    The axis counts in MiB; its labels have units.

    A dotted line shows where evicted pages begin: sizes beyond it were not resident.

    Parameters:
        ax: what to draw into, or the file to write (PNG, SVG, PDF); None: a new figure of pyplot.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
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
    from litemrc.curves.size_axis import size_axis

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
