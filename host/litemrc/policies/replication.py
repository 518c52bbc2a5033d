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
class _Copy:
    """A copy's balance in cycles, the DELAY after which it was made, and the initial value of its UPDATE."""

    benefit: int
    delay: int
    update: int


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
    spent in vain. In the same way UPDATE is the number of updates that cost as much as making the copy
    anew.

    At the event, counts are compared by what they cost. The home of a page knows how often it was written
    (it receives all updates; a message, charged, asks it): if updates of a copy had cost more than its
    local reads had saved since DELAY was armed, the page stays remote, and is asked about again after twice
    as many reads. A copy is dropped if in UPDATE's time updates cost more than local reads saved; one that
    lost over its life waits twice as long the next time, one that is kept is looked at half as often, down
    to a quarter.

    Each processor learns DELAY for pages new to it, by regret: what a lossy copy lost, and an event that
    led to nothing, speak for a longer one; half the reads beyond `least` before a good one for a shorter
    one. When either outweighs the other by two replications, it grows or shrinks by a half.

    Parameters:
        remote_read, local_access, update, page_fault, replication: costs in cycles, of a page of this size.
        counter_bits: no initial value is larger than such a counter holds.
    """

    remote_read: int
    local_access: int
    update: int
    page_fault: int
    replication: int
    counter_bits: ClassVar[int] = 12
    _copies: dict[Pair, _Copy] = field(default_factory=dict)
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

    def first_delay(self, processor: int) -> int:
        return self._node(processor).delay

    def on_delay(self, pair: Pair, reads: int, writes: int) -> DelayAnswer:
        if self.gain * reads <= self.update * writes:
            self._learn(pair[1], self.page_fault + self.remote_read)
            return DelayAnswer(False, self._limited(2 * reads), 1)
        self._learn(pair[1], -(self.gain * (max(reads, self.least) - self.least) // 2))
        self._copies[pair] = _Copy(-self.replication, reads, self.patience)
        return DelayAnswer(True, self.patience, 1)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int) -> UpdateAnswer:
        copy = self._copies[pair]
        saved = self.gain * reads - self.update * updates
        copy.benefit += saved - self.page_fault
        if saved >= 0:
            copy.update = min(self._limited(2 * copy.update), self._limited(4 * self.patience))
            return UpdateAnswer(False, copy.update)
        if copy.benefit >= 0:
            return UpdateAnswer(True, copy.delay)
        self._learn(pair[1], -copy.benefit)
        return UpdateAnswer(True, self._limited(2 * copy.delay))

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
