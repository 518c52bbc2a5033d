# SPDX-License-Identifier: BSD-2-Clause
"""Several traces in one memory under a global policy (Glass and Cao 1997, section 5).

Programs run round robin with a context switch at page faults; `glass1997.golden.round_robin` lists the
decisions where the paper is silent.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace
from numpy.typing import NDArray

from litemrc_studies._core import ROUND_ROBIN_DONE, ROUND_ROBIN_PAUSE, AddressBook, RoundRobin
from litemrc_studies.glass1997.machine.memories import refuse_clock
from litemrc_studies.glass1997.policies import OnlinePolicy, check_memory_size


@dataclass(frozen=True)
class Scheduling:
    """Scheduling parameters in the time unit of the traces.

    The defaults are the paper's, in instructions: a quantum of 10 ms and a service time of 4 ms at 100 MIPS.

    Attributes
    ----------
    quantum
        longest turn.
    service
        time for which a page fault suspends a program.
    cold_service
        the same for the first fault on a page, which is zero-filled.

    Raises
    ------
    UserError
        a quantum below 1, or a negative time.
    """

    quantum: int = 1_000_000
    service: int = 400_000
    cold_service: int = 0

    def __post_init__(self) -> None:
        for name, lowest in (("quantum", 1), ("service", 0), ("cold_service", 0)):
            value = getattr(self, name)
            if not lowest <= value < 1 << 53:
                raise UserError(
                    f"{name.replace('_', ' ')} cannot be {value}", remedy=f"give {lowest} to 2**53 - 1"
                )


@dataclass(frozen=True)
class ProgramResult:
    """Result of one program.

    Attributes
    ----------
    faults
        including cold faults.
    end
        time of its end.
    computed
        its compute time; otherwise it waited for its turn or the disk.
    """

    trace: str
    references: int
    faults: int
    cold_faults: int
    end: int
    computed: int


@dataclass(frozen=True)
class GlobalResult:
    """Result of all programs together.

    Attributes
    ----------
    time
        end of the last program.
    """

    policy: OnlinePolicy
    memory_pages: int
    time: int
    programs: list[ProgramResult]

    @property
    def faults(self) -> int:
        return sum(program.faults for program in self.programs)

    @property
    def cold_faults(self) -> int:
        return sum(program.cold_faults for program in self.programs)

    @property
    def computed(self) -> int:
        return sum(program.computed for program in self.programs)


def run_together(
    openers: Sequence[Callable[[], Trace]],
    policy: OnlinePolicy,
    memory_pages: int,
    scheduling: Scheduling,
) -> GlobalResult:
    """Run a program for each trace in one memory.

    The traces are read concurrently, each up to its program's progress. A trace without times takes one unit
    per reference. With IN/OUT traces, memories below the sum of their minimums are refused. Above it, the
    order of idle pages of different programs is a guess within an interval, as in the paper.

    Parameters
    ----------
    openers
        each opens a trace.

    Raises
    ------
    UserError
        a memory too small, CLOCK with an IN/OUT trace, an empty trace, or an error of a trace.
    """
    check_memory_size(memory_pages)
    with ExitStack() as stack:
        traces = [stack.enter_context(opener()) for opener in openers]
        for trace in traces:
            refuse_clock(trace, [policy])
        book = AddressBook(len(traces))
        machine = RoundRobin(
            book,
            policy.memory(book, memory_pages),
            scheduling.quantum,
            scheduling.service,
            scheduling.cold_service,
        )
        feeds = [_references(trace) for trace in traces]
        begins: list[int] = [0] * len(traces)
        fed = [False] * len(traces)
        while (program := machine.run()) != ROUND_ROBIN_DONE:
            if program == ROUND_ROBIN_PAUSE:
                continue
            pages, times = next(feeds[program], _END)
            if not fed[program]:
                if not pages.size:
                    raise UserError("the trace has no reference", where=traces[program].name)
                begins[program], fed[program] = int(times[0]), True
            machine.feed(program, book.number(program, pages), times)
        _check_minimum(traces, memory_pages)
    programs = []
    for number, (trace, begin) in enumerate(zip(traces, begins, strict=True)):
        ran = machine.program(number)
        programs.append(
            ProgramResult(trace.name, ran.references, ran.faults, ran.cold_faults, ran.end, ran.clock - begin)
        )
    return GlobalResult(policy, memory_pages, machine.now, programs)


def _references(trace: Trace) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    done = 0
    for chunk in trace:
        if len(chunk):
            yield np.ascontiguousarray(chunk.pages), _times(chunk, done)
            done += len(chunk)


def _times(chunk: Chunk, done: int) -> NDArray[np.uint64]:
    if chunk.times is None:
        return np.arange(done, done + len(chunk), dtype=np.uint64)
    return np.ascontiguousarray(chunk.times)


_END = (np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint64))


def _check_minimum(traces: Sequence[Trace], pages: int) -> None:
    minimum = sum(trace.minimum_pages for trace in traces)
    if pages < minimum and any(trace.interval for trace in traces):
        raise UserError(
            f"a memory of {pages} pages cannot be simulated: the order of references within an interval"
            " is not recorded",
            where=", ".join(trace.name for trace in traces),
            remedy=f"give at least {minimum} pages, or record with a shorter interval",
        )
