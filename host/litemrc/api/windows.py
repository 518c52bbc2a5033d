# SPDX-License-Identifier: BSD-2-Clause
"""Curves of windows of references over one continuing LRU stack."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.api.stacks import EngineParameters
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.engines import Engine

MOST_WINDOWS = 100_000
_PER_OCTAVE = 8  # memory sizes
_OCTAVES = 40
_ROUNDING = 1e-3  # of a count of misses


def for_windows(engine: str, parameters: EngineParameters) -> EngineParameters:
    """Return the parameters of an engine that measures windows: its curves need no confidence band.

    Raises
    ------
    UserError
        an engine by bytes, whose resolution changes as it runs.
    """
    if parameters.get("by", "pages") != "pages":
        raise UserError("windows are measured by pages only", remedy="omit the window, or measure by pages")
    return {**parameters, "band": False} if engine == "shards" else parameters


class WindowedStack:
    """Curves of consecutive windows of references over one continuing LRU stack.

    Counters start at 0 in each window, the stack does not: the first access of a window to a page that was
    accessed before is a hit in a memory that still holds the page. Only first accesses of the whole trace are
    cold misses.

    Parameters
    ----------
    engine
        a new engine.
    window
        references in a window; the last one may have fewer.
    sizes_pages
        memory sizes of the curves; None: 8 in each power of two.

    Raises
    ------
    UserError
        a window below 1 reference.
    """

    def __init__(self, engine: Engine, window: int, sizes_pages: Iterable[int] | None = None) -> None:
        if window < 1:
            raise UserError(
                f"a window must have at least 1 reference (got {window})", remedy="give 1 or more"
            )
        self._engine, self._window = engine, window
        self._sizes = None if sizes_pages is None else np.unique(np.asarray(list(sizes_pages), np.int64))
        self._in_window = 0
        self._accesses = 0
        self._misses = np.zeros(0)
        self._windows: list[tuple[int, NDArray[np.float64]]] = []
        self._largest = self._resolution_pages = 1

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk; sizes are not used.

        Raises
        ------
        UserError
            as the engine, or more than `MOST_WINDOWS` windows.
        """
        array = np.asarray(pages)
        while array.size:
            part, array = np.split(array, [self._window - self._in_window])
            self._engine.access(part)
            self._in_window += part.size
            if self._in_window == self._window:
                self._end_window()

    def _end_window(self) -> None:
        if len(self._windows) == MOST_WINDOWS:
            raise UserError(
                f"the trace has more than {MOST_WINDOWS:,} windows of {self._window:,} references",
                remedy="give a larger window",
            )
        curve = self._engine.curve()
        if self._sizes is None:
            self._sizes = _grid(curve.resolution_pages)
        misses = curve.at_sizes(self._sizes) * curve.accesses
        whole = np.rint(misses)
        misses = np.where(np.abs(misses - whole) < _ROUNDING, whole, misses)  # counts, unless sampled
        before = self._misses if self._misses.size else np.zeros(misses.size)
        self._windows.append((curve.accesses - self._accesses, misses - before))
        self._misses, self._accesses, self._in_window = misses, curve.accesses, 0
        self._largest = int(curve.sizes_pages[-1])
        self._resolution_pages = curve.resolution_pages

    def curves(self, page_bytes: int, *, known_from_pages: int = 1, all_sizes: bool = False) -> list[Curve]:
        """Return the curve of each window, in order, all with the same sizes.

        Parameters
        ----------
        known_from_pages
            smallest memory whose misses are known.
        all_sizes
            keep the sizes beyond the footprint, where curves are flat.
        """
        if self._in_window:
            self._end_window()
        if self._sizes is None:
            return []
        last = int(np.searchsorted(self._sizes, self._largest)) + 1
        kept = self._sizes >= known_from_pages
        kept[self._sizes.size if all_sizes else last :] = False
        return [
            Curve(
                self._sizes[kept],
                np.minimum.accumulate(np.clip(misses[kept] / accesses, 0, 1)),
                accesses,
                max(round(float(misses[kept][-1])), 0),
                page_bytes,
                f"window {number}",
                resolution_pages=self._resolution_pages,
                known_from_pages=known_from_pages if known_from_pages > 1 else 0,
            )
            for number, (accesses, misses) in enumerate(self._windows, 1)
        ]


def _grid(resolution_pages: int) -> NDArray[np.int64]:
    """Return 8 memory sizes for each power of two, at multiples of the resolution."""
    sizes = resolution_pages * 2 ** (np.arange(_OCTAVES * _PER_OCTAVE) / _PER_OCTAVE)
    return np.unique(np.round(sizes / resolution_pages).astype(np.int64)) * resolution_pages
