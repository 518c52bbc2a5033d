# SPDX-License-Identifier: BSD-2-Clause
"""Sorts references whose times step back by a little, as those of several processors do, within a window."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.trace import Trace

DEFAULT_WINDOW = 1 << 20  # references
MOST_SORTED = 1 << 27  # some gigabytes


class SortedTrace(Trace):
    """Yields the references of another trace by time; those of one time keep their order.

    Parameters
    ----------
    trace
        it is iterated and closed by this one.
    window
        how many references one may come too late.
    """

    def __init__(self, trace: Trace, window: int = DEFAULT_WINDOW) -> None:
        super().__init__(trace.name)
        if trace.format == "intervals":
            raise UserError(
                "IN/OUT records cannot be sorted: their order is that of the references",
                where=trace.name,
                remedy="drop --sort, or record again",
            )
        trace.sorts = True
        self._trace, self._window = trace, window
        self.format, self.stored_page_bytes = trace.format, trace.stored_page_bytes
        self.time_unit, self.origin, self.notes = trace.time_unit, trace.origin, trace.notes

    @property
    def fraction(self) -> float | None:
        return self._trace.fraction

    def close(self) -> None:
        self._trace.close()

    def settle_page_bytes(self, wanted: int | None) -> None:
        self._trace.settle_page_bytes(wanted)
        super().settle_page_bytes(wanted)

    def __iter__(self) -> Iterator[Chunk]:
        self._trace.bounded = self.bounded
        waiting: list[Chunk] = []
        held = done = late = previous = 0
        for chunk in self._trace:
            if chunk.times is None:
                raise UserError("the trace has no times", where=self.name, remedy="drop --sort")
            if not len(chunk):
                continue
            late += int(np.count_nonzero(chunk.times[1:] < chunk.times[:-1]))
            late += bool(waiting and waiting[-1].times is not None and chunk.times[0] < waiting[-1].times[-1])
            waiting.append(chunk)
            held += len(chunk)
            if held < 2 * self._window:
                continue
            whole = _sorted(waiting)
            cut = held - self._window
            first, rest = _part(whole, slice(cut)), _part(whole, slice(cut, None))
            previous = self._check(first, previous, done)
            done += len(first)
            yield first
            waiting, held = [rest], len(rest)
        if waiting:
            last = _sorted(waiting)
            self._check(last, previous, done)
            yield last
        self.notes.append(f"{late:,} references came after a later one and were sorted by time")

    def _check(self, chunk: Chunk, previous: int, done: int) -> int:
        """Return the last time of a chunk; UserError if its first one should have come before."""
        assert chunk.times is not None
        if int(chunk.times[0]) < previous:
            raise UserError(
                f"time {chunk.times[0]} comes more than {self._window:,} references too late",
                where=f"{self.name}, after reference {done + self._window:,}",
                remedy="give a larger window: --sort N, or sort the trace by time",
            )
        return int(chunk.times[-1])


def _sorted(chunks: list[Chunk]) -> Chunk:
    columns: dict[str, Any] = {}
    for each in fields(Chunk):
        parts = [getattr(chunk, each.name) for chunk in chunks]
        columns[each.name] = None if parts[0] is None else np.concatenate(parts)
    return _part(Chunk(**columns), np.argsort(columns["times"], kind="stable"))


def _part(chunk: Chunk, index: Any) -> Chunk:
    columns: dict[str, Any] = {each.name: getattr(chunk, each.name) for each in fields(Chunk)}
    kept: dict[str, Any] = {
        name: None if column is None else column[index] for name, column in columns.items()
    }
    return Chunk(**kept)
