# SPDX-License-Identifier: BSD-2-Clause
"""Rightsizing on a simulated kernel: the size predicted from one run beside bisection and Senpai's rule.

`python -m bench.rightsize [--reclaim lru|clock|fifo] [--json FILE]`. The kernel evicts by exact LRU, by
second chance (CLOCK, as Linux does with accessed bits) or first in, first out (as Linux does on VexRiscv,
which sets no accessed bits). The monitor counts what gateware and driver count: LRU stack distances among
resident pages, and refault distances behind them. A reference costs 1 ms, a refault 10 ms more.
"""

import argparse
import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from litemrc.curves.hit_counters import HitCounters
from litemrc.policies.rightsizing.rightsize import FaultCost, Window, rightsize
from litemrc.policies.rightsizing.senpai import SenpaiRule
from litemrc.traces.opening import open_trace

PROGRAMS = {
    "loop": "gen:loop?pages=700",
    "zipf": "gen:zipf?pages=1800&alpha=1.3",
    "phases": "gen:phases?pages=1600&phases=4&length=6000",
    "zipf+loop": "gen:zipf+loop?pages=800&alpha=1.2&loop_pages=400&share=0.7",
    "lists": "gen:lists?pages=1500&alpha=1.2",
    "sweeps": "gen:sweeps?pages=1200&regions=16",
}
REFERENCES = 60_000  # of a run; the first half warms up
COLD_PAGES = 800  # of each program, touched once, at its start
GROUP_PAGES, GROUPS = 32, 128
REFERENCE_S, FAULT_S, GOAL = 0.001, 0.010, 0.05
EPOCHS = 20
SENPAI_S = 1800


class Memory:
    """Resident pages under a limit.

    Attributes
    ----------
    refaults
        of pages that were resident before.
    resident
        the pages, in the order of eviction, with their accessed bits.
    """

    def __init__(self, reclaim: str, limit: int) -> None:
        self.refaults = 0
        self.resident: OrderedDict[int, bool] = OrderedDict()
        self._reclaim, self._limit = reclaim, limit
        self._known: set[int] = set()

    def limit_to(self, pages: int) -> list[int]:
        """Set the limit; return the pages evicted."""
        self._limit = pages
        return [self._evict() for _ in range(len(self.resident) - pages)]

    def reference(self, page: int) -> int | None:
        """Reference a page; return the page evicted for it, if any."""
        if page in self.resident:
            self.resident[page] = True
            if self._reclaim == "lru":
                self.resident.move_to_end(page)
            return None
        evicted = self._evict() if len(self.resident) >= self._limit else None
        self.refaults += page in self._known
        self._known.add(page)
        self.resident[page] = False
        return evicted

    def _evict(self) -> int:
        while True:
            page, accessed = self.resident.popitem(last=False)
            if not accessed or self._reclaim != "clock":
                return page
            self.resident[page] = False  # a second chance


class Order:
    """Pages by the time of their last event; counts those with a later one (Fenwick tree)."""

    def __init__(self, events: int) -> None:
        self._tree, self._now, self._size = [0] * (events + 2), 0, 0
        self._time: dict[int, int] = {}

    def __contains__(self, page: int) -> bool:
        return page in self._time

    def put(self, page: int) -> None:
        self._now += 1
        self._time[page] = self._now
        self._add(self._now, 1)

    def take(self, page: int) -> int:
        """Remove a page; return how many have a later event."""
        at = self._time.pop(page)
        self._add(at, -1)
        before = 0
        while at:
            before += self._tree[at]
            at &= at - 1
        return self._size - before

    def _add(self, at: int, change: int) -> None:
        self._size += change
        while at < len(self._tree):
            self._tree[at] += change
            at += at & -at


