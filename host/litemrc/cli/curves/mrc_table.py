# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves as tables, JSON and CSV.

JSON and CSV are made in pieces: the text of a curve takes ten times the memory of its numbers.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.cli.shared.results import csv_text
from litemrc.curves.curve import Curve
from litemrc.curves.sizes import size_text

_MOST_COLUMNS = 8  # of a table of windows
_PIECE = 4096  # numbers formatted at once


def mrc_table(curves: Sequence[Curve], *, all_sizes: bool) -> Iterator[str]:
    """Yield lines: the counts of each curve, then the miss ratios at the powers of two and the last size.

    Parameters
    ----------
    all_sizes
        all sizes of the curves instead.
    """
    several = len(curves) > 1
    for curve in curves:
        name = f"{curve.name}: " if several else ""
        yield f"{name}{curve.accesses:,} accesses, {curve.misses:,} cold misses"
    page_bytes = {curve.page_bytes for curve in curves}
    unit = page_bytes.pop() if len(page_bytes) == 1 else 1
    rows = sorted({size for curve in curves for size in _rows(curve, unit, all_sizes=all_sizes)})
    if not rows:
        return
    columns = [_column(curve, unit, rows) for curve in curves]
    names = [curve.name if several else "miss ratio" for curve in curves]
    if not several and curves[0].low is not None and curves[0].high is not None:
        names.append("95 % band")
        columns.append(_band(curves[0], rows))
    if unit > 1:
        names.insert(0, "pages")
        columns.insert(0, [f"{row:,}" for row in rows])
    names.insert(0 if unit == 1 else 1, "memory")
    columns.insert(0 if unit == 1 else 1, [size_text(row, unit) for row in rows])
    widths = [max(12, *map(len, (name, *column))) for name, column in zip(names, columns, strict=True)]
    for line in (names, *zip(*columns, strict=True)):
        yield " ".join(f"{text:>{width}}" for text, width in zip(line, widths, strict=True))


