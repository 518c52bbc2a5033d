"""Replication policy of the paper "Reference counters": when a page is replicated and a copy dropped.

A policy chooses the initial values of two counters. DELAY counts down a processor's remote reads of a page,
UPDATE the updates that its copy receives; at 0 the operating system asks the policy. `golden` asks this
class; `native/replication.hpp` is its equal in C++. `self_tuned` is the other policy.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

Pair = tuple[int, int]  # page, processor


class DelayAnswer(NamedTuple):
    """Decision when DELAY has reached 0.

    Attributes:
        replicate: make a copy.
        value: initial value of the copy's UPDATE, or of the re-armed DELAY; 0: off.
        asks: messages to the home that ask how often the page was written.
    """

    replicate: bool
    value: int
    asks: int


class UpdateAnswer(NamedTuple):
    """Decision when UPDATE has reached 0.

    Attributes:
        drop: drop the copy.
        value: initial value of DELAY after a drop, or of the re-armed UPDATE.
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
