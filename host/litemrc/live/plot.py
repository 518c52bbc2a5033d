# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves as steps in braille dots, each with the number of its context on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.style import Style
from textual.strip import Strip

from litemrc.curves.curve import Curve
from litemrc.curves.drawing import ratio_top
from litemrc.curves.sizes import size_text
from litemrc.live.ink import STRONG, Ink, line

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # [column][row] of a braille character
_BRAILLE = 0x2800
_MARGIN = 6  # cells of the labels and the axis
_LABEL_CELLS = 6  # from the label of one curve to that of the next
_TICKS = 4


@dataclass(frozen=True)
class PlottedCurve:
    """A curve with the label that is drawn on it, and its style."""

    curve: Curve
    label: str
    style: Style


def axis_pages(curves: Sequence[Curve], memory_pages: int) -> int:
    """Return where the axis ends: a power of two, or 1.5 times one, of pages; it rarely changes."""
    widest = max((curve.max_reuse_distance for curve in curves), default=0)
    residents = [round(curve.tail.resident_pages) for curve in curves if curve.tail and curve.tail.evicts]
    wanted = max(widest, *residents, 8) if residents else max(widest, 8)
    end = 1 << (wanted - 1).bit_length()
    end = end * 3 // 4 if end * 3 // 4 >= wanted * 1.05 else end
    largest = max((int(curve.sizes_pages[-1]) for curve in curves if curve.sizes_pages.size), default=end)
    return min(end, max(memory_pages, largest))


def plot_lines(
    curves: Sequence[PlottedCurve], memory_pages: int, page_bytes: int, width: int, height: int, ink: Ink
) -> list[Strip]:
    """Draw curves with axes into `height` lines of `width` cells; an empty list if that is too little.

    Parameters
    ----------
    memory_pages
        pages of the memory, the end of the axis if curves do not end before.
    """
    columns, rows = width - _MARGIN, height - 2
    if columns < 16 or rows < 2:
        return []
    drawn = [each for each in curves if each.curve.accesses]
    top = ratio_top([each.curve.miss_ratio for each in drawn])
    end = axis_pages([each.curve for each in drawn], memory_pages)
    cells: dict[tuple[int, int], tuple[int, Style]] = {}
    marks: dict[tuple[int, int], tuple[str, Style]] = {}
    for number, each in enumerate(drawn):
        heights = _heights(each.curve, end, top, 2 * columns, 4 * rows)
        _dot(cells, heights, each.style)
        _mark(marks, heights, each, number, len(drawn), columns)
        _border(cells, marks, each.curve, end, columns, rows, ink)
    strips = []
    for row in range(rows):
        label = f"{top:g}" if row == 0 else f"{top / 2:g}" if row == rows // 2 and rows > 3 else ""
        axis = f"{label:>{_MARGIN - 1}}{'┤' if label else '│'}"
        strips.append(line([(axis, ink.dim), *_runs(cells, marks, row, columns, ink)], width))
    strips.append(line([(f"{'0':>{_MARGIN - 1}}└{_ticks(columns)}", ink.dim)], width))
    strips.append(line([(" " * (_MARGIN - 1) + _sizes(end, page_bytes, columns), ink.dim)], width))
    return strips


def _runs(
    cells: dict[tuple[int, int], tuple[int, Style]],
    marks: dict[tuple[int, int], tuple[str, Style]],
    row: int,
    columns: int,
    ink: Ink,
) -> list[tuple[str, Style]]:
    """Return the characters of a row, those of one style together."""
    runs: list[tuple[str, Style]] = []
    text, style = "", ink.dim
    for column in range(columns):
        place = row, column
        if place in marks:
            character, own = marks[place]
        elif place in cells:
            bits, own = cells[place]
            character = chr(_BRAILLE + bits)
        else:
            character, own = " ", style
        if own is not style:
            runs.append((text, style))
            text, style = "", own
        text += character
    return [*runs, (text, style)]


def _heights(curve: Curve, end: int, top: float, columns: int, rows: int) -> list[int]:
    """Return the dot row of each dot column, from the top; -1: the miss ratio is above the axis."""
    sizes = (np.arange(columns) + 0.5) * end / columns
    ratios = np.append(1.0, curve.miss_ratio)[np.searchsorted(curve.sizes_pages, sizes, side="right")]
    heights = np.round((1 - ratios / top) * (rows - 1)).astype(int)
    return np.where((ratios > top) | (sizes < curve.known_from_pages), -1, heights).tolist()


def _dot(cells: dict[tuple[int, int], tuple[int, Style]], heights: Sequence[int], style: Style) -> None:
    before = -1
    for column, height in enumerate(heights):
        if height < 0:
            continue
        first = min(before + 1, height) if before >= 0 else height if column == 0 else 0
        for row in range(first, height + 1):
            place = row // 4, column // 2
            bits = cells.get(place, (0, style))[0]
            cells[place] = bits | _DOTS[column % 2][row % 4], style
        before = height


def _mark(
    marks: dict[tuple[int, int], tuple[str, Style]],
    heights: Sequence[int],
    each: PlottedCurve,
    number: int,
    curves: int,
    columns: int,
) -> None:
    """Put the label on the curve where no other curve has one."""
    period = max(_LABEL_CELLS * curves, 4 * _LABEL_CELLS)
    for column in range(1 + _LABEL_CELLS * number, columns - len(each.label), period):
        if (height := heights[2 * column]) >= 0:
            for place, character in enumerate(each.label):
                marks[height // 4, column + place] = character, each.style + STRONG


def _border(
    cells: dict[tuple[int, int], tuple[int, Style]],
    marks: dict[tuple[int, int], tuple[str, Style]],
    curve: Curve,
    end: int,
    columns: int,
    rows: int,
    ink: Ink,
) -> None:
    """A dotted line where sizes begin that were not resident."""
    if not curve.tail or not curve.tail.evicts or curve.tail.resident_pages >= end:
        return
    column = int(curve.tail.resident_pages * columns / end)
    for row in range(rows):
        if (row, column) not in cells:
            marks.setdefault((row, column), ("┊", ink.dim))


def _ticks(columns: int) -> str:
    places = {part * columns // _TICKS for part in range(1, _TICKS)}
    return "".join("┬" if column in places else "─" for column in range(columns))


def _sizes(end: int, page_bytes: int, columns: int) -> str:
    """Return the labels of the size axis, each below its tick; the first one is a cell to the left."""
    text = "0"
    for part in range(1, _TICKS + 1):
        label = size_text(end * part / _TICKS, page_bytes, 3)
        place = 1 + part * columns // _TICKS
        start = place - len(label) // 2 if part < _TICKS else place - len(label)
        if start > len(text):
            text = text.ljust(start) + label
    return text
