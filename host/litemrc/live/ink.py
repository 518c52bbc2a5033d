# SPDX-License-Identifier: BSD-2-Clause
"""Styles and lines of text for panels, and their widget, which writes only the lines that changed.

The palette is colour-blind-safe; colour is never the only cue.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

_BLOCKS = " ▁▂▃▄▅▆▇█"
# Okabe and Ito's palette; where a colour has too little contrast, a darker or lighter one of the same hue.
_ON_DARK = ("#56B4E9", "#E69F00", "#2BC096", "#F0E442", "#E09BC4", "#7FA8FF", "#FF8A3D", "#E0E0E0")
_ON_LIGHT = ("#0072B2", "#8F5F00", "#00704F", "#6B6400", "#9C3F74", "#3B4CC0", "#B34700", "#303030")

STRONG = Style(bold=True)
_ALARM = Style(bold=True, reverse=True)

Part = str | tuple[str, Style]
Draw = Callable[[int, int], list[Strip]]
"""Returns lines for a width and a height."""


@dataclass(frozen=True)
class Ink:
    """Styles of a theme."""

    dark: bool

    def series(self, number: int) -> Style:
        """The colour of the curve of a context; from the ninth on colours repeat."""
        colours = _ON_DARK if self.dark else _ON_LIGHT
        return _coloured(colours[number % len(colours)])

    @property
    def dim(self) -> Style:
        """Of axes and what is not the matter."""
        return _coloured("#9AA5B1" if self.dark else "#5A6470")

    @property
    def strong(self) -> Style:
        """Of titles and values that are looked for."""
        return STRONG

    @property
    def alarm(self) -> Style:
        """Of what is wrong: also without colour."""
        return _ALARM


@cache
def _coloured(colour: str) -> Style:
    return Style(color=colour)


def line(parts: Sequence[Part], width: int) -> Strip:
    """Return a line of exactly `width` cells; what does not fit is cut and marked by an ellipsis."""
    segments = [Segment(*((part, None) if isinstance(part, str) else part)) for part in parts]
    strip = Strip(segments)
    if strip.cell_length > width > 0:
        return Strip.join([strip.crop(0, width - 1), Strip([Segment("…")])])
    return strip.adjust_cell_length(width)


def both_ends(left: Sequence[Part], right: Sequence[Part], width: int) -> Strip:
    """Return a line with parts at both ends; the left one is cut if they do not fit."""
    end = Strip([Segment(*((part, None) if isinstance(part, str) else part)) for part in right])
    return Strip.join([line(left, max(width - end.cell_length, 0)), end]).adjust_cell_length(width)


def title(text: str, note: str, width: int, ink: Ink) -> Strip:
    """Return the first line of a panel: what it shows, and at the right end a note, cut if needed."""
    room = max(width - len(text) - 2, 0)
    noted = note if len(note) <= room else f"{note[: max(room - 1, 0)]}…"
    return both_ends([(text, ink.strong)], [(noted, ink.dim)], width)


def spark(values: Sequence[float], width: int, top: float | None = None) -> str:
    """Return the last `width` values as blocks from 0 to the highest, or to `top`; above 0 is one block."""
    shown = list(values)[-width:] if width > 0 else []
    highest = (max(shown, default=0) if top is None else top) or 1
    blocks = (_BLOCKS[min(max(round(8 * value / highest), int(value > 0)), 8)] for value in shown)
    return "".join(blocks).rjust(width)


def count_text(number: int, width: int = 11) -> str:
    """Return a count with commas, or to four digits where that is too wide."""
    text = f"{number:,}"
    if len(text) <= width:
        return text
    for power, prefix in ((12, "T"), (9, "G"), (6, "M")):
        if number >= 10**power:
            return f"{number / 10**power:.4g}{prefix}"
    return text


class Panel(Widget):
    """Shows lines that `draw` made for its size."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Strip] = []
        self._style = Style()  # before the first draw: a null style

    def show(self, draw: Draw) -> None:
        """Draw, if the panel has a size."""
        width, height = self.size
        if not width or not height:
            return
        lines, style = draw(width, height), self.rich_style
        if len(lines) != len(self._lines) or style != self._style:
            self._lines, self._style = lines, style
            self.refresh()
            return
        changed = [place for place, each in enumerate(lines) if each != self._lines[place]]
        self._lines = lines
        if changed:
            self.refresh(*(Region(0, place, width, 1) for place in changed))

    def render_line(self, y: int) -> Strip:
        """Return a line; Textual calls this."""
        width = self.size.width
        strip = self._lines[y] if y < len(self._lines) else Strip.blank(width)
        return strip.adjust_cell_length(width).apply_style(self._style or self.rich_style)
