"""Reference counters ("Reference counters") that find their initial values themselves.

`litemrc.golden.machines.numa` asks them, `native/numa/self_tuned.hpp` is the same in C++.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

from litemrc.policies.replication import DelayAnswer, Pair, UpdateAnswer, Window


@dataclass
class _Page:
    """What a processor knows of a page.

    Attributes:
        patience: the first initial value of the next copy's UPDATE.
        reads: remote ones, in the runs of DELAY that led to no copy.
        copied_reads: of the copy, before UPDATE was last armed.
        benefit: of its copy, in cycles.
        delay, update: remote reads after which the copy was made; initial value of its UPDATE.
        proven: its last copy was worth more than it cost.
        asked: its home has been asked in vain.
        early: its copy was made before `least` reads.
        on_trial: its copy is one by which optimism is judged.
    """

    patience: int
    reads: int = 0
    copied_reads: int = 0
    benefit: int = 0
    delay: int = 0
    update: int = 0
    proven: bool = False
    asked: bool = False
    early: bool = False
    on_trial: bool = False


@dataclass
class _Node:
    """What a processor has learned.

    Attributes:
        delay: initial value for pages that are new to it.
        purse: cycles that early copies may still lose.
        trials: pages copied early, of which it is not known yet whether that pays.
        regret: cycles that a longer delay would have saved, less those that a shorter one would have.
    """

    delay: int
    purse: int
    trials: deque[int] = field(default_factory=deque)
    regret: int = 0


@dataclass
class SelfTuned:
    """Ours: initial values that follow from the costs, and from what became of earlier copies.

    `least` remote reads cost as much as a copy. Who waits for as many loses at most as much again, as who
    rents skis until the rent has come to their price; but where all pages are worth a copy, that is lost for
    each of them. So a processor begins as an optimist: DELAY is an eighth of `least`, and what its early
    copies lose is paid from a purse of four replications. A copy is judged when the next but one is made, by
    twice the reads it has had (a page lives on as long as it has lived): what they saved beyond its cost
    fills the purse, what they fell short empties it; so do a dropped copy's whole loss, and a page's first
    event that led to nothing. When the purse is empty, the processor is cautious from then on: DELAY is twice
    `least`, also of pages that are counted already.

    At an event, counts are compared by what they cost. The home of a page knows how often it was written (all
    writes come there; a message, charged, asks it): if updates of a copy had cost more than its local reads
    would have saved since DELAY was armed, the page stays remote. It is asked about again after twice as many
    reads, but soon enough that a program which reads what it wrote in an earlier phase is not missed, and so
    rarely that asking costs a 32nd of the reads. The first UPDATE, `patience`, is the number of updates that
    cost as much as a copy. A copy is dropped if in UPDATE's time updates cost more than local reads saved;
    else UPDATE doubles, up to four times `patience`.

    By page: one whose copy lost, over its life, waits twice as long the next time; one whose copy won a
    quarter as long, whatever was written in between. The next copy is dropped after half as many updates as
    the last one at first.

    By cautious processor, for pages new to it: DELAY is learned by regret. What a lossy copy lost, and a
    first event that led to nothing, speak for a longer one; half the reads beyond `least` before a copy for
    a shorter one. When either outweighs the other by two replications, it grows or shrinks by a half, never
    below `least`.

    Parameters: costs in cycles, of a page of this size.
    """

    remote_read: int
    local_access: int
    update: int
    page_fault: int
    replication: int
    counter_bits: ClassVar[int] = 12  # no initial value is larger than such a counter holds
    least_update: ClassVar[int] = 32
    optimism: ClassVar[int] = 8
    purse: ClassVar[int] = 4  # replications
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
        """Remote reads that cost 32 times what asking in vain does."""
        return 32 * (self.page_fault + self.remote_read) // self.remote_read

    def first_delay(self, processor: int) -> int:
        return self._node(processor).delay

    def on_delay(self, pair: Pair, reads: int, writes: int, window: Window) -> DelayAnswer:
        page, node = self._pages.setdefault(pair, _Page(self.patience)), self._node(pair[1])
        page.reads += reads
        self._judge(pair[1], node, window)
        if not page.proven and self.gain * reads <= self.update * writes:
            if not page.asked:
                self._learn(node, self.page_fault + self.remote_read)
                self._earn(node, -self.page_fault - self.remote_read, window)
            page.asked, page.reads = True, 0
            return DelayAnswer(False, self._limited(min(2 * reads, max(self.least, self.retry))), 1)
        page.early = page.reads < self.least
        trial = page.early and not page.proven
        if trial and not self._hopes(node):
            return DelayAnswer(False, node.delay - page.reads, 0)  # armed when there was hope
        page.on_trial = trial
        if trial:
            node.trials.append(pair[0])
        elif not page.proven:
            self._learn(node, -(self.gain * (page.reads - self.least) // 2))
        page.benefit, page.delay, page.update = -self.replication, page.reads, page.patience
        page.reads = page.copied_reads = 0
        return DelayAnswer(True, page.update, 1)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int, window: Window) -> UpdateAnswer:
        page, node = self._pages[pair], self._node(pair[1])
        saved = self.gain * reads - self.update * updates
        page.benefit += saved - self.page_fault
        page.copied_reads += reads
        if saved >= 0:
            page.update = min(self._limited(2 * page.update), self._limited(4 * self.patience))
            return UpdateAnswer(False, page.update)
        page.patience = max(page.patience // 2, min(self.patience, self.least_update))
        page.proven = page.benefit >= 0
        if page.on_trial:
            page.on_trial = False
            self._earn(node, page.benefit, window)
        if page.proven:
            return UpdateAnswer(True, self._limited(page.delay // 4))
        if not page.early:
            self._learn(node, -page.benefit)
        return UpdateAnswer(True, self._limited(2 * max(page.delay, self.least)))

    def _node(self, processor: int) -> _Node:
        first = _Node(max(self.least // self.optimism, 1), self.purse * self.replication)
        return self._nodes.setdefault(processor, first)

    def _hopes(self, node: _Node) -> bool:
        return node.delay < self.least  # as only an optimist's

    def _judge(self, processor: int, node: _Node, window: Window) -> None:
        """All early copies but the last."""
        while len(node.trials) > 1:
            number = node.trials.popleft()
            page = self._pages[number, processor]
            if page.on_trial:
                page.on_trial = False
                reads = page.copied_reads + window.local_reads(number)
                self._earn(node, 2 * self.gain * reads - self.replication, window)

    def _earn(self, node: _Node, cycles: int, window: Window) -> None:
        if not self._hopes(node):
            return
        node.purse = min(node.purse + cycles, self.purse * self.replication)
        if node.purse < 0:
            node.delay = self._limited(2 * self.least)
            window.raise_delays(node.delay)

    def _learn(self, node: _Node, regret: int) -> None:
        if self._hopes(node):
            return
        node.regret += regret
        if node.regret > 2 * self.replication:
            node.delay, node.regret = self._limited(node.delay + (node.delay + 1) // 2), 0
        elif node.regret < -2 * self.replication:
            node.delay, node.regret = max(self.least, node.delay * 2 // 3), 0

    def _limited(self, value: int) -> int:
        return min(max(value, 1), (1 << self.counter_bits) - 1)
