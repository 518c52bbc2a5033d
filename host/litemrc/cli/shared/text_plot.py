"""Miss-ratio curves in block characters, for terminals and logs."""

from collections.abc import Sequence

from litemrc.curves.curve import Curve
from litemrc.curves.shown import ratio_top
from litemrc.curves.sizes import size_text

_BLOCKS = " ▁▂▃▄▅▆▇█"


def text_plot(curve: Curve, page_bytes: int, *, width: int = 64, height: int = 8) -> str:
    """Draw one curve from one group to just beyond its largest reuse distance; the curve is flat after it."""
    top = ratio_top([curve.miss_ratio])
    bars = _bars(curve, _shown_groups([curve]), width, height, top)
    labels = [f"{top:g}", *[""] * (height - 2), "0"]
    lines = ["  miss ratio"]
    for row, label in zip(reversed(range(height)), labels, strict=True):
        cells = "".join(_BLOCKS[min(max(bar - 8 * row, 0), 8)] for bar in bars)
        lines.append(f"{label:>3} │{cells}".rstrip())
    return "\n".join([*lines, "    └" + "─" * width, "     " + _size_scale([curve], page_bytes, width)])


def spark_lines(curves: Sequence[Curve], names: Sequence[str], page_bytes: int, *, width: int = 64) -> str:
    """Draw several curves over the same sizes, one line each; a full block is the highest miss ratio."""
    groups, top = _shown_groups(curves), ratio_top([curve.miss_ratio for curve in curves])
    margin = max(len(name) for name in names)
    lines = [f"{'':{margin}} {_size_scale(curves, page_bytes, width)}"]
    for curve, name in zip(curves, names, strict=True):
        bars = "".join(_BLOCKS[bar] for bar in _bars(curve, groups, width, 1, top))
        lines.append(f"{name:{margin}} {bars}")
    return "\n".join([*lines, f"{'':{margin}} a full block is a miss ratio of {top:g}"])


def _shown_groups(curves: Sequence[Curve]) -> int:
    widest = max(curve.reuse_pages // curve.resolution_pages for curve in curves)
    return min(max(widest + widest // 10 + 1, 4), curves[0].sizes_pages.size)


def _bars(curve: Curve, groups: int, width: int, height: int, top: float) -> list[int]:
    """Return the height of each column in eighths of a line; a ratio above 0 has at least one eighth."""
    ratios = curve.miss_ratio[[column * groups // width for column in range(width)]]
    return [max(round(ratio / top * height * 8), int(ratio > 0)) for ratio in ratios]


def _size_scale(curves: Sequence[Curve], page_bytes: int, width: int) -> str:
    group_pages = curves[0].resolution_pages
    left = size_text(group_pages, page_bytes)
    right = size_text(_shown_groups(curves) * group_pages, page_bytes)
    return left + "memory size".center(width - len(left) - len(right)) + right
