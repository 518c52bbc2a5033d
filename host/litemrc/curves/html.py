"""Curves as HTML for notebooks: a table with a small picture of each, which needs nothing else."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from litemrc.curves.sizes import EPSILON, size_text

if TYPE_CHECKING:
    from litemrc.curves.curve import Curve

_WIDTH, _HEIGHT = 160, 40  # of the picture, in CSS pixels
_HEADINGS = (
    "curve",
    "accesses",
    "minimum miss ratio",
    f"size within {EPSILON:g} of it",
    "largest reuse distance",
    "miss ratio by memory size",
)


def curves_html(curves: Sequence["Curve"]) -> str:
    """Return a table with a row for each curve."""
    head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    rows = "".join(_row(curve) for curve in curves)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(curve: "Curve") -> str:
    measured = bool(curve.accesses and curve.sizes_pages.size)
    cells = [
        escape(curve.name),
        f"{curve.accesses:,}",
        f"{curve.miss_ratio[-1]:.4f}" if measured else "-",
        *(size_text(pages, curve.page_bytes) for pages in (curve.smallest(), curve.reuse_pages)),
        _picture(curve) if measured else "",
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _picture(curve: "Curve") -> str:
    """A bar for each column of pixels, from no memory to a little beyond the largest reuse distance."""
    sizes = np.linspace(curve.known_from_pages, curve.reuse_pages * 1.1, _WIDTH).astype(np.int64)
    heights = [_HEIGHT * (1 - curve.at(pages=int(pages))) for pages in sizes]
    line = " ".join(f"{x},{y:.1f}" for x, y in enumerate(heights))
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="miss-ratio curve">'
        f'<polyline points="{line}" fill="none" stroke="#0072b2" stroke-width="1.5"/></svg>'
    )
