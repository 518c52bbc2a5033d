"""When pages are replicated close to a processor, and when copies are dropped: "Reference counters".

A policy chooses the initial values of two counters. DELAY counts a processor's remote reads of a page,
UPDATE the updates that arrive for its copy; at 0 the operating system is asked. It knows events and costs,
no trace and no machine: `litemrc.golden.numa` asks it, `native/numa/replication.hpp` is the same in C++.
"""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

Pair = tuple[int, int]  # page, processor


class DelayAnswer(NamedTuple):
    """DELAY has reached 0.

    Attributes:
        replicate: make a copy.
        value: initial value of its UPDATE, or else of DELAY, which is armed again; 0: does not count.
        asks: messages to the home, to know how often the page was written.
    """

    replicate: bool
    value: int
    asks: int


class UpdateAnswer(NamedTuple):
    """UPDATE has reached 0.

    Attributes:
        drop: drop the copy.
        value: initial value of DELAY if it is dropped, or else of UPDATE, which is armed again.
    """

    drop: bool
    value: int


@dataclass(frozen=True)
class FixedCounters:
    """The paper's: both initial values are those of the whole run; 0: the counter does not count.

    A copy is dropped if more updates have arrived than its owner made local accesses since UPDATE was armed.
    """

    delay: int
    update: int = 0

    def first_delay(self, processor: int) -> int:
        return self.delay

    def on_delay(self, pair: Pair, reads: int, writes: int) -> DelayAnswer:
        return DelayAnswer(True, self.update, 0)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int) -> UpdateAnswer:
        if updates > reads + writes:
            return UpdateAnswer(True, self.delay)
        return UpdateAnswer(False, self.update)


@dataclass
class _Page:
    """What a processor knows of a page.

    Attributes:
        benefit: of its copy, in cycles.
        delay: after which the copy was made.
        update: initial value of its UPDATE.
        patience: the first such value of the next copy.
        proven: its last copy was worth more than it cost.
        asked: its home has been asked in vain.
    """

    patience: int
    benefit: int = 0
    delay: int = 0
    update: int = 0
    proven: bool = False
    asked: bool = False


@dataclass
class _Node:
    """What a processor has learned.

    Attributes:
        delay: initial value for pages that are new to it.
        regret: cycles that a longer delay would have saved, less those that a shorter one would have.
    """

    delay: int
    regret: int = 0


@dataclass
class SelfTuned:
    """Ours: initial values that follow from the costs, and from what became of earlier copies.

    As who rents skis buys them once the rent has come to their price, a page is not replicated before the
    remote reads of it have cost as much as a copy does: `least` reads. That number doubles with the page,
    as the best DELAY in the paper's figure 1 does, and bounds the loss: at most what was spent before is
    spent in vain. In the same way the first UPDATE, `patience`, is the number of updates that cost as much
    as a copy.

    At an event, counts are compared by what they cost. The home of a page knows how often it was written (all
    writes come there; a message, charged, asks it): if updates of a copy had cost more than its local reads
    would have saved since DELAY was armed, the page stays remote. It is asked about again after twice as many
    reads, but soon enough that a program which reads what it wrote in an earlier phase is not missed, and so
    rarely that asking costs a 32nd of the reads. A copy is dropped if in UPDATE's time updates cost more than
    local reads saved; else UPDATE doubles, up to four times `patience`.

    By page: one whose copy lost, over its life, waits twice as long the next time; one whose copy won a
    quarter as long, if its home agrees. The next copy is dropped after half as many updates as the last one
    at first.

    By processor, for pages new to it: DELAY is learned by regret. What a lossy copy lost, and a first event
    that led to nothing, speak for a longer one; half the reads beyond `least` before a copy for a shorter
    one. When either outweighs the other by two replications, it grows or shrinks by a half, never below
    `least`.

    Parameters:
        remote_read, local_access, update, page_fault, replication: costs in cycles, of a page of this size.
    """

    remote_read: int
    local_access: int
    update: int
    page_fault: int
    replication: int
    counter_bits: ClassVar[int] = 12  # no initial value is larger than such a counter holds
    least_update: ClassVar[int] = 32
    _pages: dict[Pair, _Page] = field(default_factory=dict)
    _nodes: dict[int, _Node] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """Cycles that a local read saves."""
        return self.remote_read - self.local_access

    @property
    def least(self) -> int:
        """Remote reads that cost as much as a replication."""
        return self._limited(-(-self.replication // self.gain))

    @property
    def patience(self) -> int:
        """Updates that cost as much as a replication."""
        return self._limited(self.replication // self.update)

    @property
    def retry(self) -> int:
        """Remote reads that cost 32 times as much as asking in vain."""
        return 32 * (self.page_fault + self.remote_read) // self.remote_read

    def first_delay(self, processor: int) -> int:
        return self._node(processor).delay

    def on_delay(self, pair: Pair, reads: int, writes: int) -> DelayAnswer:
        page = self._pages.setdefault(pair, _Page(self.patience))
        if self.gain * reads <= self.update * writes:
            if not page.asked:
                self._learn(pair[1], self.page_fault + self.remote_read)
            page.asked = True
            return DelayAnswer(False, self._limited(min(2 * reads, max(self.least, self.retry))), 1)
        if not page.proven:
            self._learn(pair[1], -(self.gain * (max(reads, self.least) - self.least) // 2))
        page.benefit, page.delay, page.update = -self.replication, reads, page.patience
        return DelayAnswer(True, page.update, 1)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int) -> UpdateAnswer:
        page = self._pages[pair]
        saved = self.gain * reads - self.update * updates
        page.benefit += saved - self.page_fault
        if saved >= 0:
            page.update = min(self._limited(2 * page.update), self._limited(4 * self.patience))
            return UpdateAnswer(False, page.update)
        page.patience = max(page.patience // 2, min(self.patience, self.least_update))
        page.proven = page.benefit >= 0
        if page.proven:
            return UpdateAnswer(True, self._limited(page.delay // 4))
        self._learn(pair[1], -page.benefit)
        return UpdateAnswer(True, self._limited(2 * max(page.delay, self.least)))

    def _node(self, processor: int) -> _Node:
        return self._nodes.setdefault(processor, _Node(self._limited(2 * self.least)))

    def _learn(self, processor: int, regret: int) -> None:
        node = self._node(processor)
        node.regret += regret
        if node.regret > 2 * self.replication:
            node.delay, node.regret = self._limited(node.delay + (node.delay + 1) // 2), 0
        elif node.regret < -2 * self.replication:
            node.delay, node.regret = max(self.least, node.delay * 2 // 3), 0

    def _limited(self, value: int) -> int:
        return min(max(value, 1), (1 << self.counter_bits) - 1)
