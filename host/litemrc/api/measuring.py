# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.mrc`, `mrc_by_context`, `mrc_windows`: the miss-ratio curves of page references."""

from __future__ import annotations  # help() shows the names of types, not what numpy makes of them

from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

from litemrc.api.engines import EngineChoice, named_engine
from litemrc.api.sources import References, Source
from litemrc.api.stacks import (
    Context,
    ContextStacks,
    EngineParameters,
    curves_of,
    frames_for,
    has_frames,
    lacks_tracker_sizes,
    with_tracker_sizes,
)
from litemrc.api.windows import WindowedStack, for_windows
from litemrc.curves.curve import Curve, Curves
from litemrc.errors import UserError
from litemrc.native.engines import Engine, make_engine


def mrc(
    source: Source,
    engine: str | EngineChoice = "exact",
    page_bytes: int | None = None,
    *,
    context: int | str | None = None,
    by: str = "pages",
    threads: int | None = None,
    sample_rate: float | None = None,
    sample_pages: int | None = None,
    band: bool | None = None,
    frames: int | None = None,
    groups: int | None = None,
    scan_list: int | None = None,
    period: int | None = None,
    group_pages: int | None = None,
    seen_only: bool | None = None,
) -> Curve:
    """Measure the miss-ratio curve of page references under LRU.

    Parameters
    ----------
    source
        page numbers, oldest first: a list, an array or any iterable of integers; chunks of them, each
        an array, a list or a `Chunk`; a trace file; or a generator's URL such as "gen:zipf?n=100000".
    engine
        `Exact` (LRU stack distances), `Group` or `Bucket` (the engines of the hardware), `Shards`
        (exact distances among a sample of the pages) or `OsTracker` (protection faults and accessed
        bits), with parameters of its own; or a name, "exact", "group", "bucket", "shards" or "os", with
        parameters among the following ones.
    page_bytes
        bytes of a page, a power of two; None: those of the file, 4096 if it does not have them.
        Addresses in a file are divided by it.
    context
        number of a context: only accesses to its pages; a page belongs to the context that first
        accessed it, as in the monitor. "all": one LRU stack for all contexts. None: the only context;
        a source with several is refused (see `mrc_by_context`).
    by
        "bytes": objects have the sizes of the source (exact only): the curve is over bytes, its pages
        have 1 byte. "pages": each counts as one page.
    threads
        of exact: cores to use.
    sample_rate, sample_pages
        of shards: share of the pages that are followed, or their largest number.
    band
        of shards: False: without the confidence band, which takes about twice the work on the sample.
    frames, groups
        of group and bucket: size of the memory in pages, number of page groups. frames None:
        the smallest size that holds all pages, which are counted first.
    scan_list, period, group_pages
        of os: pages that are scanned, accesses between scans, resolution.
    seen_only
        of os: True: the curve of the accesses that the tracker sees, as in the paper.

    Raises
    ------
    UserError
        no reference, no page numbers, a damaged trace, a parameter the engine does not have, a
        page size other than that of the file, or several contexts.

    Warns
    -----
    UserWarning
        what the reader of a trace file left out or assumed.
    """
    references = References(source, page_bytes)
    parameters: EngineParameters = {
        "by": by,
        "threads": threads,
        "sample_rate": sample_rate,
        "sample_pages": sample_pages,
        "band": band,
        "frames": frames,
        "groups": groups,
        "scan_list": scan_list,
        "period": period,
        "group_pages": group_pages,
        "seen_only": seen_only,
    }
    found = _by_context(references, engine, _context(context), parameters)
    if len(found) > 1:
        raise UserError(
            f"the references are of contexts {', '.join(str(number) for number in found)}",
            where=references.where,
            remedy='give context=N, or context="all" for one LRU stack, or call litemrc.mrc_by_context',
        )
    ((number, curve),) = found.items()
    return curve if number is not None and context is not None else replace(curve, name=references.name)


def mrc_by_context(
    source: Source,
    engine: str | EngineChoice = "exact",
    page_bytes: int | None = None,
    **parameters: Unpack[EngineParameters],
) -> Curves:
    """Measure a curve for each context of a source; the parameters and exceptions are those of `mrc`.

    A page belongs to the context that first accessed it, as in the monitor. Without contexts there is one
    curve, with the name of the source.
    """
    references = References(source, page_bytes)
    found = _by_context(references, engine, "each", parameters)
    return Curves(replace(each, name=each.name or references.name) for each in found.values())


def mrc_windows(
    source: Source,
    window: int,
    engine: str | EngineChoice = "exact",
    page_bytes: int | None = None,
    **parameters: Unpack[EngineParameters],
) -> Curves:
    """Measure a curve for each window of `window` references over one continuing LRU stack.

    Counters start at 0 in each window, the stack does not: the first access of a window to a page that was
    accessed before is no cold miss. All curves have the same sizes, 8 in each power of two, and no
    confidence band. The other parameters and the exceptions are those of `mrc`.
    """
    references = References(source, page_bytes)
    name, named = named_engine(engine, parameters)
    make = _maker(references, name, for_windows(name, named))
    stack = WindowedStack(make(), window)
    for chunk in references:
        stack.access(chunk.pages)
    found = stack.curves(references.page_bytes, known_from_pages=references.known_from_pages)
    if not found:
        raise _nothing(references)
    return Curves(found)


def _by_context(
    references: References, engine: str | EngineChoice, context: Context, parameters: EngineParameters
) -> dict[int | None, Curve]:
    stacks = ContextStacks(_maker(references, *named_engine(engine, parameters)), context)
    for chunk in references:
        stacks.access(chunk)
    found = curves_of(stacks, references.page_bytes)
    if not any(curve.accesses for curve in found.values()):
        raise _nothing(references)
    known_from = references.known_from_pages
    return {
        number: curve if known_from == 1 else curve.without_sizes_below(known_from)
        for number, curve in found.items()
    }


def _maker(references: References, name: str, parameters: EngineParameters) -> Callable[[], Engine]:
    """Return a function that makes engines, and check their parameters."""
    if has_frames(name) and parameters.get("frames") is None:
        make_engine(name, **parameters)  # checks the other parameters before the pages are counted
        frames = frames_for(references.count_pages(), parameters.get("groups"), references.where)
        parameters = {**parameters, "frames": frames}
    else:
        make_engine(name, **parameters)
        if lacks_tracker_sizes(name, parameters) and references.can_be_read_again:
            parameters = with_tracker_sizes(parameters, references.count_pages())
    return lambda: make_engine(name, **parameters)


def _context(context: int | str | None) -> Context:
    if context is None:
        return "each"
    if context == "all":
        return "all"
    if isinstance(context, int) and context >= 0:
        return context
    raise UserError(
        f'context must be a number, "all" or None (got {context!r})',
        where="litemrc.mrc",
        remedy="give the number of a context",
    )


def _nothing(references: References) -> UserError:
    return UserError(
        "there is no reference to measure",
        where=references.where,
        remedy="give at least one page",
    )
