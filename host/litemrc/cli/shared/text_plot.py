# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves in block characters, for terminals and logs."""

from collections.abc import Sequence

from litemrc.curves.curve import Curve
from litemrc.curves.drawing import ratio_top
from litemrc.curves.sizes import size_text

_BLOCKS = " ▁▂▃▄▅▆▇█"
_RESIDENT, _EVICTED, _BORDER = "resident ", " evicted", "┊"


def text_plot(curve: Curve, page_bytes: int, *, width: int = 64, height: int = 8) -> str:
    """Draw one curve from one group to just beyond its largest reuse distance; the curve is flat after it.

    A line separates the sizes up to the resident pages from those beyond, where there are evicted pages.
    """
    top = ratio_top([curve.miss_ratio])
    groups = _shown_groups([curve])
    bars = _bars(curve, groups, width, height, top)
    border = _border(curve, groups, width)
    labels = [f"{top:g}", *[""] * (height - 2), "0"]
    lines = ["  miss ratio"]
    for row, label in zip(reversed(range(height)), labels, strict=True):
        cells = "".join(_BLOCKS[min(max(bar - 8 * row, 0), 8)] for bar in bars)
        lines.append(f"{label:>3} │{_with_border(cells, border)}".rstrip())
    lines.append("    └" + _with_border("─" * width, border, "┴"))
    lines.append("     " + _size_scale([curve], page_bytes, width + (border is not None)))
    if border is not None:
        before = f"{_RESIDENT:>{5 + border}}" if 5 + border >= len(_RESIDENT) else " " * (5 + border)
        lines.append(before + _BORDER + _EVICTED)
    return "\n".join(lines)


def spark_lines(curves: Sequence[Curve], names: Sequence[str], page_bytes: int, *, width: int = 64) -> str:
    """Draw several curves over the same sizes, one line each; a full block is the highest miss ratio."""
    groups, top = _shown_groups(curves), ratio_top([curve.miss_ratio for curve in curves])
    margin = max(len(name) for name in names)
    lines = [f"{'':{margin}} {_size_scale(curves, page_bytes, width)}"]
    borders = [_border(curve, groups, width) for curve in curves]
    for curve, name, border in zip(curves, names, borders, strict=True):
        bars = "".join(_BLOCKS[bar] for bar in _bars(curve, groups, width, 1, top))
        if border is not None:
            bars = bars[:border] + _BORDER + bars[border + 1 :]
        lines.append(f"{name:{margin}} {bars}")
    lines.append(f"{'':{margin}} a full block is a miss ratio of {top:g}")
    if any(border is not None for border in borders):
        lines.append(f"{'':{margin}} {_BORDER} {_RESIDENT}|{_EVICTED}")
    return "\n".join(lines)


def _shown_groups(curves: Sequence[Curve]) -> int:
    residents = [round(c.tail.resident_pages) for c in curves if c.tail and c.tail.evicts]
    widest = max(*residents, *(curve.max_reuse_distance for curve in curves), 0) // curves[0].resolution_pages
    return min(max(widest + widest // 10 + 1, 4), max(curve.sizes_pages.size for curve in curves))


def _bars(curve: Curve, groups: int, width: int, height: int, top: float) -> list[int]:
    """Return the height of each column in eighths of a line; a ratio above 0 has at least one eighth."""
    shown = [min(group, curve.sizes_pages.size - 1) for group in _groups_of_columns(groups, width)]
    ratios = curve.miss_ratio[shown]
    return [max(round(ratio / top * height * 8), int(ratio > 0)) for ratio in ratios]


def _groups_of_columns(groups: int, width: int) -> list[int]:
    return [column * groups // width for column in range(width)]


def _border(curve: Curve, groups: int, width: int) -> int | None:
    """Return the first column beyond the resident pages; None: there is none, or nothing was evicted."""
    if not curve.tail or not curve.tail.evicts:
        return None
    sizes = [(group + 1) * curve.resolution_pages for group in _groups_of_columns(groups, width)]
    return next((column for column, size in enumerate(sizes) if size > curve.tail.resident_pages), None)


def _with_border(cells: str, border: int | None, sign: str = _BORDER) -> str:
    return cells if border is None else cells[:border] + sign + cells[border:]


def _size_scale(curves: Sequence[Curve], page_bytes: int, width: int) -> str:
    group_pages = curves[0].resolution_pages
    left = size_text(group_pages, page_bytes)
    right = size_text(_shown_groups(curves) * group_pages, page_bytes)
    return left + "memory size".center(width - len(left) - len(right)) + right
