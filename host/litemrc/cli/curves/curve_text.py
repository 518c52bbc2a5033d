"""Curves as JSON and CSV, in pieces: the text of a curve takes ten times the memory of its numbers."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.cli.shared.results import csv_text
from litemrc.curves.curve import Curve

_PIECE = 4096  # numbers formatted at once


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

    Parameters:
        further: keys of each curve; or empty.
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

    Raises:
        UserError: a size whose miss ratio is unknown or not resolved.
    """
    sizes = np.asarray(sizes_pages, np.int64)
    at = np.searchsorted(curve.sizes_pages, sizes, side="right")
    low, high = (None if limit is None else np.append(1.0, limit)[at] for limit in (curve.low, curve.high))
    return replace(curve, sizes_pages=sizes, miss_ratio=curve.at_sizes(sizes), low=low, high=high)
