# SPDX-License-Identifier: BSD-2-Clause
"""Traces on processors that share memory by pages: "Reference counters", section 2.

The native core is equal to `golden`; the policies are those of `policies`. NAMC, the normalized average
memory access cost, is the mean cost of a reference divided by the cost of a local access.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from litemrc.errors import UserError, choose_from
from litemrc.native.arrays import PageNumbers
from litemrc.traces.shared import SharedChunk
from numpy.typing import NDArray

from litemrc_studies import _core as native
from litemrc_studies.reference_counters.machine.costs import NumaCosts, read_costs

MOST_PROCESSORS = 1 << 12
MOST_PAIRS = 1 << 27  # pairs of page and processor; each has about 80 bytes of state
MOST_COUNT = (1 << 24) - 1  # largest initial value of a counter

PROTOCOLS = {
    "upd": "updates; DELAY at 0 replicates a page, UPDATE at 0 may drop a copy",
    "self-tuned": "updates; initial values per page follow from costs and earlier copies",
    "invalidate": "a write invalidates all other copies; DELAY at 0 fetches a page",
    "always-remote": "pages are never replicated",
    "first-touch": "updates; the first read replicates a page for good",
    "optimum": "updates; lower bound: future knowledge, only replications are charged",
}
NEEDS_DELAY = ("upd", "invalidate")


@dataclass(frozen=True, eq=False)
class NumaReferences:
    """References to shared memory in time order.

    Attributes
    ----------
    words
        uint64[n], addresses in words.
    processors
        uint16[n].
    writes
        uint8[n], 1: a write.
    """

    words: NDArray[np.uint64]
    processors: NDArray[np.uint16]
    writes: NDArray[np.uint8]

    def __len__(self) -> int:
        return self.words.size

    @property
    def processor_count(self) -> int:
        """Return one more than the highest processor number."""
        return int(self.processors.max()) + 1 if self.processors.size else 1


def read_references(chunks: Iterable[SharedChunk]) -> NumaReferences:
    """Read all references of a trace."""
    kept = [(chunk.words, chunk.processors, chunk.writes.view(np.uint8)) for chunk in chunks]
    kept = kept or [(np.empty(0, np.uint64), np.empty(0, np.uint16), np.empty(0, np.uint8))]
    return NumaReferences(*(np.concatenate(column) for column in zip(*kept, strict=True)))


@dataclass(frozen=True)
class NumaMachine:
    """The machine.

    Attributes
    ----------
    processors
        number of processors.
    page_bytes
        a power of two.
    home
        home processor of all pages; None: the first processor that touches a page.
    local_pages
        copies that a processor can hold; 0: no limit.
    costs
        of accesses.

    Raises
    ------
    UserError
        a number out of range.
    """

    processors: int = 64
    page_bytes: int = 1024
    home: int | None = None
    local_pages: int = 0
    costs: NumaCosts = field(default_factory=read_costs)

    def __post_init__(self) -> None:
        if not 1 <= self.processors <= MOST_PROCESSORS:
            raise UserError(f"{self.processors} processors", remedy=f"give 1 to {MOST_PROCESSORS}")
        words = self.page_bytes // self.costs.word_bytes
        if words < 1 or words & (words - 1) or words * self.costs.word_bytes != self.page_bytes:
            raise UserError(
                f"a page of {self.page_bytes} bytes",
                remedy=f"give 2^n words of {self.costs.word_bytes} bytes",
            )
        if self.home is not None and not 0 <= self.home < self.processors:
            raise UserError(
                f"home processor {self.home} does not exist", remedy=f"give 0 to {self.processors - 1}"
            )
        if self.local_pages < 0:
            raise UserError(f"{self.local_pages} local pages", remedy="give 0 (no limit) or more")

    @property
    def native_costs(self) -> native.NumaCosts:
        """Return the costs for this page size."""
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
    """Result of a trace under a protocol.

    Attributes
    ----------
    protocol
        a name in `PROTOCOLS`.
    delay, update
        initial values; 0: off; None: not part of this protocol.
    page_bytes
        size of a page.
    references
        number of references.
    local_cycles
        cost of a local access.
    cycles
        cost of all references.
    counts
        counts of events; None for the optimum.
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
        """Return the normalized average memory access cost."""
        return self.cycles / self.local_cycles / max(self.references, 1)