def _rows(curve: Curve, unit: int, *, all_sizes: bool) -> list[int]:
    """Return the sizes to show, in units of n bytes."""
    sizes = curve.sizes_pages[_shown(curve, all_sizes=all_sizes)]
    return [int(size) * curve.page_bytes // unit for size in sizes]


def _shown(curve: Curve, *, all_sizes: bool) -> NDArray[np.int64]:
    """Return the indices of the sizes to show: powers of two up to the largest size, and that; or all."""
    sizes = curve.sizes_pages
    if all_sizes or not sizes.size:
        return np.arange(sizes.size)
    targets = 2 ** np.arange(int(sizes[-1]).bit_length())
    return np.unique([*np.searchsorted(sizes, targets), sizes.size - 1])


def mrc_rows(
    curves: Sequence[Curve], tracked: Sequence[Mapping[str, float]], *, all_sizes: bool
) -> Iterator[dict[str, Any]]:
    """Yield a row for each curve and size to show, with the names of --csv and --json.

    Parameters
    ----------
    tracked
        further columns of each curve; or empty.
    all_sizes
        all sizes of the curves instead.
    """
    for curve, further in zip(curves, chain(tracked, repeat({})), strict=False):
        facts = {"name": curve.name, "accesses": curve.accesses, "cold_misses": curve.misses, **further}
        shown = _shown(curve, all_sizes=all_sizes)
        columns = {name: values[shown].tolist() for name, values in curve.columns().items()}
        for row in zip(*columns.values(), strict=True):
            yield facts | dict(zip(columns, row, strict=True))


def _column(curve: Curve, unit: int, rows: Sequence[int]) -> list[str]:
    first = int(curve.sizes_pages[0]) * curve.page_bytes if curve.sizes_pages.size else 1 << 62
    return [f"{curve.at(bytes=row * unit):.6f}" if row * unit >= first else "-" for row in rows]


def _band(curve: Curve, rows: Sequence[int]) -> list[str]:
    at = np.searchsorted(curve.sizes_pages, rows, side="right") - 1
    low, high = curve.columns()["miss_ratio_low"], curve.columns()["miss_ratio_high"]
    return [f"{low[i]:.4f}..{high[i]:.4f}" for i in at]


def window_table(curves: Sequence[Curve], *, all_sizes: bool) -> Iterator[str]:
    """Yield a line for each window: its first reference, its accesses and the miss ratios at some sizes.

    Parameters
    ----------
    all_sizes
        all sizes of the curves instead.
    """
    sizes, page_bytes = curves[0].sizes_pages, curves[0].page_bytes
    shown = np.arange(sizes.size)
    if not all_sizes and sizes.size > _MOST_COLUMNS:
        octaves = np.log2(sizes[-1] / sizes[0])
        step = int(np.ceil(octaves / (_MOST_COLUMNS - 1)))
        powers = sizes[0] * 2 ** np.arange(0, octaves, step)  # the first size, times powers of two
        shown = np.append(np.searchsorted(sizes, powers), sizes.size - 1)
    yield "miss ratios by memory size; the LRU stack continues from window to window"
    heads = [size_text(int(size), page_bytes) for size in sizes[shown]]
    yield f"{'from':>14} {'accesses':>12} " + " ".join(f"{head:>10}" for head in heads)
    start = 0
    for curve in curves:
        ratios = " ".join(f"{ratio:>10.4f}" for ratio in curve.miss_ratio[shown])
        yield f"{start:>14,} {curve.accesses:>12,} {ratios}"
        start += curve.accesses


def write(pieces: Iterable[str]) -> None:
    """Print the pieces and flush them: what fails later loses none of them."""
    for piece in pieces:
        sys.stdout.write(piece)
    sys.stdout.flush()


def json_pieces(curve: Curve, **further: object) -> Iterator[str]:
    """Yield one object, which `litemrc.read` reads; `further` keys come first."""
    facts = {
        **({"name": curve.name} if curve.name else {}),
        **further,
        "accesses": curve.accesses,
        "cold_misses": curve.misses,
        "page_bytes": curve.page_bytes,
        "resolution_pages": curve.resolution_pages,
    }
    if curve.known_from_pages:
        facts["known_from_pages"] = curve.known_from_pages
    yield json.dumps(facts, allow_nan=False)[:-1]
    arrays = curve.columns()
    del arrays["memory_bytes"]
    for name, array in arrays.items():
        yield f', "{"sizes_pages" if name == "pages" else name}": ['
        yield from _numbers(array)
        yield "]"
    yield "}"


def json_document(
    curves: Sequence[Curve],
    further: Sequence[Mapping[str, object]],
    *,
    single: bool,
    interrupted: bool,
) -> Iterator[str]:
    """Yield the object of --json: the curve if it is a `single` one, or "curves".

    Parameters
    ----------
    further
        keys of each curve; or empty.
    """
    keys = further or [{}] * len(curves)
    state = {"interrupted": interrupted}
    if single:
        yield from json_pieces(curves[0], **state, **keys[0])
    else:
        yield json.dumps(state)[:-1] + ', "curves": ['
        for number, curve in enumerate(curves):
            yield ", " if number else ""
            yield from json_pieces(curve, **keys[number])
        yield "]}"
    yield "\n"


def csv_pieces(curves: Sequence[Curve]) -> Iterator[str]:
    """Yield a header, and a row for each curve and size: name, pages, memory_bytes, miss_ratio, band."""
    banded = any(curve.low is not None for curve in curves)
    header = ["name", "pages", "memory_bytes", "miss_ratio"]
    header += ["miss_ratio_low", "miss_ratio_high"] if banded else []
    yield ",".join(header) + "\n"
    for curve in curves:
        columns = curve.columns()
        for start in range(0, curve.sizes_pages.size, _PIECE):
            values = [columns[name][start : start + _PIECE].tolist() for name in columns]
            rows = [dict(zip(header, (curve.name, *row), strict=False)) for row in zip(*values, strict=True)]
            yield csv_text([dict.fromkeys(header), *rows]).split("\n", 2)[2] + "\n"


def _numbers(array: NDArray[Any]) -> Iterator[str]:
    for start in range(0, array.size, _PIECE):
        text = json.dumps(array[start : start + _PIECE].tolist(), allow_nan=False)[1:-1]
        yield f", {text}" if start else text


def only(curve: Curve, sizes_pages: Sequence[int]) -> Curve:
    """Return the curve at these sizes, which rise.

    Raises
    ------
    UserError
        a size whose miss ratio is unknown or not resolved.
    """
    sizes = np.asarray(sizes_pages, np.int64)
    at = np.searchsorted(curve.sizes_pages, sizes, side="right")
    low, high = (None if limit is None else np.append(1.0, limit)[at] for limit in (curve.low, curve.high))
    return replace(curve, sizes_pages=sizes, miss_ratio=curve.exactly_at(sizes), low=low, high=high)
