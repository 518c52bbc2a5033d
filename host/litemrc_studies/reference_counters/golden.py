# SPDX-License-Identifier: BSD-2-Clause
"""Reference model of processors that share memory by pages: "Reference counters", section 2.

Each page has a home at one processor and may have copies at others. The model evaluates every reference
separately, and every copy of a page at every write to it.

Protocol UPD and its costs (table 1(b); `cost` below):

- A read of a local page (home or copy) costs a local access.
- Any other read decrements DELAY of this page and processor. If it reaches 0, the page is replicated (page
  fault, and the transfer of each word) and the read is a local access; otherwise it is a remote read. A
  counter whose initial value is 0 is off.
- A write to a local page costs a local access, and an update for each other copy, including the home.
  Any other write costs a remote write to the home, and an update for each other copy.
- A copy that receives an update decrements UPDATE. If it reaches 0, the operating system is called (page
  fault) and drops the copy or re-arms the counter, as the policy decides. DELAY of a dropped copy is
  re-armed. The home never drops its copy and has no counter. Of several copies, the lowest processor's comes
  first.
- A policy may refuse a replication when DELAY has reached 0. That costs the page fault, the read is a remote
  read, and DELAY is re-armed. The same happens, with the last initial value, if the processor already holds
  `local_pages` copies. A request for data of the home costs a remote read (`asks`). Each counter of its
  processor that the policy reads or writes through the window costs a local access.

Invalidate-based protocol: a writer invalidates all other copies, one message each at the cost of an update,
and becomes the page's owner. All references by others, reads and writes, decrement DELAY. A write that is
still remote goes to the owner and leaves only the owner's copy.

The model is slow and simple; `litemrc_studies._core` is equal to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

FIRST_TOUCH = -1  # as `home`: the first processor that refers to the page


class Reference(NamedTuple):
    page: int
    processor: int
    write: bool


@dataclass
class Counts:
    """Counts of a run. `cycles` is the cost of all references; `invalidations` counts dropped copies."""

    cycles: int = 0
    local_reads: int = 0
    remote_reads: int = 0
    local_writes: int = 0
    remote_writes: int = 0
    replications: int = 0
    invalidations: int = 0
    updates_sent: int = 0
    interrupts: int = 0
    refused: int = 0


@dataclass
class _Counter:
    """DELAY or UPDATE of one page and processor.

    Attributes
    ----------
    initial, left
        0: off.
    writes
        by other processors since the counter was armed.
    local_reads, local_writes
        accesses to the copy since the counter was armed.
    """

    initial: int
    left: int = 0
    writes: int = 0
    local_reads: int = 0
    local_writes: int = 0

    def __post_init__(self) -> None:
        self.left = self.initial


class UpdateMachine:
    """Protocol UPD.

    Parameters
    ----------
    cost
        an object with local_access, remote_read, remote_write, update, page_fault, in cycles.
    replication
        cycles of a copy.
    policy
        of `litemrc_studies.reference_counters.policies`.
    home
        the processor that is home of all pages, or FIRST_TOUCH.
    local_pages
        copies that a processor can hold; 0: no limit.
    """

    def __init__(
        self, cost: Any, replication: int, policy: Any, home: int = FIRST_TOUCH, local_pages: int = 0
    ) -> None:
        self.cost, self.replication, self.policy = cost, replication, policy
        self.home, self.local_pages = home, local_pages
        self.homes: dict[int, int] = {}
        self.delay: dict[tuple[int, int], _Counter] = {}  # (page, processor) without a copy
        self.update: dict[tuple[int, int], _Counter] = {}  # (page, processor) with a copy
        self.counts = Counts()

    def run(self, references: Iterable[Reference]) -> Counts:
        for reference in references:
            page, processor, write = reference
            self.homes.setdefault(page, processor if self.home == FIRST_TOUCH else self.home)
            if write:
                self._write(page, processor)
            else:
                self._read(page, processor)
        return self.counts

    def _here(self, page: int, processor: int) -> bool:
        return self.homes[page] == processor or (page, processor) in self.update

    def _read(self, page: int, processor: int) -> None:
        if not self._here(page, processor) and not self._replicates(page, processor):
            self.counts.remote_reads += 1
            self.counts.cycles += self.cost.remote_read
            return
        self.counts.local_reads += 1
        self.counts.cycles += self.cost.local_access
        if (page, processor) in self.update:
            self.update[page, processor].local_reads += 1

    def _replicates(self, page: int, processor: int) -> bool:
        """Count a read of a page that is not local; return whether the page is replicated."""
        key = (page, processor)
        if key not in self.delay:
            self.delay[key] = _Counter(self.policy.first_delay(processor))
        counter = self.delay[key]
        if counter.left == 0:
            return False
        counter.left -= 1
        if counter.left:
            return False
        answer = self.policy.on_delay(key, counter.initial, counter.writes, _Window(self, processor))
        self.counts.cycles += answer.asks * self.cost.remote_read
        held = sum(owner == processor for _, owner in self.update)
        full = self.local_pages > 0 and held >= self.local_pages
        if answer.replicate and not full:
            self.counts.replications += 1
            self.counts.cycles += self.replication
            del self.delay[key]
            self.update[key] = _Counter(answer.value)
            return True
        self.counts.refused += answer.replicate
        self.counts.interrupts += 1
        self.counts.cycles += self.cost.page_fault
        self.delay[key] = _Counter(counter.initial if answer.replicate else answer.value)
        return False

    def _write(self, page: int, processor: int) -> None:
        here = self._here(page, processor)
        if here:
            self.counts.local_writes += 1
            self.counts.cycles += self.cost.local_access
        else:
            self.counts.remote_writes += 1
            self.counts.cycles += self.cost.remote_write
        if (page, processor) in self.update:
            self.update[page, processor].local_writes += 1
        if here and self.homes[page] != processor:
            self._send_update()  # to the home
        copies = sorted(owner for at, owner in self.update if at == page and owner != processor)
        for owner in copies:
            self._send_update()
            self.update[page, owner].writes += 1
        for (at, owner), counter in self.delay.items():
            if at == page and owner != processor:
                counter.writes += 1
        for owner in copies:
            self._count_update(page, owner)

    def _send_update(self) -> None:
        self.counts.updates_sent += 1
        self.counts.cycles += self.cost.update

    def _count_update(self, page: int, owner: int) -> None:
        key = (page, owner)
        counter = self.update[key]
        if counter.left == 0:
            return
        counter.left -= 1
        if counter.left:
            return
        self.counts.interrupts += 1
        self.counts.cycles += self.cost.page_fault
        used = counter.local_reads, counter.local_writes
        answer = self.policy.on_update(key, counter.writes, *used, _Window(self, owner))
        if answer.drop:
            self.counts.invalidations += 1
            del self.update[key]
            self.delay[key] = _Counter(answer.value)
        else:
            self.update[key] = _Counter(answer.value)


@dataclass
class _Window:
    """The counters that a policy may read and write at an event: those of the event's processor."""

    machine: UpdateMachine
    processor: int

    def local_reads(self, page: int) -> int:
        self.machine.counts.cycles += self.machine.cost.local_access
        counter = self.machine.update.get((page, self.processor))
        return counter.local_reads if counter else 0

    def raise_delays(self, value: int) -> None:
        for (_, owner), counter in self.machine.delay.items():
            if owner != self.processor or not counter.left:
                continue
            self.machine.counts.cycles += 2 * self.machine.cost.local_access
            more = max(value - counter.initial, 0)
            counter.initial += more
            counter.left += more


