"""The heat map: which pages were accessed in each of the last epochs."""

import math

import numpy as np
from numpy.typing import NDArray
from textual.strip import Strip

from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.live.ink import Ink, line, title
from litemrc.live.panels import message_lines, nothing_yet, padded
from litemrc.live.view import View
from litemrc.pages.heat_map import heat_map
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown

_SHADES = " ░▒▓█"
_MISSING = "?"
_LABELLED = 3  # rows from address to address
_KEPT = 2000  # columns


class HeatPanel:
    """Draws heat maps; a column of each epoch is computed once, as a memory may have many pages."""

    def __init__(self) -> None:
        self._columns: dict[tuple[int, int, int], NDArray[np.float64]] = {}

    def lines(self, view: View, width: int, height: int, ink: Ink) -> list[Strip]:
        """A row for each range of pages, the lowest addresses below; a column for each epoch."""
        parameters = view.parameters
        if parameters and not parameters.accessed:
            return message_lines(
                "the device has no page bitmap, or it is left out (--no-pages)", width, height, ink
            )
        if parameters is None or view.last is None:
            return message_lines(nothing_yet(view), width, height, ink)
        margin = len(f"{parameters.base_address + parameters.frames * parameters.page_bytes:#x}")
        rows = min(height - 3, parameters.frames)
        if rows < 1 or width < margin + 10:
            return padded([], width, height)
        newest = view.last.number
        columns = {
            epoch.number: self._column(epoch, parameters, rows)
            for epoch in view.epochs[-(width - margin - 1) :]
            if epoch.accessed
        }
        numbers = range(max(newest - (width - margin - 2), view.epochs[0].number), newest + 1)
        highest = max((float(shares.max()) for shares in columns.values()), default=0.0)
        lines = [title("heat map", _legend(highest), width, ink)]
        edges = [parameters.frames * row // rows for row in range(rows)]
        for row in reversed(range(rows)):
            address = f"{parameters.base_address + edges[row] * parameters.page_bytes:#x}"
            named = row % _LABELLED == 0
            cells = "".join(
                _sign(columns[number][row], highest) if number in columns else _MISSING for number in numbers
            )
            text = f"{address if named else '':>{margin}}{'┤' if named else '│'}"
            lines.append(line([(text, ink.dim), (cells, ink.series(1))], width))
        lines.append(line([(f"{'':{margin}}└{'─' * len(numbers)}", ink.dim)], width))
        first, last = f"epoch {numbers.start:,}", f"{newest:,}"
        gap = max(len(numbers) - len(first), len(last) + 1)
        lines.append(line([(f"{'':{margin}} {first}{last:>{gap}}", ink.dim)], width))
        return padded(lines, width, height)

    def _column(self, epoch: FeedEpoch, parameters: DeviceParameters, rows: int) -> NDArray[np.float64]:
        """Return the share of the pages accessed in each range of pages."""
        key = epoch.session, epoch.number, rows
        if key not in self._columns:
            if len(self._columns) > _KEPT:
                self._columns.clear()
            self._columns[key] = heat_map(_bitmaps(epoch, parameters), rows, 1).share[:, 0]
        return self._columns[key]


def _bitmaps(epoch: FeedEpoch, parameters: DeviceParameters) -> PageBitmaps:
    assert epoch.accessed
    bits = [np.frombuffer(each, np.uint8)[None] for each in (epoch.accessed.accessed, epoch.accessed.written)]
    return PageBitmaps(
        shown=PagesShown(
            page_bytes=parameters.page_bytes,
            base_address=parameters.base_address,
            ranges=(range(parameters.frames),),
        ),
        epoch=np.array([epoch.number], np.uint32),
        cycles=np.zeros(1, np.uint64),
        accesses=np.zeros(1, np.uint64),
        accessed=bits[0],
        written=bits[1],
    )


def _sign(share: float, highest: float) -> str:
    # The tolerance keeps a share that is exactly on a limit below it.
    return _SHADES[math.ceil(share / highest * (len(_SHADES) - 1) - 1e-9)] if share else _SHADES[0]


def _legend(highest: float) -> str:
    if not highest:
        return "no page was accessed"
    limits = [f"{shade} ≤{highest * (at + 1) / 4:.2g}" for at, shade in enumerate(_SHADES[1:])]
    return f"share of pages: {'  '.join(limits)}"