def observe(pages: Sequence[int], reclaim: str, limit: int) -> tuple[Window, int]:
    """Return what the monitor counts in the second half of a run, and the run's refaults in all."""
    memory, stack, out = Memory(reclaim, limit), Order(len(pages)), Order(len(pages))
    epochs, unknown, seconds = [], [], []
    half = len(pages) // 2
    for epoch in np.array_split(np.arange(len(pages)), 2 * EPOCHS):
        hits, tail, misses, before = np.zeros(GROUPS, int), np.zeros(2 * GROUPS, int), 0, memory.refaults
        for page in (pages[i] for i in epoch):
            if page in out:
                tail[min((len(memory.resident) + out.take(page)) // GROUP_PAGES, 2 * GROUPS - 1)] += 1
            if page in stack:
                hits[stack.take(page) // GROUP_PAGES] += 1
            else:
                misses += 1
            evicted = memory.reference(page)
            stack.put(page)
            if evicted is not None:
                stack.take(evicted)  # its frame is freed
                out.put(evicted)
        if epoch[0] >= half:
            epochs.append(HitCounters.of(hits, misses, GROUP_PAGES, refaults=tail))
            seconds.append(len(epoch) * REFERENCE_S + (memory.refaults - before) * FAULT_S)
            unknown.append(0)
    return Window.of(epochs, unknown, seconds, open_group=2 * GROUPS - 1), memory.refaults


def slowdown(pages: Sequence[int], reclaim: str, limit: int) -> tuple[float, int]:
    """Return the slowdown of the second half of a run under a limit, and the run's refaults in all."""
    memory = Memory(reclaim, limit)
    half = len(pages) // 2
    for page in pages[:half]:
        memory.reference(page)
    before = memory.refaults
    for page in pages[half:]:
        memory.reference(page)
    return (memory.refaults - before) * FAULT_S / ((len(pages) - half) * REFERENCE_S), memory.refaults


def bisect(pages: Sequence[int], reclaim: str) -> tuple[int, int]:
    """Return the smallest limit in whole groups that reaches the goal, and the refaults of all runs."""
    low, high, refaults = 0, -(-len(set(pages)) // GROUP_PAGES), 0
    while high - low > 1:
        middle = (low + high) // 2
        slow, taken = slowdown(pages, reclaim, middle * GROUP_PAGES)
        refaults += taken
        low, high = (low, middle) if slow <= GOAL else (middle, high)
    return high * GROUP_PAGES, refaults


def senpai(pages: Sequence[int], reclaim: str, limit: int) -> tuple[int, int, int]:
    """Return Senpai's limit after half an hour, and the refaults until it first backs off, and in all.

    Before it backs off, Senpai has not found where memory pressure begins.
    """
    memory, rule = Memory(reclaim, limit), SenpaiRule(limit, pressure_s=GOAL * 6)
    for page in pages:
        memory.reference(page)
    stream, found = _repeated(pages[COLD_PAGES:]), None
    limits = [float(limit)]
    for _ in range(SENPAI_S):
        left, before = 1.0, memory.refaults
        while left > 0:
            now = memory.refaults
            memory.reference(next(stream))
            left -= REFERENCE_S + (memory.refaults - now) * FAULT_S
        limits.append(rule.tick((memory.refaults - before) * FAULT_S))
        memory.limit_to(max(round(limits[-1]), 1))
        if found is None and limits[-1] > limits[-2]:
            found = memory.refaults
    return round(np.median(limits[-SENPAI_S // 4 :])), found or memory.refaults, memory.refaults


def _repeated(pages: Sequence[int]) -> Iterator[int]:
    while True:
        yield from pages


@dataclass(frozen=True)
class Row:
    """Sizes in pages; `shrunk` is observed at half the size of bisection, `full` without a limit."""

    program: str
    bisection: int
    full: int | None
    shrunk: int | None
    senpai: int
    slowdown_of_shrunk: float
    refaults_bisection: int
    refaults_full: int
    refaults_shrunk: int
    refaults_senpai_found: int
    refaults_senpai: int


def measure(name: str, reclaim: str) -> Row:
    """Return the row of a program."""
    url = f"{PROGRAMS[name]}&n={REFERENCES}&seed=3"
    hot = np.concatenate([chunk.pages for chunk in open_trace(url)])
    pages = [*range(-COLD_PAGES, 0), *hot.tolist()]
    everything = len(set(pages))
    right, taken = bisect(pages, reclaim)
    cost = FaultCost(FAULT_S, FAULT_S, FAULT_S)
    found = {}
    for start, limit in (("full", everything), ("shrunk", max(right // 2, GROUP_PAGES))):
        window, refaults = observe(pages, reclaim, limit)
        found[start] = (rightsize(window, cost, GOAL).pages, refaults)
    end, first, spent = senpai(pages, reclaim, everything)
    return Row(
        program=name,
        bisection=right,
        full=found["full"][0],
        shrunk=found["shrunk"][0],
        senpai=end,
        slowdown_of_shrunk=slowdown(pages, reclaim, found["shrunk"][0] or everything)[0],
        refaults_bisection=taken,
        refaults_full=found["full"][1],
        refaults_shrunk=found["shrunk"][1],
        refaults_senpai_found=first,
        refaults_senpai=spent,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reclaim", choices=("lru", "clock", "fifo"), default="clock")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    rows = []
    print(
        "| program | bisection | from all memory | from half of it | Senpai | refaults spent: bisection"
        " | from all | from half | Senpai until it backs off | Senpai in half an hour |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in PROGRAMS:
        rows.append(row := measure(name, args.reclaim))
        print(
            f"| {name} | {row.bisection} | {row.full} | {row.shrunk} | {row.senpai} |"
            f" {row.refaults_bisection:,} | {row.refaults_full:,} | {row.refaults_shrunk:,} |"
            f" {row.refaults_senpai_found:,} | {row.refaults_senpai:,} |",
            flush=True,
        )
    for start in ("full", "shrunk"):
        near = sum(abs((getattr(row, start) or 0) - row.bisection) <= GROUP_PAGES for row in rows)
        print(f"{start}: within one group of {GROUP_PAGES} pages of bisection for {near} of {len(rows)}")
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