class NumaSimulation:
    """A trace's references in one machine, for runs under any protocols.

    Raises
    ------
    UserError
        a processor that the machine does not have, or too many pages.
    """

    def __init__(self, references: NumaReferences, machine: NumaMachine) -> None:
        self.references, self.machine = references, machine
        if len(references) and int(references.processors.max()) >= machine.processors:
            at = int(np.argmax(references.processors >= machine.processors))
            raise UserError(
                f"processor {references.processors[at]} in a machine of {machine.processors}",
                where=f"reference {at}",
                remedy="give more processors (--processors)",
            )
        numbers = PageNumbers()
        shift = np.uint64((machine.page_bytes // machine.costs.word_bytes).bit_length() - 1)
        self._pages = numbers.number(references.words >> shift)
        self.pages = len(numbers)
        if self.pages * machine.processors > MOST_PAIRS:
            raise UserError(
                f"{self.pages:,} pages and {machine.processors} processors are too many",
                remedy=f"use larger pages (--page-size): at most {MOST_PAIRS // machine.processors:,} pages",
            )
        self._home = native.FIRST_TOUCH if machine.home is None else machine.home
        self._arrays = (self._pages, references.processors, references.writes)

    def run(self, protocol: str, delay: int = 0, update: int = 0) -> NumaRun:
        """Run the trace under one protocol.

        Raises
        ------
        UserError
            an unknown protocol, an initial value out of range, or a protocol that this machine
            does not support.
        """
        check_protocol(protocol, self.machine)
        for name, value in (("DELAY", delay), ("UPDATE", update)):
            if not 0 <= value <= MOST_COUNT:
                raise UserError(f"{name} of {value} is out of range", remedy=f"give 0 (off) to {MOST_COUNT}")
        machine, costs = self.machine, self.machine.native_costs
        common = dict(costs=costs, processor_count=machine.processors, home=self._home)
        if protocol == "optimum":
            return self._result(protocol, None, None, self._runs.optimum(costs), None)
        if protocol == "invalidate":
            counts = native.run_invalidate(*self._arrays, **common, delay=delay)
            return self._result(protocol, delay, None, counts.cycles, counts)
        common["local_pages"] = machine.local_pages
        if protocol == "self-tuned":
            counts = native.run_self_tuned(*self._arrays, **common)
            return self._result(protocol, None, None, counts.cycles, counts)
        delay, update = {"always-remote": (0, 0), "first-touch": (1, 0)}.get(protocol, (delay, update))
        counts = native.run_fixed_counters(*self._arrays, **common, delay=delay, update=update)
        return self._result(protocol, delay, update, counts.cycles, counts)

    def sweep(self, delays: Iterable[int], updates: Sequence[int] = (0,)) -> list[NumaRun]:
        """Run protocol UPD with each pair of initial values; equal to `run`, and much faster for many pairs.

        Raises
        ------
        UserError
            local memory is limited, so pages are not independent.
        """
        if self.machine.local_pages:
            raise UserError("a sweep does not support a limit of local memory", remedy="omit --local-pages")
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


def check_protocol(protocol: str, machine: NumaMachine) -> None:
    """Check that a machine supports a protocol.

    Raises
    ------
    UserError
        it does not, or the protocol is unknown.
    """
    if protocol not in PROTOCOLS:
        raise UserError(f"unknown protocol {protocol!r}", remedy=choose_from(protocol, PROTOCOLS))
    if protocol in ("invalidate", "optimum") and machine.local_pages:
        raise UserError(f"{protocol} does not support a limit of local memory", remedy="omit --local-pages")
    if protocol == "self-tuned" and (why := _no_self_tuning(machine.costs)):
        raise UserError(why, remedy="give other costs, or --protocol upd")


def best(runs: Iterable[NumaRun]) -> NumaRun:
    """Return the run with the least cost; the first of equal ones."""
    return min(runs, key=lambda run: run.cycles)


def _no_self_tuning(costs: NumaCosts) -> str:
    """Return why these costs exclude self-tuning; empty if they do not."""
    if costs.remote_read <= costs.local_access:
        return "remote reads cost no more than local accesses, so copies gain nothing"
    return "" if costs.update else "updates cost nothing, so copies lose nothing"
