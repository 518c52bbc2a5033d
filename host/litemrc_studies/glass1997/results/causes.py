# SPDX-License-Identifier: BSD-2-Clause
"""Why SEQ is better or worse than LRU: part of `make results-glass1997`.

Tests: how soon its victims fault again; `implicit` without the holes in its sweeps; `gnuplot` without the
pages of its start and end.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from litemrc.traces import Chunk
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Lru, OnlinePolicy, Opt, Seq
from litemrc_studies.glass1997.results.programs import (
    OF_PAPER,
    PROGRAMS,
    Program,
    fault_log,
    opened,
    pages_of,
)
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, markdown, page_parser

STEADY = 200_000_000  # instructions, after which all steps fault alike
REGION = 100  # pages: a smaller piece is no region
CASES: tuple[tuple[str, OnlinePolicy, float, bool], ...] = (
    ("SEQ in 50 % of the pages", Seq(), 0.5, True),
    ("SEQ in 70 %", Seq(), 0.7, True),
    ("SEQ in 85 %", Seq(), 0.85, True),
    ("SEQ in 70 %, L = M = 10", Seq(length=10, distance=10), 0.7, True),
    ("SEQ in 70 %, L = M = 30", Seq(length=30, distance=30), 0.7, True),
    ("SEQ in 70 %, without the holes", Seq(), 0.7, False),
    ("LRU in 70 %", Lru(), 0.7, True),
)
PROGRAM = OF_PAPER["applu"]
SHARES = (1 / 4, 1 / 2, 3 / 4)  # of the pages
FILLED = 80_000_000  # instructions after which all arrays are filled, and only interior rows are swept
STARTED = 60_000_000  # instructions after which gnuplot reads its data
ENDING = 565_000_000  # instructions after which it only leaves
START_MIB = (5, 7, 9)
APART = 1_000  # pages between two arrays
HOLE = 20  # pages: a larger one lies between arrays


def places() -> str:
    """Return a table for figure 7: applu's faults by the quarters of a region."""
    with opened(PROGRAM) as trace:
        holed = list(trace)
    swept = swept_pages(holed, FILLED)
    flat = list(without_holes(holed, swept))
    rows = []
    for name, policy, share, holes in CASES:
        chunks = holed if holes else flat
        found = _places(chunks, swept if holes else pages_of(flat), policy, share)
        quarters = np.histogram(found, bins=4, range=(0, 1))[0] / found.size
        rows.append(
            [name, *(f"{100 * each:.0f} %" for each in (quarters[0], quarters[1:3].sum(), quarters[3]))]
        )
    return markdown(["faults, not cold", "lowest quarter", "middle half", "highest quarter"], rows)


def _places(
    chunks: Sequence[Chunk], swept: NDArray[np.uint64], policy: OnlinePolicy, share: float
) -> NDArray[np.float64]:
    """Return the place of each fault in its region, from 0 to 1."""
    size = round(share * pages_of(chunks).size)
    with opened(PROGRAM) as trace:
        for _ in trace:
            pass  # its minimum is known at its end
        log = fault_log(trace, chunks, policy, size)
    pages = log.pages[~log.cold & (log.times > STEADY)].astype(np.float64)
    parts = np.split(swept, np.flatnonzero(np.diff(swept) > HOLE) + 1)
    regions = [(float(part[0]), float(part[-1])) for part in parts if part.size > REGION]
    return np.concatenate(
        [(pages[(pages >= low) & (pages <= high)] - low) / (high - low) for low, high in regions]
    )


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    print(f"{PROGRAM.title} without holes; victims of all programs; start of gnuplot", flush=True)
    fill_tables(docs / "page.md", {"holes": _holes(), "victims": _victims(), "start": _start()})


def _start() -> str:
    """Return a table: `gnuplot` with and without the pages that only its start refers to."""
    program = OF_PAPER["gnuplot"]
    with opened(program) as trace:
        chunks = list(trace)
    later = swept_pages(chunks, STARTED, ENDING)
    rows = []
    for mib in START_MIB:
        cells = [f"{mib} MiB"]
        for changed in (chunks, [_only(chunk, later) for chunk in chunks]):
            lru, opt, seq = _faults(program, changed, mib * 256)
            cells += [f"{lru:,}", f"{opt:,}", f"{seq:,}", f"{seq / lru:.2f}" if lru else "-"]
        rows.append(cells)
    heads = ["LRU", "OPT", "SEQ", "SEQ / LRU"]
    return markdown(["memory", *heads, *(f"no start: {head}" for head in heads)], rows)


