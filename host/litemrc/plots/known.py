"""Values that a paper reports, as marks in a figure that repeats its experiment."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from litemrc.plots.curves import INK

LABEL = "value in the paper"


def draw_known(axes: Axes, points: Sequence[tuple[float, float]], label: str = LABEL) -> None:
    """Draw points of a paper as open stars above the data."""
    if points:
        horizontal, vertical = zip(*points, strict=True)
        axes.plot(
            horizontal,
            vertical,
            linestyle="none",
            marker="*",
            markersize=11,
            markerfacecolor="white",
            markeredgecolor=INK,
            label=label,
            zorder=5,
        )
