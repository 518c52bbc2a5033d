# SPDX-License-Identifier: BSD-2-Clause
"""Replication policies of the paper "Reference counters": when a page is replicated and a copy dropped.

A policy chooses the initial values of two counters. DELAY counts down a processor's remote reads of a page,
UPDATE the updates that its copy receives; at 0 the operating system asks the policy. `golden` asks these
classes; `native/replication.hpp` has their equals in C++.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

Pair = tuple[int, int]  # page, processor


class DelayAnswer(NamedTuple):
    """Decision when DELAY has reached 0.

    Attributes
    ----------
    replicate
        make a copy.
    value
        initial value of the copy's UPDATE, or of the re-armed DELAY; 0: off.
    asks
        messages to the home that ask how often the page was written.
    """

    replicate: bool
    value: int
    asks: int


class UpdateAnswer(NamedTuple):
    """Decision when UPDATE has reached 0.

    Attributes
    ----------
    drop
        drop the copy.
    value
        initial value of DELAY after a drop, or of the re-armed UPDATE.
    """

    drop: bool
    value: int


class Window(Protocol):
    """A processor's counters; each read or write by its operating system costs a local access."""

    def local_reads(self, page: int) -> int:
        """Return the reads of the local copy since UPDATE was armed; 0 without a copy."""
        ...

    def raise_delays(self, value: int) -> None:
        """Raise the initial value of every active DELAY to at least `value`; counts so far stay.

        Every active DELAY is read and written.
        """


@dataclass(frozen=True)
class FixedCounters:
    """The paper's policy: constant initial values; 0: the counter is off.

    A copy is dropped if it received more updates than local accesses since UPDATE was armed.
    """

    delay: int
    update: int = 0

    def first_delay(self, processor: int) -> int:
        return self.delay

    def on_delay(self, pair: Pair, reads: int, writes: int, window: Window) -> DelayAnswer:
        return DelayAnswer(True, self.update, 0)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int, window: Window) -> UpdateAnswer:
        if updates > reads + writes:
            return UpdateAnswer(True, self.delay)
        return UpdateAnswer(False, self.update)


@dataclass
class _Page:
    """State of a page at a processor.

    Attributes
    ----------
    first_update
        first initial value of the next copy's UPDATE.
    reads
        remote reads in runs of DELAY that led to no copy.
    copied_reads
        reads of the copy before UPDATE was last armed.
    benefit
        cycles saved by the copy.
    delay, update
        remote reads before the copy was made; initial value of its UPDATE.
    proven
        the last copy saved more than it cost.
    asked
        a request to the home led to no copy.
    early
        the copy was made before `least` reads.
    on_trial
        the copy is one of those that judge early copies.
    """

    first_update: int
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
    """State of a processor.

    Attributes
    ----------
    delay
        initial value of DELAY for new pages.
    purse
        cycles that early copies may still lose.
    trials
        pages copied early and not judged yet.
    regret
        cycles that a longer DELAY would have saved, minus those that a shorter one would have.
    """

    delay: int
    purse: int
    trials: deque[int] = field(default_factory=deque)
    regret: int = 0