class InvalidateMachine:
    """The invalidate-based protocol; `delay` 1 fetches a page at its first reference, 0 never.

    The parameters are those of `UpdateMachine`.
    """

    def __init__(self, cost: Any, replication: int, delay: int, home: int = FIRST_TOUCH) -> None:
        self.cost, self.replication, self.delay, self.home = cost, replication, delay, home
        self.owners: dict[int, int] = {}
        self.holders: dict[int, set[int]] = {}
        self.left: dict[tuple[int, int], int] = {}
        self.counts = Counts()

    def run(self, references: Iterable[Reference]) -> Counts:
        for page, processor, write in references:
            if page not in self.owners:
                self.owners[page] = processor if self.home == FIRST_TOUCH else self.home
                self.holders[page] = {self.owners[page]}
            if processor not in self.holders[page]:
                self._count_delay(page, processor)
            here = processor in self.holders[page]
            if write:
                self._write(page, processor, here)
            elif here:
                self.counts.local_reads += 1
                self.counts.cycles += self.cost.local_access
            else:
                self.counts.remote_reads += 1
                self.counts.cycles += self.cost.remote_read
        return self.counts

    def _count_delay(self, page: int, processor: int) -> None:
        left = self.left.get((page, processor), self.delay)
        if left == 0:
            return
        self.left[page, processor] = left - 1
        if left == 1:
            self.counts.replications += 1
            self.counts.cycles += self.replication
            self.holders[page].add(processor)

    def _write(self, page: int, processor: int, here: bool) -> None:
        if here:
            self.counts.local_writes += 1
            self.counts.cycles += self.cost.local_access
            self.owners[page] = processor
        else:
            self.counts.remote_writes += 1
            self.counts.cycles += self.cost.remote_write
        for holder in self.holders[page] - {self.owners[page]}:
            self.counts.invalidations += 1
            self.counts.updates_sent += 1
            self.counts.cycles += self.cost.update
            self.left[page, holder] = self.delay
        self.holders[page] = {self.owners[page]}


