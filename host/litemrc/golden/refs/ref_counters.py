# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters: two down-counters per page, DELAY and UPDATE, that raise an event at zero.

Source: the paper on reference counters (papers/reference-counters-delay-update), sections 1 and 2. Selectors,
the queue and resets are ours.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Counter(IntEnum):
    """The two counters of a page."""

    DELAY = 0  # requests until a copy pays
    UPDATE = 1  # requests until a copy costs more than it saves


class Event(NamedTuple):
    """A counter reached zero."""

    page: int
    counter: Counter


@dataclass(frozen=True)
class Selector:
    """Selects the requests that a counter counts; a request must match every field.

    Parameters
    ----------
    masters, contexts
        selected numbers.
    lower
        first page.
    upper
        last page.
    """

    reads: bool
    writes: bool
    masters: Collection[int]
    contexts: Collection[int]
    lower: int
    upper: int

    def passes(self, page: int, write: bool, master: int, context: int) -> bool:
        """Return whether a request is counted."""
        direction = self.writes if write else self.reads
        return (
            direction
            and master in self.masters
            and context in self.contexts
            and self.lower <= page <= self.upper
        )


NOTHING = Selector(reads=False, writes=False, masters=(), contexts=(), lower=0, upper=0)


class RefCounters:
    """Per-page down-counters of requests.

    A counter loaded with v raises one event at the v-th request that it counts; then it is off until it is
    loaded or reset. A counter loaded with 0 is off. Initially all counters are off.

    Events wait in a queue. The events of one request form one entry. An entry that finds the queue full is
    dropped, and its events are counted in `lost`.

    Parameters
    ----------
    pages
        a power of two.
    width
        bits of a counter.
    queue_depth
        entries of the queue.
    """

    def __init__(self, pages: int, width: int = 12, queue_depth: int = 512) -> None:
        self.selectors = [NOTHING, NOTHING]
        self.initials = [0, 0]
        self.fired = self.lost = 0
        self._limit = 2**width - 1
        self._queue_depth = queue_depth
        self._counters = [[0] * pages for _ in Counter]
        self._queue: deque[list[Event]] = deque()

    def request(self, page: int, write: bool, master: int = 0, context: int = 0) -> list[Event]:
        """Count one request; return its events, including lost ones."""
        events = []
        for counter in Counter:
            if not self.selectors[counter].passes(page, write, master, context):
                continue
            counters = self._counters[counter]
            if counters[page] > 0:
                counters[page] -= 1
                if counters[page] == 0:
                    events.append(Event(page, counter))
        self.fired += len(events)
        if events and len(self._queue) < self._queue_depth:
            self._queue.append(list(events))
        else:
            self.lost += len(events)
        return events

    def read(self, page: int, counter: Counter) -> int:
        """Return a counter's value."""
        return self._counters[counter][page]

    def load(self, page: int, counter: Counter, value: int) -> None:
        """Load a counter.

        Raises
        ------
        ValueError
            if the value does not fit the counter.
        """
        if not 0 <= value <= self._limit:
            raise ValueError(
                f"counter {counter.name} of page {page} must be 0 to {self._limit} (got {value}): choose a "
                "smaller value or wider counters"
            )
        self._counters[counter][page] = value

    def rearm(self, page: int, counter: Counter) -> None:
        """Load a counter with its initial value."""
        self.load(page, counter, self.initials[counter])

    def reset(self) -> None:
        """Load all counters with their initial values."""
        for counter in Counter:
            for page in range(len(self._counters[counter])):
                self.load(page, counter, self.initials[counter])

    @property
    def queued(self) -> int:
        """Return the number of events in the queue."""
        return sum(map(len, self._queue))

    def take(self) -> Event | None:
        """Remove and return the oldest event, DELAY before UPDATE of one request; None if there is none."""
        if not self._queue:
            return None
        event = self._queue[0].pop(0)
        if not self._queue[0]:
            self._queue.popleft()
        return event