@dataclass
class SelfTuned:
    """Ours: initial values derived from the costs and the outcome of earlier copies.

    `least` remote reads cost as much as a copy. A processor that waits for `least` reads pays at most twice
    the optimum (the ski-rental argument), but where all pages are worth a copy, it pays this for each of
    them.
    So a processor begins with early copies: DELAY is an eighth of `least`, and the losses of early copies are
    charged to a purse of four replications. A copy is judged when the next but one is made, by twice its
    reads so far (its expected life is twice its age). Their saving beyond the cost of the copy is added to
    the purse, a shortfall is subtracted. The loss of a dropped copy and the cost of a page's first event
    without a copy are also subtracted. When the purse is empty, the processor becomes cautious for good:
    DELAY is twice `least`, also for pages that are already counted.

    At an event, costs are compared. The home of a page counts its writes; one charged message asks for the
    count. If the updates of a copy since DELAY was armed would have cost more than its local reads saved, the
    page stays remote. The next event comes after twice as many reads, limited by `retry`, so that a program
    that reads data written in an earlier phase is detected and requests cost at most a 32nd of the reads. The
    first UPDATE, `first_update`, is the number of updates that cost as much as a copy. A copy is dropped if
    the updates since UPDATE was armed cost more than its local reads saved; otherwise UPDATE doubles, up to
    four times `first_update`.

    Per page: after a copy that lost over its life, the next DELAY is twice as long. After a copy that gained,
    it is a quarter, regardless of writes in between. The first UPDATE of the next copy is half that of the
    last one.

    Per cautious processor, for new pages: DELAY follows the regret. The loss of a copy and the cost of a
    first event without a copy argue for a longer DELAY; half the reads beyond `least` before a copy argue for
    a shorter one. When one side exceeds the other by two replications, DELAY grows by a half or shrinks by a
    third, never below `least`.

    Parameters: costs in cycles, for the page size in use.
    """

    remote_read: int
    local_access: int
    update: int
    page_fault: int
    replication: int
    counter_bits: ClassVar[int] = 12  # width of the counters; limits initial values
    least_update: ClassVar[int] = 32
    optimism: ClassVar[int] = 8
    purse: ClassVar[int] = 4  # replications
    _pages: dict[Pair, _Page] = field(default_factory=dict)
    _nodes: dict[int, _Node] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """Return the cycles that a local read saves."""
        return self.remote_read - self.local_access

    @property
    def least(self) -> int:
        """Return the number of remote reads that cost as much as a replication."""
        return self._limited(-(-self.replication // self.gain))

    @property
    def first_update(self) -> int:
        """Return the number of updates that cost as much as a replication."""
        return self._limited(self.replication // self.update)

    @property
    def retry(self) -> int:
        """Return the number of remote reads that cost 32 times a request without a copy."""
        return 32 * (self.page_fault + self.remote_read) // self.remote_read

    def first_delay(self, processor: int) -> int:
        return self._node(processor).delay

    def on_delay(self, pair: Pair, reads: int, writes: int, window: Window) -> DelayAnswer:
        page, node = self._pages.setdefault(pair, _Page(self.first_update)), self._node(pair[1])
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
        if trial and not self._copies_early(node):
            return DelayAnswer(False, node.delay - page.reads, 0)  # armed while early copies were allowed
        page.on_trial = trial
        if trial:
            node.trials.append(pair[0])
        elif not page.proven:
            self._learn(node, -(self.gain * (page.reads - self.least) // 2))
        page.benefit, page.delay, page.update = -self.replication, page.reads, page.first_update
        page.reads = page.copied_reads = 0
        return DelayAnswer(True, page.update, 1)

    def on_update(self, pair: Pair, updates: int, reads: int, writes: int, window: Window) -> UpdateAnswer:
        page, node = self._pages[pair], self._node(pair[1])
        saved = self.gain * reads - self.update * updates
        page.benefit += saved - self.page_fault
        page.copied_reads += reads
        if saved >= 0:
            page.update = min(self._limited(2 * page.update), self._limited(4 * self.first_update))
            return UpdateAnswer(False, page.update)
        page.first_update = max(page.first_update // 2, min(self.first_update, self.least_update))
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

    def _copies_early(self, node: _Node) -> bool:
        return node.delay < self.least  # only while early copies are allowed

    def _judge(self, processor: int, node: _Node, window: Window) -> None:
        """Judge all early copies except the last."""
        while len(node.trials) > 1:
            number = node.trials.popleft()
            page = self._pages[number, processor]
            if page.on_trial:
                page.on_trial = False
                reads = page.copied_reads + window.local_reads(number)
                self._earn(node, 2 * self.gain * reads - self.replication, window)

    def _earn(self, node: _Node, cycles: int, window: Window) -> None:
        if not self._copies_early(node):
            return
        node.purse = min(node.purse + cycles, self.purse * self.replication)
        if node.purse < 0:
            node.delay = self._limited(2 * self.least)
            window.raise_delays(node.delay)

    def _learn(self, node: _Node, regret: int) -> None:
        if self._copies_early(node):
            return
        node.regret += regret
        if node.regret > 2 * self.replication:
            node.delay, node.regret = self._limited(node.delay + (node.delay + 1) // 2), 0
        elif node.regret < -2 * self.replication:
            node.delay, node.regret = max(self.least, node.delay * 2 // 3), 0

    def _limited(self, value: int) -> int:
        return min(max(value, 1), (1 << self.counter_bits) - 1)
