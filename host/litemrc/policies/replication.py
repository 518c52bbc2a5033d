"""When pages are replicated close to a processor, and when copies are dropped: "Reference counters".

A policy chooses the initial values of two counters. DELAY counts a processor's remote reads of a page,
UPDATE the updates that arrive for its copy; at 0 the operating system is asked. It knows events and costs,
no trace and no machine: `golden.machines.numa` asks it, `native/numa/replication.hpp` is the same in C++.
`litemrc.policies.self_tuned_replication` is another.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class Window(Protocol):
    """A processor's counters, as its operating system reads and writes them; each costs a local access."""

    def local_reads(self, page: int) -> int:
        """Reads of its copy since UPDATE was armed; 0 if it has none."""

    def raise_delays(self, value: int) -> None:
        """Every DELAY that counts from less now counts from `value`; what it has counted stays. Each that
        counts is read and written."""


@dataclass(frozen=True)
class FixedCounters:
    """The paper's: both initial values are those of the whole run; 0: the counter does not count.

    A copy is dropped if more updates have arrived than its owner made local accesses since UPDATE was armed.
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
