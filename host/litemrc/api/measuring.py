"""`litemrc.mrc`: the miss-ratio curve of page references."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native.engines import make_engine
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.opening import open_trace


def mrc(
    source: str | PathLike[str] | ArrayLike | Iterable[ArrayLike | Chunk],
    engine: str = "exact",
    page_bytes: int | None = None,
    *,
    threads: int | None = None,
    sample_rate: float | None = None,
    sample_pages: int | None = None,
    frames: int | None = None,
    groups: int | None = None,
) -> Curve:
    """Measure the miss-ratio curve of page references under LRU.

    Parameters:
        source: page numbers, oldest first: a list, an array or any iterable of integers; chunks of them, each
            an array, a list or a `Chunk`; a trace file; or a generator's URL such as "gen:zipf?n=100000".
        engine: "exact" (LRU stack distances), "group" or "bucket" (the engines of the hardware), "shards"
            (exact distances among a sample of the pages).
        page_bytes: bytes of a page, a power of two; None: those of the file, 4096 if it does not have them.
            Addresses in a file are divided by it.
        threads: of exact: cores to use.
        sample_rate, sample_pages: of shards: share of the pages that are followed, or their largest number.
        frames, groups: of group and bucket: size of the memory in pages, number of page groups.

    Raises:
        UserError: no reference, no page numbers, a damaged trace, a parameter the engine does not have, or a
            page size other than that of the file.

    Warns:
        UserWarning: what the reader of a trace file left out or assumed.
    """
    if page_bytes is not None and (page_bytes < 1 or page_bytes & (page_bytes - 1)):
        raise UserError(f"page_bytes must be a power of two (got {page_bytes})", where="litemrc.mrc")
    measuring = make_engine(
        engine,
        threads=threads,
        sample_rate=sample_rate,
        sample_pages=sample_pages,
        frames=frames,
        groups=groups,
    )
    name, known_from = "", 1
    if isinstance(source, str | PathLike):
        name = fspath(source)
        with open_trace(name, page_bytes=page_bytes) as trace:
            page_bytes = trace.page_bytes
            for chunk in trace:
                measuring.access(chunk.pages)
        known_from = trace.minimum_pages
        for note in trace.notes:
            warnings.warn(f"{name}: {note}", stacklevel=2)
    else:
        for pages in _chunks(source):
            measuring.access(pages)
    curve = replace(measuring.curve(page_bytes or PAGE_BYTES), name=name)
    if not curve.accesses:
        raise UserError(
            "there is no reference to measure", where=name or "litemrc.mrc", remedy="give at least one page"
        )
    return curve if known_from == 1 else curve.from_size(known_from)


def _chunks(source: Any) -> Iterator[ArrayLike]:
    """Cut into chunks what may be one array, many numbers or chunks already."""
    if hasattr(source, "__array__"):
        yield _whole(source)
        return
    if isinstance(source, list | tuple) and source and np.isscalar(source[0]):
        yield _whole(source)
        return
    if not isinstance(source, Iterable):
        raise UserError(
            f"{type(source).__name__} is not a source of page numbers",
            where="litemrc.mrc",
            remedy="give a list, an array, an iterable of arrays, a trace file or a gen: URL",
        )
    numbers: list[int] = []
    for item in source:
        if isinstance(item, int | np.integer):
            numbers.append(int(item))
            if len(numbers) < CHUNK_REFERENCES:
                continue
        elif numbers:
            raise UserError(
                "page numbers and chunks of them are mixed", where="litemrc.mrc", remedy="give one of the two"
            )
        else:
            yield item.pages if isinstance(item, Chunk) else np.atleast_1d(_whole(item))
            continue
        yield _whole(numbers)
        numbers = []
    yield _whole(numbers)


def _whole(pages: Any) -> NDArray[Any]:
    """One array of page numbers; the engine checks their type and range."""
    try:
        return np.asarray(pages)
    except (ValueError, OverflowError) as error:
        raise UserError(
            f"not an array of page numbers: {error}",
            where="litemrc.mrc",
            remedy="give integers from 0 to 2^64-1",
        ) from error
