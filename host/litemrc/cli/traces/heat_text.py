# SPDX-License-Identifier: BSD-2-Clause
"""A heat map in characters, and as JSON."""

from typing import TextIO

import numpy as np

from litemrc.curves.sizes import size_text
from litemrc.pages.page_bitmaps import HeatMap, PageBitmaps, mean_ns, times_ns

_SHADES = "░▒▓█", ".:+#"
_MISSING = "?"
# Beside a row, a row with a label, a row that begins behind a gap; below the map, above a label, the corner.
_LINES = tuple("│┤╪─┬└"), tuple("||=-++")
_EVERY = 4  # rows from label to label
_MOST_GAPS = 8  # that are labelled
_LABELS = 4  # of the time axis


def is_unicode(stream: TextIO) -> bool:
    """Return whether the encoding of a stream has the characters of a heat map."""
    try:
        (_SHADES[0] + "".join(_LINES[0])).encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def heat_text(drawn: HeatMap, bitmaps: PageBitmaps, columns: int, rows: int, *, unicode: bool) -> str:
    """Return a heat map as lines, with addresses on the left and epochs below.

    Parameters
    ----------
    columns, rows
        characters of the map; cells are repeated to fill them as far as they fit.
    unicode
        false: in ASCII.
    """
    side, labelled, gap, below, tick, corner = _LINES[not unicode]
    wide = max(columns // (drawn.epoch_edges.size - 1), 1)
    high = max(rows // (drawn.page_edges.size - 1), 1)
    addresses = [f"{address:#x}" for address in drawn.shown.addresses(drawn.page_edges[:-1])]
    margin = max(map(len, addresses))
    gaps = _rows_behind_gaps(drawn)
    lines = [_head(drawn, bitmaps)]
    for row in reversed(range(len(addresses))):
        cells = "".join(_sign(share, drawn.highest, unicode) * wide for share in drawn.share[row].tolist())
        named = row % max(_EVERY // high, 1) == 0 or (row in gaps and len(gaps) <= _MOST_GAPS)
        lines += [f"{'':{margin}} {side}{cells}".rstrip()] * (high - 1)
        mark = gap if row in gaps else labelled if named else side
        lines.append(f"{addresses[row] if named else '':>{margin}} {mark}{cells}".rstrip())
    width = wide * (drawn.epoch_edges.size - 1)
    places = sorted({part * width // _LABELS // wide * wide for part in range(_LABELS)})
    axis = "".join(tick if place in places else below for place in range(width))
    lines.append(f"{'':{margin}} {corner}{axis}")
    lines.append(f"{'':{margin}}  {_epoch_labels(drawn, places, wide)}")
    lines.append(_legend(drawn, unicode, bool(gaps), gap))
    return "\n".join(lines)


def _head(drawn: HeatMap, bitmaps: PageBitmaps) -> str:
    shown = drawn.shown
    size, page = (size_text(pages, shown.page_bytes) for pages in (shown.pages, 1))
    parts = f" in {len(shown.ranges):,} ranges" if len(shown.ranges) > 1 else ""
    epochs = bitmaps.epoch.size
    missing = f", {bitmaps.missing_epochs:,} missing" if bitmaps.missing_epochs else ""
    time = f" in {times_ns(bitmaps, 0)[1][-1] / 1e9:.4g} s" if mean_ns(bitmaps) else ""
    runs = f"{epochs:,} epoch{'s' * (epochs != 1)}{time}{missing}"
    return f"{size}, {shown.pages:,} pages of {page}{parts}; {runs}"


def _sign(share: float, highest: float, unicode: bool) -> str:
    if share != share:
        return _MISSING
    shades = _SHADES[not unicode]
    # The tolerance keeps a share that is exactly on a limit below it.
    level = int(np.ceil(share / highest * len(shades) - 1e-9)) if share else 0
    return " " if not level else shades[level - 1]


def _rows_behind_gaps(drawn: HeatMap) -> set[int]:
    """Return the rows in which a range begins, but for the first one."""
    return set((np.searchsorted(drawn.page_edges, drawn.shown.first_bits[1:], side="right") - 1).tolist())


def _epoch_labels(drawn: HeatMap, places: list[int], wide: int) -> str:
    line = ""
    for place in places:
        label = str(int(drawn.epoch_edges[place // wide]))
        if place == 0 or len(line) < place:
            line = f"{line:<{place}}{label}"
    return f"{line}  epoch"


def _legend(drawn: HeatMap, unicode: bool, gaps: bool, gap: str) -> str:
    what = "written" if drawn.written else "accessed"
    shades = _SHADES[not unicode]
    limits = [f"{shade} {drawn.highest * (at + 1) / len(shades):.3g}" for at, shade in enumerate(shades)]
    scale = (
        f"share of pages {what}, up to: {'  '.join(limits)}; blank: 0"
        if drawn.highest
        else f"no page was {what}"
    )
    missing = f"; {_MISSING} no epoch" if np.isnan(drawn.share).any() else ""
    return f"{scale}{missing}{f'; {gap} behind a gap' if gaps else ''}"
