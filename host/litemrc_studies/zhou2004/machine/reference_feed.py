# SPDX-License-Identifier: BSD-2-Clause
"""References and pauses of a scenario's processes, in chunks."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import cast

import numpy as np
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace, open_trace
from litemrc.traces.generators.draws import random_words
from litemrc.traces.generators.urls import PREFIX
from numpy.typing import NDArray

from litemrc_studies.zhou2004.machine.epoch_counts import EpochCounts
from litemrc_studies.zhou2004.machine.scenario import Part, ProcessSpec, Scenario

_PAUSES = 1 << 16  # number of pauses drawn; they repeat
_ENDLESS = 1 << 50  # references


def pauses(scenario: Scenario, number: int) -> NDArray[np.int64]:
    """Return the think times, or times between arrivals, of a process in ticks."""
    spec = scenario.processes[number]
    if not spec.random:
        return np.array([spec.pause])
    words = random_words(_seed(scenario, number) + 1, np.arange(_PAUSES, dtype=np.uint64))
    uniform = (words >> np.uint64(11)).astype(np.float64) / 2**53
    return np.rint(-np.log1p(-uniform) * spec.pause).astype(np.int64)


def _seed(scenario: Scenario, number: int) -> int:
    """Return a seed that differs between processes."""
    return scenario.seed * 1000 + 10 * number


def trace_url(scenario: Scenario, number: int, part: Part) -> str:
    """Return the trace of a part; a generated one gets default seed and length."""
    if not part.trace.startswith(PREFIX):
        return part.trace
    given = part.trace.partition("?")[2].split("&")
    url = part.trace if "?" in part.trace else part.trace + "?"
    for name, value in (("n", _ENDLESS), ("seed", _seed(scenario, number))):
        if not any(text.startswith(f"{name}=") for text in given):
            url += f"&{name}={value}"
    return url.replace("?&", "?")


class ReferenceFeed:
    """The references of a process and the counts of its epochs."""

    def __init__(self, scenario: Scenario, number: int, counts: EpochCounts | None) -> None:
        spec = scenario.processes[number]
        parts = [replace(part, trace=trace_url(scenario, number, part)) for part in spec.parts]
        if not spec.requests or spec.request_touches:
            parts[-1] = replace(parts[-1], touches=parts[-1].touches or _wanted(spec))
        self._chunks = _references(parts, scenario.page_bytes)
        self._counts = counts
        self._release = False

    def next(
        self,
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.float64], NDArray[np.uint64], bool]:
        """Return the next arguments of `Machine.feed`; no pages mean the end of the references."""
        pages, writes, release = next(self._chunks, (_NO_PAGES, _NO_WRITES, False))
        epochs, tracking = np.empty((0, 0)), _NO_PAGES
        if self._counts:
            if self._release:
                self._counts.release()
            epochs, tracking = self._counts.take(pages), self._counts.ticks
        self._release = release
        return pages, writes, epochs, tracking, release

    def close(self) -> None:
        """Close the trace that is being read."""
        self._chunks.close()


_NO_PAGES, _NO_WRITES = np.empty(0, np.uint64), np.empty(0, np.uint8)


def _wanted(spec: ProcessSpec) -> int:
    """Return the most touches that the last part needs: those of all requests, or no limit."""
    return spec.requests * spec.request_touches if spec.requests and spec.request_touches else _ENDLESS


def _chunks(trace: Trace) -> Generator[Chunk, None, None]:
    return cast("Generator[Chunk, None, None]", iter(trace))  # readers are written with yield


def _references(
    parts: list[Part], page_bytes: int
) -> Generator[tuple[NDArray[np.uint64], NDArray[np.uint8], bool], None, None]:
    for part in parts:
        left = part.touches
        while left is None or left > 0:
            done = 0
            with open_trace(part.trace, None, page_bytes) as trace, closing(_chunks(trace)) as chunks:
                if trace.format == "intervals":
                    raise UserError(
                        "IN/OUT records lack the order of references",
                        where=part.trace,
                        remedy="give a trace of all references",
                    )
                for chunk in chunks:
                    size = len(chunk) if left is None else min(len(chunk), left)
                    if not size:
                        continue
                    writes = _NO_WRITES
                    if chunk.writes is not None:
                        writes = np.ascontiguousarray(chunk.writes[:size]).view(np.uint8)
                    yield np.ascontiguousarray(chunk.pages[:size]), writes, False
                    done += size
                    if left is not None:
                        left -= size
                        if not left:
                            break
            if not done:
                raise UserError("the trace has no reference", where=part.trace)
            if left is None:
                break
        if part.release:
            yield _NO_PAGES, _NO_WRITES, True
