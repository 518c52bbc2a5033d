"""Reference model of processors that share memory by pages: "Reference counters", section 2.

Each page has a home, at one processor, and may have copies at others. Every reference is looked at for
itself, and every copy of a page at every write to it.

Protocol UPD, and what is charged (table 1(b); `cost` below):

- A read of a page that is here, at home or as a copy: local access.
- Another read: DELAY of this page and processor counts down. If it reaches 0, the page is replicated (page
  fault, and the transfer of each word) and the read is a local access; else it is a remote read. A counter
  whose initial value is 0 does not count.
- A write where the page is here: local access, and an update for each other copy, the home's included.
  Another write: remote write, to the home, and an update for each other copy.
- A copy that receives an update counts UPDATE down. If it reaches 0 the operating system is called (page
  fault) and drops the copy or arms the counter again, as the policy says. A dropped copy's DELAY is armed
  again. The home never drops its copy and counts nothing. Of several copies the lowest processor's is first.
- A policy may decide against a replication when DELAY has reached 0. That costs the page fault, the read is a
  remote one, and DELAY is armed again. So it is, with its last initial value, when `local_pages` copies are
  there already. What a policy needs to know of the home costs a remote read (`asks`), and each counter of its
  processor that it reads or writes through the window a local access.

Invalidate-based: who writes invalidates all other copies, a message each at the cost of an update, and
becomes the page's owner; all references of others, reads and writes, count DELAY down. A write that is
still remote goes to the owner and leaves the owner's copy only.

The model is slow and obvious; `litemrc.native.numa` must equal it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

FIRST_TOUCH = -1  # as `home`: the processor that refers to a page first


class Reference(NamedTuple):
    page: int
    processor: int
    write: bool


@dataclass
class Counts:
    """What a run did. `cycles` is the cost of all references together; `invalidations`: copies dropped."""

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

    Attributes:
        initial, left: 0: does not count.
        writes: of others, since it was armed.
        local_reads, local_writes: of the copy, since it was armed.
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

    Parameters:
        cost: an object with local_access, remote_read, remote_write, update, page_fault; cycles.
        replication: cycles to make a copy.
        policy: of `litemrc.policies.replication` or `self_tuned_replication`.
        home: a processor at which all pages are, or FIRST_TOUCH.
        local_pages: copies that a processor can hold; 0: any number.
    """

    def __init__(
        self, cost: Any, replication: int, policy: Any, home: int = FIRST_TOUCH, local_pages: int = 0
    ) -> None:
        self.cost, self.replication, self.policy = cost, replication, policy
        self.home, self.local_pages = home, local_pages
        self.homes: dict[int, int] = {}
        self.delay: dict[tuple[int, int], _Counter] = {}  # of (page, processor) without a copy
        self.update: dict[tuple[int, int], _Counter] = {}  # of (page, processor) with one, but at home
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
        """A read of a page that is not here counts: is it replicated?"""
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
    """What a policy may read and write at an event: the counters of that processor."""

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
    """The invalidate-based protocol; `delay` 1 fetches a page at the first reference to it, 0 never.

    Parameters: as those of `UpdateMachine`.
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
    """The least cycles under UPD: what a policy would reach that knows the future.

    It bounds, from below, every policy that decides when to replicate and when to drop pages under protocol
    UPD with these homes and local memories without limit: fixed counters of whatever values, and self-tuned
    ones. It says nothing of other homes, or of other protocols. It is reached, if decisions cost nothing
    beside replications: interrupts, and asking the home, are not charged, dropping is free.

    Proof. Charge each update to the copy that receives it, and the update a writer with a copy sends the
    home to that writer's copy. Then all cycles belong to pairs of page and processor, and those of a pair
    depend on its own references, the writes of others, and whether it has a copy: on no other pair's
    copies. So the least sum is the sum of the least of each pair. A pair without a copy pays remote reads
    and writes; one with a copy pays local accesses, one update for each own write (the home's) and one for
    each write of others, and replication when it begins to have one. The least of a pair over all sequences
    of both states is found by dynamic programming: `without` and `with_copy` are the least cycles so far of
    histories that end so.
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
