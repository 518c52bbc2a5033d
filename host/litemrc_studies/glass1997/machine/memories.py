# SPDX-License-Identifier: BSD-2-Clause
"""One trace under several replacement policies and memory sizes, in one pass.

IN/OUT traces (Glass and Cao 1997, section 2.1) determine the misses of some policies only, from a minimum
size on:
- LRU is exact from `Trace.minimum_pages` on.
- OPT is exact if every page it evicts is idle now and for the next two intervals; this is checked.
- SEQ runs from LRU's minimum on, as in the paper. The page it evicts may be in use. In the paper this page
  faults immediately, which is called conservative. Here it faults at its next reference that the trace
  guarantees: the beginning of the next interval, or its OUT.
- CLOCK is refused, because it depends on the number of references to pages in use, which such a trace lacks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.exact_stack import ExactStack
from litemrc.traces import Chunk, Trace
from numpy.typing import NDArray

from litemrc_studies._core import (
    MAX_OPT_REFERENCES,
    AddressBook,
    OptTrace,
    SeqAdaptiveMemory,
    SeqCounts,
    SeqMemory,
)
from litemrc_studies.glass1997.machine.fault_log import FaultLog, FaultRecorder
from litemrc_studies.glass1997.policies import Clock, Lru, OnlinePolicy, Opt, Policy, check_memory_size


@dataclass(frozen=True)
class FaultCount:
    """Page faults of a trace in one memory under one policy.

    Attributes
    ----------
    faults
        all faults, including `cold_faults`.
    cold_faults
        first references to a page; they fault in every memory.
    sequences
        what SEQ did: evictions by origin, and how many sequences it held; None: another policy.
    """

    policy: Policy
    memory_pages: int
    faults: int
    cold_faults: int
    sequences: SeqCounts | None = None


@dataclass(frozen=True)
class Replay:
    """Results of a trace.

    Attributes
    ----------
    references
        number of references.
    duration
        in the trace's unit of time; in references if it has no times.
    time_unit
        "references" if it has no times.
    curve
        its miss-ratio curve under LRU, from the smallest exact size on.
    counts
        for each policy, for each memory size, in the orders given.
    log
        the faults of the memory to be logged; None: of none.
    """

    references: int
    duration: int
    time_unit: str
    curve: Curve
    counts: list[FaultCount]
    log: FaultLog | None = None


def replay(
    trace: Trace,
    chunks: Iterable[Chunk],
    policies: Sequence[Policy],
    sizes: Sequence[int],
    *,
    logged: tuple[OnlinePolicy, int] | None = None,
) -> Replay:
    """Run a trace under every policy with every memory size.

    LRU uses one stack for all sizes; CLOCK and SEQ keep one memory per size; OPT keeps the whole trace (see
    `Opt`). Contexts are merged; a note on the trace reports this.

    Parameters
    ----------
    chunks
        those of `trace`, for example through a progress bar.
    sizes
        memory sizes in pages.
    logged
        policy and size of a memory whose faults are logged, 27 bytes for each.

    Raises
    ------
    UserError
        a size below 1, or below the exact sizes of an IN/OUT trace; CLOCK with such a trace; more
        references than OPT can keep; no reference; or an error of the trace.
    """
    for pages in [*sizes, *(logged[1:] if logged else ())]:
        check_memory_size(pages)
    runs = _Runs(trace, policies, sizes, logged)
    for chunk in chunks:
        runs.add(chunk)
    return runs.result()


class _Runs:
    def __init__(
        self,
        trace: Trace,
        policies: Sequence[Policy],
        sizes: Sequence[int],
        logged: tuple[OnlinePolicy, int] | None = None,
    ) -> None:
        self._trace, self._policies, self._sizes = trace, policies, sizes
        refuse_clock(trace, policies)
        self._book = AddressBook(1)
        self._stack = ExactStack()
        self._opt = OptTrace() if any(isinstance(policy, Opt) for policy in policies) else None
        online = [policy for policy in policies if not isinstance(policy, Opt | Lru)]
        self._memories = {
            (policy, pages): policy.memory(self._book, pages) for policy in online for pages in sizes
        }
        self._faults = dict.fromkeys(self._memories, 0)
        self._logged = logged
        self._recorder = FaultRecorder(self._book, *logged) if logged else None
        self._first_time: int | None = None
        self._last_time = 0
        self._last_number = -1
        self._contexts: set[int] = set()

    def add(self, chunk: Chunk) -> None:
        if not len(chunk):
            return
        if chunk.times is not None:
            if self._first_time is None:
                self._first_time = int(chunk.times[0])
            self._last_time = int(chunk.times[-1])
        if chunk.contexts is not None:
            self._contexts.update(np.unique(chunk.contexts).tolist())
        self._stack.access(chunk.pages)
        done = self._stack.accesses - len(chunk)
        if not (self._memories or self._opt or self._recorder):
            return
        numbers = self._book.number(0, np.ascontiguousarray(chunk.pages))
        news = _changes(numbers, self._last_number)
        self._last_number = int(numbers[-1])
        numbers = numbers[news]
        for key, memory in self._memories.items():
            self._faults[key] += memory.references(numbers)
        if self._recorder:
            times = (
                np.arange(done, done + len(chunk), dtype=np.uint64) if chunk.times is None else chunk.times
            )
            self._recorder.add(numbers, times[news])
        if self._opt is not None:
            if self._opt.references + numbers.size > MAX_OPT_REFERENCES:
                raise UserError(
                    f"the trace has more than {MAX_OPT_REFERENCES:,} references",
                    where=self._trace.name,
                    remedy="omit OPT, which keeps the whole trace, or shorten the trace",
                )
            intervals = None
            if self._trace.interval and chunk.times is not None:
                # Intervals beyond 2^32 merge; OPT counts as inexact there.
                intervals = chunk.times[news] // np.uint64(self._trace.interval)
                intervals = np.minimum(intervals, np.uint64(0xFFFFFFFF)).astype(np.uint32)
            self._opt.append(numbers, intervals)

    def result(self) -> Replay:
        if not self._stack.accesses:
            raise UserError("the trace has no reference", where=self._trace.name)
        if len(self._contexts) > 1:
            self._trace.notes.append("contexts are merged: equal page numbers are one page")
        if self._logged:
            self._trace.check_memory(self._logged[1])
        duration = 0 if self._first_time is None else max(self._last_time - self._first_time, 0)
        histogram = self._stack.histogram()
        # Misses of sizes 0, 1, 2 ...: references with a larger stack distance.
        misses = self._stack.accesses - np.cumsum(histogram[1:], dtype=np.uint64)
        misses = np.insert(misses, 0, self._stack.accesses)
        counts = []
        for policy in self._policies:
            for pages in self._sizes:
                faults = self._count(policy, pages, misses)
                memory = None if isinstance(policy, Opt | Lru) else self._memories[policy, pages]
                sequences = memory.counts if isinstance(memory, SeqMemory | SeqAdaptiveMemory) else None
                counts.append(FaultCount(policy, pages, faults, self._stack.footprint_pages, sequences))
        return Replay(
            self._stack.accesses,
            duration + 1 if duration else self._stack.accesses,
            (self._trace.time_unit or "units of time") if duration else "references",
            self._stack.curve().without_sizes_below(self._trace.minimum_pages),
            counts,
            self._recorder.result() if self._recorder else None,
        )

    def _count(self, policy: Policy, pages: int, misses: NDArray[np.uint64]) -> int:
        if isinstance(policy, Opt):
            assert self._opt is not None, "a policy is OPT"
            faults, exact = self._opt.faults(pages)
            if not exact:
                raise UserError(
                    f"OPT in a memory of {pages} pages cannot be simulated: it would evict a page in use",
                    where=self._trace.name,
                    remedy="use at least the memory that litemrc trace info prints, or a shorter interval",
                )
            return faults
        self._trace.check_memory(pages)
        if isinstance(policy, Lru):
            return int(misses[min(pages, misses.size - 1)])
        return self._faults[policy, pages]


def refuse_clock(trace: Trace, policies: Iterable[Policy]) -> None:
    """Refuse CLOCK on an IN/OUT trace.

    Raises
    ------
    UserError
        both are given.
    """
    if trace.format == "intervals" and any(isinstance(policy, Clock) for policy in policies):
        raise UserError(
            "CLOCK cannot be simulated on IN/OUT records: references to pages in use are not recorded",
            where=trace.name,
            remedy="omit clock, or record all references",
        )


def _changes(numbers: NDArray[np.uint32], previous: int) -> NDArray[np.bool_]:
    """Mark references to a page other than the previous one; the others change no policy's state."""
    changes = np.empty(numbers.size, dtype=bool)
    changes[0] = int(numbers[0]) != previous
    np.not_equal(numbers[1:], numbers[:-1], out=changes[1:])
    return changes
