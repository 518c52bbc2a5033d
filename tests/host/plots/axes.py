# SPDX-License-Identifier: BSD-2-Clause
"""Promises of every picture: data within the axes, text within the picture, distinguishable lines."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from numpy.typing import NDArray

_TOLERANCE = 1.5  # pixels: half a line's width


def assert_sound(figure: Figure) -> None:
    """Assert that nothing leaves its frame and that no two lines look like one."""
    assert leaving(figure) == []
    assert indistinct(figure) == []


def leaving(figure: Figure) -> list[str]:
    """Return what lies outside: data outside their axes, texts outside the picture."""
    figure.draw_without_rendering()
    found = []
    for axes in _shown(figure):
        box = axes.get_window_extent()
        low = np.array([box.x0, box.y0]) - _TOLERANCE
        high = np.array([box.x1, box.y1]) + _TOLERANCE
        for artist, points in _data(axes):
            outside = ((points < low) | (points > high)).any(axis=1)
            if outside.any():
                data = axes.transData.inverted().transform(points[outside][:1])[0]
                found.append(f"{_name(axes)}: {_name(artist)} at {data.tolist()}")
    picture = figure.bbox.padded(_TOLERANCE)
    unused = _unused_tick_labels(figure)
    for text in _texts(figure):
        if text.get_text().strip() and _visible(text) and text not in unused:
            box = text.get_window_extent()
            if box.x0 < picture.x0 or box.y0 < picture.y0 or box.x1 > picture.x1 or box.y1 > picture.y1:
                found.append(f"text {text.get_text()!r}")
    return found


def indistinct(figure: Figure) -> list[str]:
    """Return pairs of lines that share all points and look alike: the later one hides the earlier one.

    Lines of equal points differ in style, marker or width (the wider one below).
    """
    found = []
    for axes in _shown(figure):
        lines = [line for line in axes.lines if line.get_visible() and len(line.get_xydata())]
        for below, above in combinations(sorted(lines, key=lambda line: line.get_zorder()), 2):
            same = np.array_equal(_path(below), _path(above), equal_nan=True)
            if same and _style(below) == _style(above) and below.get_linewidth() <= above.get_linewidth():
                found.append(f"{_name(axes)}: {_name(below)} under {_name(above)}")
    return found


def _unused_tick_labels(figure: Figure) -> set[Artist]:
    """Return the labels of ticks beyond the ends of their axis, which matplotlib keeps but does not draw."""
    labels: set[Artist] = set()
    for axes in _shown(figure):
        for axis in (axes.xaxis, axes.yaxis):
            drawn = axis._update_ticks()
            ticks = (*axis.get_major_ticks(), *axis.get_minor_ticks())
            labels.update(
                tick_label for tick in ticks if tick not in drawn for tick_label in (tick.label1, tick.label2)
            )
    return labels


def _shown(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


def _data(axes: Axes) -> Iterator[tuple[Artist, NDArray[np.float64]]]:
    """Yield each artist with the points of the picture, float64[n, 2], that its data lie at."""
    for artist in (*axes.lines, *axes.patches, *axes.collections):
        if not _visible(artist):
            continue
        if isinstance(artist, Line2D) and artist.get_transform() == axes.transData:
            points = axes.transData.transform(_path(artist))
        elif isinstance(artist, Patch) and axes.transData in _parents(artist):
            points = artist.get_transform().transform(artist.get_path().vertices)
        elif isinstance(artist, PolyCollection) and artist.get_transform() == axes.transData:
            paths = [path.vertices for path in artist.get_paths()]
            points = axes.transData.transform(np.concatenate(paths)) if paths else np.empty((0, 2))
        elif hasattr(artist, "get_offsets") and artist.get_offset_transform() == axes.transData:
            points = axes.transData.transform(np.ma.filled(artist.get_offsets().astype(float), np.nan))
        else:
            continue
        points = points[np.isfinite(points).all(axis=1)]
        if len(points):
            yield artist, points


def _texts(figure: Figure) -> set[Text]:
    """Return the texts of the picture, without the labels of ticks outside their axis."""
    texts = set(figure.findobj(Text))
    for axis in figure.findobj(Axis):
        drawn = axis._update_ticks()
        texts -= {label for tick in axis.get_major_ticks() for label in (tick.label1, tick.label2)}
        texts |= {label for tick in drawn for label in (tick.label1, tick.label2)}
    return texts


def _parents(artist: Artist) -> tuple[object, ...]:
    transform = artist.get_transform()
    return (transform, getattr(transform, "_b", None))


def _path(line: Line2D) -> NDArray[np.float64]:
    return np.asarray(line.get_xydata(), dtype=float)


def _style(line: Line2D) -> tuple[object, ...]:
    marked = line.get_marker() not in ("", " ", "None", None)
    return line._unscaled_dash_pattern, line.get_marker() if marked else None


def _visible(artist: Artist) -> bool:
    axes = artist.axes
    return artist.get_visible() and (axes is None or axes.get_visible())


def _name(artist: Artist) -> str:
    if isinstance(artist, Axes):
        return f"axes {artist.get_title() or artist.get_ylabel() or artist.get_label()!r}"
    return f"{type(artist).__name__} {artist.get_label()!r}"
