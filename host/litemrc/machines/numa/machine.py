"""Traces through processors that share memory by pages: "Reference counters", section 2.

The model is `litemrc.golden.machines.numa`; policies are those of `litemrc.policies.replication` and
`self_tuned_replication`. NAMC, the normalized average memory access cost, is what a reference costs on
average over what a local access costs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.machines.numa.costs import NumaCosts, read_costs
from litemrc.native import numa as native
from litemrc.native.page_numbers import PageNumbers
from litemrc.traces.shared import SharedChunk

MOST_PROCESSORS = 1 << 12
MOST_PAIRS = 1 << 27  # of page and processor: the state of each is kept, about 80 bytes
MOST_COUNT = (1 << 24) - 1  # of a counter's initial value

PROTOCOLS = {
    "upd": "updates; a page is replicated when DELAY fires, a copy may go when UPDATE fires",
    "self-tuned": "updates; both initial values are chosen by page, from costs and experience",
    "invalidate": "who writes invalidates all other copies; pages are fetched when DELAY fires",
    "always-remote": "no page is ever replicated",
    "first-touch": "updates; a page is replicated at the first read, and stays",
    "optimum": "updates; decisions by who knows the future, and free but for replications: a bound",
}
NEEDS_DELAY = ("upd", "invalidate")


@dataclass(frozen=True, eq=False)
class NumaReferences:
    """References to shared memory in the order of time.

    Attributes:
        words: uint64[n], addresses in words.
        processors: uint16[n].
        writes: uint8[n], 1: a write.
    """

    words: NDArray[np.uint64]
    processors: NDArray[np.uint16]
    writes: NDArray[np.uint8]

    def __len__(self) -> int:
        return self.words.size

    @property
    def processor_count(self) -> int:
        """One more than the highest processor's number."""
        return int(self.processors.max()) + 1 if self.processors.size else 1


def read_references(chunks: Iterable[SharedChunk]) -> NumaReferences:
    """All references of a trace."""
    kept = [(chunk.words, chunk.processors, chunk.writes.view(np.uint8)) for chunk in chunks]
    kept = kept or [(np.empty(0, np.uint64), np.empty(0, np.uint16), np.empty(0, np.uint8))]
    return NumaReferences(*(np.concatenate(column) for column in zip(*kept, strict=True)))


@dataclass(frozen=True)
class NumaMachine:
    """The machine.

    Attributes:
        processors: their number.
        page_bytes: a power of two.
        home: processor at which all pages are; None: a page is where it is first touched.
        local_pages: copies a processor can hold; 0: any number.
        costs: of accesses.

    Raises:
        UserError: a number that makes no sense.
    """

    processors: int = 64
    page_bytes: int = 1024
    home: int | None = None
    local_pages: int = 0
    costs: NumaCosts = field(default_factory=read_costs)

    def __post_init__(self) -> None:
        if not 1 <= self.processors <= MOST_PROCESSORS:
            raise UserError(f"{self.processors} processors", remedy=f"1 to {MOST_PROCESSORS}")
        words = self.page_bytes // self.costs.word_bytes
        if words < 1 or words & (words - 1) or words * self.costs.word_bytes != self.page_bytes:
            raise UserError(
                f"a page of {self.page_bytes} bytes", remedy=f"2^n words of {self.costs.word_bytes} bytes"
            )
        if self.home is not None and not 0 <= self.home < self.processors:
            raise UserError(f"no processor {self.home}", remedy=f"0 to {self.processors - 1}")
        if self.local_pages < 0:
            raise UserError(f"{self.local_pages} local pages", remedy="0 (any number) or more")

    @property
    def native_costs(self) -> native.NumaCosts:
        """The costs of this page size."""
        costs = self.costs
        return native.NumaCosts(
            local_access=costs.local_access,
            remote_read=costs.remote_read,
            remote_write=costs.remote_write,
            update=costs.update,
            page_fault=costs.page_fault,
            replication=costs.replication(self.page_bytes),
        )


@dataclass(frozen=True)
class NumaRun:
    """What a protocol did to a trace.

    Attributes:
        protocol: a name in `PROTOCOLS`.
        delay, update: initial values; 0: does not count; None: not of this protocol.
        page_bytes: size of a page.
        references: of the trace.
        local_cycles: what a local access costs.
        cycles: of all references together.
        counts: what was counted; None for the optimum.
    """

    protocol: str
    delay: int | None
    update: int | None
    page_bytes: int
    references: int
    local_cycles: int
    cycles: int
    counts: native.NumaCounts | None

    @property
    def namc(self) -> float:
        """The normalized average memory access cost."""
        return self.cycles / self.local_cycles / max(self.references, 1)