def _only(chunk: Chunk, pages: NDArray[np.uint64]) -> Chunk:
    kept = np.isin(chunk.pages, pages)
    return Chunk(chunk.pages[kept], times=times(chunk)[kept])


def _victims() -> str:
    """Return a table: victims of SEQ in half of the pages by origin, and when they fault again."""
    heads = ["program (of the paper)", "victims from sequences", "of LRU", "faulted again: from sequences"]
    heads += ["of LRU", "after M instructions: from sequences", "of LRU"]
    rows = []
    for program in PROGRAMS:
        log = _log(program)
        waits = waits_of(log)
        counts = [np.count_nonzero(log.evicts & (log.from_sequence == origin)) for origin in (True, False)]
        shares = [
            f"{100 * waits[origin].size / count:.0f} %" if count else "-"
            for origin, count in zip((True, False), counts, strict=True)
        ]
        medians = [
            f"{np.median(waits[origin]) / 1e6:,.0f}" if waits[origin].size else "-"
            for origin in (True, False)
        ]
        rows.append([program.title, *(f"{count:,}" for count in counts), *shares, *medians])
    return markdown(heads, rows)


def _log(program: Program) -> FaultLog:
    """Return the faults of a program under SEQ in half of its pages."""
    with opened(program) as trace:
        size = max(pages_of(trace).size // 2, trace.minimum_pages)
    with opened(program) as trace:
        return fault_log(trace, trace, Seq(), size)


def waits_of(log: FaultLog) -> dict[bool, NDArray[np.int64]]:
    """Return the times from evictions to the next faults on the pages, by `from_sequence`."""
    evicted: dict[int, tuple[int, bool]] = {}
    waits: dict[bool, list[int]] = {True: [], False: []}
    columns = (log.times, log.pages, log.evicts, log.victims, log.from_sequence)
    for time, page, evicts, victim, origin in zip(*(column.tolist() for column in columns), strict=True):
        if page in evicted:
            then, from_sequence = evicted.pop(page)
            waits[from_sequence].append(time - then)
        if evicts:
            evicted[victim] = (time, origin)
    return {origin: np.array(values, dtype=np.int64) for origin, values in waits.items()}


def _holes() -> str:
    with opened(PROGRAM) as trace:
        chunks = list(trace)
    swept = swept_pages(chunks, FILLED)
    rows = []
    for share in SHARES:
        size = round(share * swept.size)
        cells = [f"{size:,}"]
        for changed in (chunks, list(without_holes(chunks, swept))):
            lru, opt, seq = _faults(PROGRAM, changed, size)
            cells += [f"{lru:,}", f"{opt:,}", f"{seq:,}", f"{seq / lru:.2f}"]
        rows.append(cells)
    heads = ["memory in pages", "LRU", "OPT", "SEQ", "SEQ / LRU"]
    return markdown([*heads, *(f"no holes: {head}" for head in heads[1:])], rows)


def swept_pages(chunks: Sequence[Chunk], after: int, before: int = 1 << 60) -> NDArray[np.uint64]:
    """Return the pages that are referred to between two times."""
    marks = ((times(chunk) > after) & (times(chunk) < before) for chunk in chunks)
    return np.unique(np.concatenate([chunk.pages[mark] for chunk, mark in zip(chunks, marks, strict=True)]))


def without_holes(chunks: Sequence[Chunk], swept: NDArray[np.uint64]) -> Iterator[Chunk]:
    """Yield the references to the swept pages, numbered so that an array's pages follow one another."""
    arrays = np.concatenate([[0], np.cumsum(np.diff(swept) > HOLE)])
    numbers = (np.arange(swept.size) + APART * arrays).astype(np.uint64)
    for chunk in chunks:
        kept = np.isin(chunk.pages, swept)
        yield Chunk(numbers[np.searchsorted(swept, chunk.pages[kept])], times=times(chunk)[kept])


def times(chunk: Chunk) -> NDArray[np.uint64]:
    assert chunk.times is not None, "IN/OUT records have times"
    return chunk.times


def _faults(program: Program, chunks: Sequence[Chunk], size: int) -> list[int]:
    with opened(program) as trace:
        for _ in trace:
            pass  # its minimum is known at its end
        counts = replay(trace, chunks, [Lru(), Opt(), Seq()], [size]).counts
    return [count.faults - count.cold_faults for count in counts]


if __name__ == "__main__":
    main()
