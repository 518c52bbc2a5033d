# SPDX-License-Identifier: BSD-2-Clause
"""The programs of the energy tables: captured programs, and generated ones with hot regions and phases."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc.traces import Chunk, Trace, open_trace
from litemrc_studies.zhou2004.machine.chip_references import ChipReferences, read_references
from numpy.typing import NDArray

# Traces of tests/data/traces by name of the program; the first two are the paper's programs of figure 6.
CAPTURED = {"bzip2": "bzip2-900k", "gcc": "gcc", "python": "python", "sort": "sort", "grid": "grid"}
MEMORY = 2_048  # pages of the generated programs of figure 5; the paper: "around 2000"
SEED = 2004
GAP = 100  # cycles
ELSEWHERE = 0.001  # share of references outside the hot region, in the second half of the table


class Pages(Trace):
    """Page numbers in memory as a trace without times."""

    def __init__(self, name: str, pages: NDArray[np.uint64]) -> None:
        super().__init__(name)
        self._pages = pages

    def __iter__(self) -> Iterator[Chunk]:
        yield Chunk(self._pages.astype(np.uint64))


def captured(traces: Path) -> dict[str, ChipReferences]:
    """Return the references of captured programs after their caches; times in instructions."""
    return {name: _read(traces / f"{file}.parquet") for name, file in CAPTURED.items()}


def touched_before(program: ChipReferences) -> ChipReferences:
    """Return a program that first touches each of its pages once, in order of first touch."""
    pages = np.arange(program.footprint_pages, dtype=np.uint32)
    return replace(
        program,
        pages=np.concatenate([pages, program.pages]),
        gaps=np.concatenate([np.full(len(pages), GAP, np.uint64), program.gaps]),
        writes=np.concatenate([np.zeros(len(pages), np.uint8), program.writes]),
    )


def hot_region(memory_pages: int, share: float, references: int, elsewhere: float) -> ChipReferences:
    """Touch all pages once, then the first `share` at random; `elsewhere`: share that goes anywhere."""
    return _of_pages("hot region", _hot(memory_pages, share, references, elsewhere))


def figure5_programs(references: int) -> dict[str, ChipReferences]:
    """Return the generated programs of figure 5."""
    return {
        "hot third": hot_region(MEMORY, 1 / 3, references, 0.0),
        "moving third": _of_pages("moving", _hot(MEMORY, 1 / 3, references, 0.0, moves=6)),
        "zipf 1.0": _read(f"gen:zipf?n={references}&seed={SEED}&pages={MEMORY}&alpha=1.0"),
        "uniform": _read(f"gen:uniform?n={references}&seed={SEED}&pages={MEMORY}"),
    }


def phased_programs(references: int) -> dict[str, ChipReferences]:
    """Return programs of eight phases, each in its own eighth of 4,096 pages."""
    return {
        f"phases: {name}": _of_pages(name, _phases(program, references, **parameters))
        for name, program, parameters in (
            ("uniform", "uniform", {}),
            ("zipf 1.0", "zipf", {"alpha": 1.0}),
            ("lists of 32 pages", "lists", {"length": 32}),
            ("tree look-ups", "intensive", {"fanout": 8}),
            ("loop", "loop", {}),
        )
    }


def _hot(
    memory_pages: int, share: float, references: int, elsewhere: float, moves: int = 1
) -> NDArray[np.uint64]:
    rng = np.random.default_rng(SEED)
    hot = round(memory_pages * share)
    pages = rng.integers(0, hot, references)
    steps = np.arange(references) * moves // references
    pages = (pages + steps * (memory_pages // moves)) % memory_pages
    away = rng.random(references) < elsewhere
    pages[away] = rng.integers(0, memory_pages, int(away.sum()))
    return np.concatenate([np.arange(memory_pages), pages])


def _phases(
    program: str, references: int, phases: int = 8, pages: int = 512, **parameters
) -> NDArray[np.uint64]:
    length = references // phases // 2  # each phase comes twice
    parts = []
    for step in range(2 * phases):
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        url = f"gen:{program}?pages={pages}&n={length}&seed={SEED + step}&{query}"
        with open_trace(url.rstrip("&")) as trace:
            parts.append(np.concatenate([chunk.pages for chunk in trace]) + np.uint64(step % phases * pages))
    return np.concatenate(parts)


def _read(source: Path | str) -> ChipReferences:
    with open_trace(source) as trace:
        return read_references(trace, trace, GAP)


def _of_pages(name: str, pages: NDArray[np.uint64]) -> ChipReferences:
    trace = Pages(name, pages)
    return read_references(trace, trace, GAP)
