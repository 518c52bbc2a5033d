"""Reference counters: two down-counters a page, DELAY and UPDATE, that tell when they reach zero.

Source: the paper on reference counters, DELAY and UPDATE (papers/reference-counters-delay-update), sections 1
and 2. Selectors, the queue and resets are ours.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Counter(IntEnum):
    """The two counters of a page."""

    DELAY = 0  # requests that make a copy worth while
    UPDATE = 1  # requests that make it a burden


class Event(NamedTuple):
    """A counter has reached zero."""

    page: int
    counter: Counter


@dataclass(frozen=True)
class Selector:
    """Which requests a counter counts: those that all of these let pass.

    :param masters: numbers of masters.
    :param contexts: numbers of contexts.
    :param lower: first page.
    :param upper: last page.
    """

    reads: bool
    writes: bool
    masters: Collection[int]
    contexts: Collection[int]
    lower: int
    upper: int

    def passes(self, page: int, write: bool, master: int, context: int) -> bool:
        """Whether it counts a request."""
        direction = self.writes if write else self.reads
        return (
            direction
            and master in self.masters
            and context in self.contexts
            and self.lower <= page <= self.upper
        )


NOTHING = Selector(reads=False, writes=False, masters=(), contexts=(), lower=0, upper=0)


class RefCounters:
    """Counts requests down, page by page.

    A counter loaded with v tells the v-th request that it counts, once: then it is silent until it is loaded
    or reset. One loaded with 0 is off. A new object's counters are off.

    Events wait in a queue. The two of one request are an entry; an entry that finds `queue_depth` of them is
    lost, and its events are counted.

    :param pages: a power of two.
    :param width: bits of a counter.
    :param queue_depth: entries.
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
        """Count one request; the events it makes, lost or not."""
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
        """A counter's value."""
        return self._counters[counter][page]

    def load(self, page: int, counter: Counter, value: int) -> None:
        """Give a counter a value of its own.

        :raises ValueError: if it is too large for the counter.
        """
        if not 0 <= value <= self._limit:
            raise ValueError(
                f"counter {counter.name} of page {page}: {value} is not in 0..{self._limit}: choose a "
                "smaller value or wider counters"
            )
        self._counters[counter][page] = value

    def rearm(self, page: int, counter: Counter) -> None:
        """Give a counter its initial value."""
        self.load(page, counter, self.initials[counter])

    def reset(self) -> None:
        """Give all counters their initial values."""
        for counter in Counter:
            for page in range(len(self._counters[counter])):
                self.load(page, counter, self.initials[counter])

    @property
    def queued(self) -> int:
        """Events in the queue."""
        return sum(map(len, self._queue))

    def take(self) -> Event | None:
        """The oldest event, DELAY first of those of one request; None if there is none."""
        if not self._queue:
            return None
        event = self._queue[0].pop(0)
        if not self._queue[0]:
            self._queue.popleft()
        return event
