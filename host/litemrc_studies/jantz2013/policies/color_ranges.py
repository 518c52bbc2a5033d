# SPDX-License-Identifier: BSD-2-Clause
"""Colors on virtual address ranges, changeable at any time (Jantz et al. 2013, section 4.1)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from litemrc.errors import UserError


class ColorRanges:
    """The colors of a process's virtual pages.

    Ranges are half-open, in pages. A later color replaces an earlier one; adjacent ranges of one color merge.
    """

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._colors: list[str] = []

    def paint(self, begin: int, end: int, color: str | None, *, over: bool = True) -> None:
        """Set the color of pages `begin` to `end`, exclusive; None removes the color.

        Parameters
        ----------
        over
            whether pages of another color may be recolored.

        Raises
        ------
        UserError
            an empty range, or pages of another color without `over`.
        """
        if not 0 <= begin < end:
            raise UserError(
                f"pages {begin} to {end} are not a range", remedy="give a begin of 0 or more and a larger end"
            )
        if not over:
            self._refuse_overlap(begin, end, color)
        kept = [
            piece
            for one, two, other in self
            for piece in ((one, min(two, begin), other), (max(one, end), two, other))
            if piece[0] < piece[1]
        ]
        if color is not None:
            kept.append((begin, end, color))
        self._set(sorted(kept))

    def color(self, page: int) -> str | None:
        """Return the color of a page; None: it has none."""
        at = bisect_right(self._begins, page) - 1
        return self._colors[at] if at >= 0 and page < self._ends[at] else None

    def within(self, begin: int, end: int) -> Iterator[tuple[int, int, str | None]]:
        """Yield consecutive ranges of one color (or None) that cover `begin` to `end`."""
        page = begin
        at = bisect_right(self._ends, begin)
        while page < end:
            if at == len(self._begins) or self._begins[at] >= end:
                yield page, end, None
                return
            if page < self._begins[at]:
                yield page, self._begins[at], None
                page = self._begins[at]
            yield page, min(end, self._ends[at]), self._colors[at]
            page = self._ends[at]
            at += 1

    def pages(self, color: str) -> int:
        """Return the number of pages of this color."""
        return sum(end - begin for begin, end, other in self if other == color)

    def __iter__(self) -> Iterator[tuple[int, int, str]]:
        return iter(list(zip(self._begins, self._ends, self._colors, strict=True)))

    def _refuse_overlap(self, begin: int, end: int, color: str | None) -> None:
        at = bisect_right(self._ends, begin)
        last = bisect_left(self._begins, end)
        for one, two, other in zip(
            self._begins[at:last], self._ends[at:last], self._colors[at:last], strict=True
        ):
            if other != color:
                raise UserError(
                    f"pages {max(begin, one)} to {min(end, two)} already have color {other}, not {color}",
                    remedy="ranges of different colors must not overlap",
                )

    def _set(self, pieces: list[tuple[int, int, str]]) -> None:
        self._begins, self._ends, self._colors = [], [], []
        for begin, end, color in pieces:
            if self._ends and self._ends[-1] == begin and self._colors[-1] == color:
                self._ends[-1] = end
            else:
                self._begins.append(begin)
                self._ends.append(end)
                self._colors.append(color)