def optimum(references: Iterable[Reference], cost: Any, replication: int, home: int = FIRST_TOUCH) -> int:
    """Return the least cycles under UPD, which a policy with knowledge of the future would reach.

    This is a lower bound for every policy that decides when to replicate and when to drop pages under
    protocol UPD with these homes and unlimited local memories, with fixed counters of any value or self-tuned
    ones. It does not bound other homes or protocols. It is reached if decisions cost nothing apart from
    replications: interrupts and requests to the home are not charged, and dropping is free.

    Proof. Charge each update to the copy that receives it, and the update that a writer with a copy sends to
    the home to that writer's copy. Then every cycle belongs to a pair of page and processor. The cycles of a
    pair depend on its own references, the writes of others, and whether it has a copy, but not on the copies
    of other pairs. So the least sum is the sum of the least of each pair. A pair without a copy pays remote
    reads and writes. A pair with a copy pays local accesses, one update for each own write (to the home) and
    one for each write of others, and the replication at which the copy begins. Dynamic programming finds the
    least of a pair over all sequences of both states: `without` and `with_copy` are the least cycles so far
    of histories that end in that state.
    """
    without: dict[tuple[int, int], int] = {}
    with_copy: dict[tuple[int, int], int] = {}
    homes: dict[int, int] = {}
    at_home = 0
    for page, processor, write in references:
        homes.setdefault(page, processor if home == FIRST_TOUCH else home)
        if write:
            for pair in without:
                if pair[0] == page and pair[1] != processor:
                    with_copy[pair] += cost.update
                    without[pair] = min(without[pair], with_copy[pair] - cost.update)  # dropped before it
        if homes[page] == processor:
            at_home += cost.local_access
            continue
        key = (page, processor)
        before = without.setdefault(key, 0)
        here = min(with_copy.get(key, replication), before + replication)
        with_copy[key] = here + cost.local_access + (cost.update if write else 0)
        without[key] = before + (cost.remote_write if write else cost.remote_read)
        without[key] = min(without[key], with_copy[key])
    return at_home + sum(min(without[pair], with_copy[pair]) for pair in without)
