# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware: protection faults and accessed bits (zhou2004, section 3.2), slow and plain.

The stack of a process holds its pages, most recently used first. Its top is the *scan list*: these pages may
be accessed, and the processor sets their accessed bits. All others are protected: an access faults, counts
its stack distance and puts the page on top, so that the last page of the scan list becomes protected. Every
`period` accesses the list is scanned: a page whose accessed bit is set counts its stack distance, and goes to
the top unless it is in the first group.

Decisions where the paper is silent; docs/engines.md has what they change:

- Time is the process's own: `period` counts its accesses.
- A scan goes from the top down, so that a page's distance is the one before the scan. From the bottom up, all
  accessed pages below it would already lie above it.
- A page that faulted is not counted again at the scan that ends the period. The instruction runs again after
  the fault and sets the accessed bit; without a bit of the system's own, the scan would count a second
  access, in the first group.
- A page that leaves the scan list within a period loses its accessed bit uncounted.
- A first touch is a page fault in any system: a miss, but no protection fault.
- A full stack forgets its last page for a new one. The next access to it is a protection fault and a miss.
- All accesses to a page within a period but the first are `unseen`. Their number is known if something
  counts accesses, or time; their distances are at most the number of pages accessed in the period. The
  paper's curve leaves them out.
- A process that frees its pages takes them out of the stack, with what their accessed bits held.
"""

from typing import NamedTuple


class Events(NamedTuple):
    """What an access, and the scan after it, cost.

    Attributes
    ----------
    faults
        protection faults.
    scans
        scans of the list.
    scanned
        pages whose accessed bits were read.
    accessed
        pages whose accessed bits were counted.
    crossed
        pages that were pushed into the next group.
    """

    faults: int = 0
    scans: int = 0
    scanned: int = 0
    accessed: int = 0
    crossed: int = 0

    def plus(self, other: "Events") -> "Events":
        """Return the sum."""
        return Events(*(mine + its for mine, its in zip(self, other, strict=True)))


class OsTracker:
    """One process under the tracker.

    Parameters
    ----------
    scan_list
        most pages of the scan list.
    period
        accesses between two scans.
    group_pages
        pages of a group.
    stack_pages
        most pages of the stack; None: no limit.
    """

    def __init__(self, scan_list: int, period: int, group_pages: int, stack_pages: int | None = None) -> None:
        self._scan_list, self._period, self._group_pages = scan_list, period, group_pages
        self._stack_pages = stack_pages
        self.hits: dict[int, int] = {}  # by group
        self.misses = self.unseen = self.accesses = 0
        self.events = Events()
        self._counted = 0  # of the accesses of the running period
        self.release()

    def access(self, page: int) -> Events:
        """Access a page; scan if the period is over."""
        events = self._access(page)
        self.accesses += 1
        if self.accesses % self._period == 0:
            events = events.plus(self._scan())
        self.events = self.events.plus(events)
        return events

    def release(self) -> None:
        """Free all pages of the process."""
        self._stack: list[int] = []  # most recently used first
        self._permitted = 0  # pages of the scan list, the top of the stack
        self._accessed: set[int] = set()  # pages whose accessed bits are set
        self._faulted: set[int] = set()  # pages that were counted in this period
        self._known: set[int] = set()  # pages that were ever touched

    def _access(self, page: int) -> Events:
        if page in self._stack[: self._permitted]:
            self._accessed.add(page)
            return Events()
        self._counted += 1
        fault = page in self._known
        self._known.add(page)
        self._faulted.add(page)
        if page in self._stack:
            position = self._stack.index(page)
            self._count(position)
            del self._stack[position]
        else:
            self.misses += 1
            if len(self._stack) == self._stack_pages:
                del self._stack[-1]
                self._permitted = min(self._permitted, len(self._stack))
            position = len(self._stack)
        self._stack.insert(0, page)
        self._permitted = min(self._permitted + 1, self._scan_list)
        return Events(faults=int(fault), crossed=position // self._group_pages)

    def _scan(self) -> Events:
        listed = self._stack[: self._permitted]
        accessed = crossed = 0
        for page in listed:
            if page in self._faulted or page not in self._accessed:
                continue
            accessed += 1
            position = self._stack.index(page)
            self._count(position)
            if position >= self._group_pages:
                crossed += position // self._group_pages
                self._stack.insert(0, self._stack.pop(position))
        self.unseen += self._period - self._counted - accessed
        self._counted = 0
        self._accessed.clear()
        self._faulted.clear()
        return Events(0, 1, len(listed), accessed, crossed)

    def _count(self, position: int) -> None:
        group = position // self._group_pages
        self.hits[group] = self.hits.get(group, 0) + 1
