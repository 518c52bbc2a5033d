# SPDX-License-Identifier: BSD-2-Clause
"""The tail: refault distances of one context whose operating system evicts pages (issue 22, item 1).

The hardware sees only resident pages: an evicted page's frame is freed, so the page leaves the hardware's
stack, and its next access is a miss. Software notes the order of evictions. The pages that are out, the last
evicted first, continue the stack behind the resident ones. If the victims are those of exact LRU, both
together are Mattson's stack.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal

from litemrc.golden.monitor.lru_stack import LruStack


@dataclass
class EvictingContext:
    """One context with room for `resident` pages.

    Attributes
    ----------
    hits
        what the hardware counts, by group of LRU position.
    misses
        accesses to pages that were not resident.
    tail
        refaults, by group of LRU position; the last group includes those beyond.

    Parameters
    ----------
    resident
        pages that fit.
    group_pages
        pages of a group.
    groups
        groups of the hardware's stack.
    tail_groups
        groups of the tail.
    victims
        `lru`, or `fifo`: the page that has been resident for the longest time, as a kernel evicts
        whose processor does not set accessed bits.
    overhead
        other resident pages, accessed all the time: kernel memory, stacks.
    """

    resident: int
    group_pages: int
    groups: int
    tail_groups: int
    victims: Literal["lru", "fifo"] = "lru"
    overhead: int = 0
    hits: list[int] = field(init=False)
    tail: list[int] = field(init=False)
    misses: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.hits = [0] * self.groups
        self.tail = [0] * self.tail_groups
        self._stack = LruStack[Hashable]()  # of the hardware
        self._queue = LruStack[Hashable]()  # resident pages, the last loaded first
        self._evicted = LruStack[Hashable]()  # the last evicted first

    def access(self, page: Hashable) -> None:
        """Access a page; if it is not resident, evict another one first if there is no room."""
        if page in self._stack:
            position = self._stack.access(page)
            assert position is not None
            group = (position + self.overhead) // self.group_pages
            assert group < self.groups, "more pages are resident than the hardware's stack holds"
            self.hits[group] += 1
            return
        self.misses += 1
        if len(self._stack) == self.resident:
            self._evict()
        later = self._evicted.remove(page)
        if later is not None:
            group = (self.overhead + len(self._stack) + later) // self.group_pages
            self.tail[min(group, self.tail_groups - 1)] += 1
        self._stack.access(page)
        self._queue.access(page)

    def _evict(self) -> None:
        order = self._stack if self.victims == "lru" else self._queue
        victim = order.pages[-1]
        self._stack.remove(victim)
        self._queue.remove(victim)
        self._evicted.access(victim)

    @property
    def combined(self) -> list[int]:
        """Hits by group of LRU position, of hardware and tail together."""
        long, short = (self.tail, self.hits) if self.tail_groups > self.groups else (self.hits, self.tail)
        return [count + (short[group] if group < len(short) else 0) for group, count in enumerate(long)]
