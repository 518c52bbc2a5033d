"""A widget of lines, of which only those that changed are written to the terminal."""

from collections.abc import Callable

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

Draw = Callable[[int, int], list[Strip]]
"""Returns lines for a width and a height."""


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