class NumaSimulation:
    """A trace's references in one machine, under as many protocols as are asked for.

    Raises:
        UserError: a processor that the machine has not, or more pages than can be kept.
    """

    def __init__(self, references: NumaReferences, machine: NumaMachine) -> None:
        self.references, self.machine = references, machine
        if len(references) and int(references.processors.max()) >= machine.processors:
            at = int(np.argmax(references.processors >= machine.processors))
            raise UserError(
                f"processor {references.processors[at]} in a machine of {machine.processors}",
                where=f"reference {at}",
                remedy="more processors (--processors)",
            )
        numbers = PageNumbers()
        shift = np.uint64((machine.page_bytes // machine.costs.word_bytes).bit_length() - 1)
        self._pages = numbers.number(references.words >> shift)
        self.pages = len(numbers)
        if self.pages * machine.processors > MOST_PAIRS:
            raise UserError(
                f"{self.pages:,} pages and {machine.processors} processors are too many",
                remedy=f"at most {MOST_PAIRS // machine.processors:,} pages: make them larger (--page)",
            )
        self._home = native.FIRST_TOUCH if machine.home is None else machine.home
        self._arrays = (self._pages, references.processors, references.writes)

    def run(self, protocol: str, delay: int = 0, update: int = 0) -> NumaRun:
        """The trace under one protocol.

        Raises:
            UserError: no such protocol, an initial value out of range, or one this machine cannot run.
        """
        if protocol not in PROTOCOLS:
            raise UserError(f"no protocol {protocol!r}", remedy=f"one of {', '.join(PROTOCOLS)}")
        for name, value in (("DELAY", delay), ("UPDATE", update)):
            if not 0 <= value <= MOST_COUNT:
                raise UserError(f"{name} of {value}", remedy=f"0 (does not count) to {MOST_COUNT}")
        machine, costs = self.machine, self.machine.native_costs
        common = dict(costs=costs, processor_count=machine.processors, home=self._home)
        if protocol in ("invalidate", "optimum") and machine.local_pages:
            raise UserError(f"{protocol} knows no limit of local memory", remedy="leave out --local-pages")
        if protocol == "optimum":
            return self._result(protocol, None, None, self._runs.optimum(costs), None)
        if protocol == "invalidate":
            counts = native.run_invalidate(*self._arrays, **common, delay=delay)
            return self._result(protocol, delay, None, counts.cycles, counts)
        common["local_pages"] = machine.local_pages
        if protocol == "self-tuned":
            if costs_forbid := _no_self_tuning(machine.costs):
                raise UserError(costs_forbid, remedy="other costs, or --protocol upd")
            counts = native.run_self_tuned(*self._arrays, **common)
            return self._result(protocol, None, None, counts.cycles, counts)
        delay, update = {"always-remote": (0, 0), "first-touch": (1, 0)}.get(protocol, (delay, update))
        counts = native.run_fixed_counters(*self._arrays, **common, delay=delay, update=update)
        return self._result(protocol, delay, update, counts.cycles, counts)

    def sweep(self, delays: Iterable[int], updates: Sequence[int] = (0,)) -> list[NumaRun]:
        """Protocol UPD with each pair of initial values, equal to `run`, and much faster for many.

        Raises:
            UserError: local memory is limited: then pages are not independent of each other.
        """
        if self.machine.local_pages:
            raise UserError("a sweep knows no limit of local memory", remedy="leave out --local-pages")
        costs = self.machine.native_costs
        results = []
        for delay in delays:
            for update in updates:
                counts = self._runs.fixed(costs, delay, update)
                results.append(self._result("upd", delay, update, counts.cycles, counts))
        return results

    @cached_property
    def _runs(self) -> native.PairRuns:
        return native.PairRuns(*self._arrays, self.pages, self.machine.processors, self._home)

    def _result(
        self,
        protocol: str,
        delay: int | None,
        update: int | None,
        cycles: int,
        counts: native.NumaCounts | None,
    ) -> NumaRun:
        return NumaRun(
            protocol=protocol,
            delay=delay,
            update=update,
            page_bytes=self.machine.page_bytes,
            references=len(self.references),
            local_cycles=self.machine.costs.local_access,
            cycles=cycles,
            counts=counts,
        )


def best(runs: Iterable[NumaRun]) -> NumaRun:
    """The run with the least cost; of equal ones the first."""
    return min(runs, key=lambda run: run.cycles)


def _no_self_tuning(costs: NumaCosts) -> str:
    """Why pages cannot be managed by what they cost, or nothing."""
    if costs.remote_read <= costs.local_access:
        return "remote reads cost no more than local accesses: there is nothing to gain"
    return "" if costs.update else "updates cost nothing: there is nothing to weigh"
