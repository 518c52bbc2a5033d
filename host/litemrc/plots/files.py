# SPDX-License-Identifier: BSD-2-Clause
"""Figures as files, and as inline SVG in the colours of an HTML page."""

import io
import re
from html import escape
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path, replacing
from litemrc.plots.curves import INK, PALE, RULE

_SVG_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # keep text searchable; a fifth of the size
    "svg.hashsalt": "litemrc",  # identical tables give identical files
}


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG or SVG, by the suffix of `path`.

    Raises
    ------
    UserError
        unknown suffix, missing folder, or the file cannot be written.
    """
    path = check_output_path(path, PICTURE_SUFFIXES)
    kind = path.suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else None
    with replacing(path) as partial, matplotlib.rc_context(_SVG_STYLE):
        figure.savefig(partial, format=kind, facecolor="white", metadata=metadata)


def inline_svg(figure: Figure, *, name: str, description: str) -> str:
    """Return an `<svg>` element for an HTML page: self-contained, scalable, for light and dark pages.

    Text and axes have the page's text colour, grid and pale lines its variables `--rule` and `--pale`.

    Parameters
    ----------
    name
        prefix of all ids, unique in the page; letters only.
    description
        alternative text of the picture.
    """
    buffer = io.StringIO()
    with matplotlib.rc_context(_SVG_STYLE):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)  # implied in HTML
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\1{name}-", svg)
    svg = re.sub(r' (width|height)="[^"]*pt"', "", svg, count=2)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)
    for colour, themed in ((INK, "currentColor"), (PALE, "var(--pale)"), (RULE, "var(--rule)")):
        svg = svg.replace(colour, themed)
    return svg
