# SPDX-License-Identifier: BSD-2-Clause
"""Reads the text, tables and values of the pages of docs/, and the curves of a picture, for the paper."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from scripts.docs.page_tables import REPO, values_of

PAGES = (
    "README.md",
    "docs/accessed.md",
    "docs/boards/README.md",
    "docs/damon-truth.md",
    "docs/engines.md",
    "docs/evicted.md",
    "docs/formal.md",
    "docs/hot-pages.md",
    "docs/linux.md",
    "docs/os-tracker.md",
    "docs/results/measured.md",
)
CURVES = "docs/linux-curves.svg"
_TABLE = re.compile(r"<!-- table (.+?) -->\n(.*?)<!-- end -->", re.DOTALL)
_SVG = "{http://www.w3.org/2000/svg}"
_UNITS = {"KiB": 1, "MiB": 1024, "GiB": 1024**2}


def results(root: Path = REPO) -> dict[str, Any]:
    """Return `text`, `blocks`, `tables` and `values` of each page, and the `curves` of CURVES.

    A block is the text of a marked table. `table_of` describes a table.
    """
    pages: dict[str, Any] = {CURVES: {"curves": curves_of(root / CURVES)}}
    for name in PAGES:
        text = (root / name).read_text("utf-8")
        blocks = dict(_TABLE.findall(text))
        tables = {each: table_of(block) for each, block in blocks.items() if block.startswith("|")}
        pages[name] = {"text": text, "blocks": blocks, "tables": tables, "values": values_of(root / name)}
    return pages


def table(found: dict[str, Any], page: str, name: str) -> dict[str, dict[str, str]]:
    """Return a table of a page.

    Raises
    ------
    ValueError
        if the page has no such table.
    """
    if name not in found[page]["tables"]:
        raise ValueError(f"{page} has no table {name!r}")
    return found[page]["tables"][name]


def table_of(block: str) -> dict[str, dict[str, str]]:
    """Return the cells of a Markdown table by the first cell of their row and the head of their column.

    Marks of code and of bold text are left out. The head of the first column is `""`. Of columns with the
    same head the first one counts.
    """
    cells = [
        [re.sub(r"`|\*\*", "", cell).strip() for cell in line.strip().strip("|").split("|")]
        for line in block.splitlines()
        if line.startswith("|")
    ]
    heads, _, *rows = cells
    named = [list(zip(["", *heads[1:]], row, strict=True)) for row in rows]
    return {row[0][1]: dict(row) | dict(reversed(row)) for row in named}


def number(cell: str) -> float:
    """Return the first number of a cell such as `1,417` or `32.5%`.

    Raises
    ------
    ValueError
        if the cell has none.
    """
    found = re.search(r"[-\N{MINUS SIGN}]?\d[\d,]*(\.\d+)?", cell)
    if not found:
        raise ValueError(f"{cell!r} has no number")
    return float(found[0].replace(",", "").replace("\N{MINUS SIGN}", "-"))


def curves_of(picture: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Return the curves that `litemrc.plots.curves.curves_figure` drew into an SVG file.

    Returns
    -------
    dict
        KiB and miss ratios of the corners of the steps, by the name in the legend.

    Raises
    ------
    ValueError
        if the picture has another structure.
    """
    axes, legend = (_group(ET.parse(picture).getroot(), name) for name in ("axes_1", "legend_1"))
    sizes = [(at, np.log2(_kib(label))) for at, label in _ticks(axes, "x") if label.endswith("iB")]
    size = np.polyfit(*zip(*sizes, strict=True), 1)
    ratio = np.polyfit(*zip(*((at, float(label)) for at, label in _ticks(axes, "y")), strict=True), 1)
    names = [text.text or "" for text in legend.iter(f"{_SVG}text")]
    lines = [
        path.get("d", "")
        for group in axes.findall(f"{_SVG}g")
        if group.get("id", "").startswith("line2d")
        for path in group.findall(f"{_SVG}path")
        if "clip-path" in path.attrib
    ]
    curves = {}
    for name, line in zip(names, lines, strict=False):  # the last line of the legend is a note
        x, y = np.array(re.findall(r"[ML] (\S+) (\S+)", line), float).T
        curves[name] = ((2 ** np.polyval(size, x)).tolist(), np.polyval(ratio, y).tolist())
    if not curves:
        raise ValueError(f"{picture} has no curves")
    return curves


def _group(root: ET.Element, name: str) -> ET.Element:
    for group in root.iter(f"{_SVG}g"):
        if group.get("id") == name:
            return group
    raise ValueError(f"the picture has no {name}")


def _ticks(axes: ET.Element, way: str) -> list[tuple[float, str]]:
    """Return place and label of each tick of an axis, `x` or `y`."""
    ticks = []
    for group in axes.iter(f"{_SVG}g"):
        if group.get("id", "").startswith(f"{way}tick"):
            use, label = group.find(f".//{_SVG}use"), group.find(f".//{_SVG}text")
            if use is not None and label is not None:
                ticks.append((float(use.get(way, "nan")), label.text or ""))
    return ticks


def _kib(label: str) -> float:
    size, unit = label.split()
    return float(size) * _UNITS[unit]
