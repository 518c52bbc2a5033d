# SPDX-License-Identifier: BSD-2-Clause
"""Processes whose total footprint moves between two shares of a machine's memory.

Panwar 2015, "Results": light is 10 to 50 %, medium 30 to 80 %. The paper gives no more than that; the means
are about those implied by its optima (table 2: 69 and 57 % of memory could be offline). Processes start, free
parts of their memory and end. The kernel has pages for each of them, some of which outlive it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from litemrc.errors import UserError
from numpy.typing import NDArray

from litemrc_studies.panwar2015.machine.workloads.events import (
    FREE,
    UNMOVABLE,
    BlockNumbers,
    Events,
    interleaved,
)

_LARGE_ORDER = 9  # of transparent huge pages
_PAGE_TABLE_PAGES = 512  # pages mapped by one page-table page
_STACK_ORDER = 2  # of a kernel stack, 16 KB
_PART_FREED = (0.1, 0.3)  # share of a process that a partial free releases
_PART_CHANCE = 0.05  # probability of a partial free per tick
_SHORT_LIFE, _LONG_LIFE, _SHORT_SHARE = 30, 1000, 0.8  # mean lives in ticks, share of short ones
_LEVEL_TICKS = (10, 60)  # range of the time at a level and of the ramp to the next one
_DRAWN = 101  # drawn levels, of which the median is used
_PEAKS = 0.6  # shape of the levels' distribution; 1: flat
_KERNEL_STAYS = 0.2  # share of a process's kernel pages that outlive it
_KERNEL_LIFE = 200  # mean ticks
_SLACK = 0.002  # share of memory by which the footprint may miss its target

Pieces = list[tuple[NDArray[np.uint8], NDArray[np.uint32]]]


@dataclass(frozen=True)
class Footprint:
    """A workload.

    Attributes
    ----------
    low, high
        range of the footprint as shares of memory.
    mean
        mean level of the footprint.
    kernel
        unmovable kernel pages of a process as a share of its own pages, at least its page tables
        and stacks. Some outlive the process.
    large
        share of a process's pages allocated as blocks of 2 MB.
    process
        mean share of memory of a process.
    burst
        consecutive pages allocated by one process.
    """

    low: float
    high: float
    mean: float
    kernel: float = 0.02
    large: float = 0.1
    process: float = 0.004
    burst: int = 64

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 0.95:
            raise UserError(
                f"a footprint cannot be {self.low:.0%} to {self.high:.0%} of memory",
                remedy="give a first share below the second, and a second of at most 95 %",
            )
        if not self.low < self.mean < self.high:
            raise UserError(
                f"the mean footprint, {self.mean:.0%}, is not between {self.low:.0%} and {self.high:.0%}",
                remedy="give a mean between them",
            )
        for name in ("kernel", "large"):
            if not 0 <= getattr(self, name) < 0.9:
                raise UserError(f"{name} share {getattr(self, name)}", remedy="give a share from 0 to 0.9")


LIGHT = Footprint(0.10, 0.50, 0.30)
MEDIUM = Footprint(0.30, 0.80, 0.46)


@dataclass
class _Process:
    numbers: NDArray[np.uint32]
    orders: NDArray[np.uint8]
    kernel: NDArray[np.uint32]
    kernel_pages: int
    life: float
    node: int

    @property
    def pages(self) -> int:
        return int((1 << self.orders.astype(np.int64)).sum())


@dataclass
class FootprintTrace:
    """The events of a workload; deterministic for its parameters.

    Attributes
    ----------
    memory_pages
        of the machine.
    nodes
        number of NUMA nodes over which processes are distributed.
    """

    workload: Footprint
    memory_pages: int
    ticks: int = 1000
    seed: int = 1
    nodes: int = 1
    tick_s: float = 1.0
    title: str = ""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        load = self.workload
        self.title = self.title or (
            f"footprint of {load.low:.0%} to {load.high:.0%}, seed {self.seed}, {self.ticks} ticks"
        )

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks; the first one starts the initial processes."""
        return _Run(self).events()


class _Run:
    def __init__(self, trace: FootprintTrace) -> None:
        self._trace, self._workload = trace, trace.workload
        self._random = np.random.default_rng(trace.seed)
        self._numbers = BlockNumbers()
        self._processes: list[_Process] = []
        self._stay: list[tuple[int, NDArray[np.uint32], int]] = []  # (end tick, kernel blocks, node)
        self._used = 0
        self._pieces: Pieces = []
        self._nodes: list[int] = []

    def events(self) -> Iterator[Events]:
        targets = _levels(self._workload, self._trace.ticks, self._random) * self._trace.memory_pages
        self._permanent_kernel(int(targets.min() * self._workload.kernel / 2))
        for tick, target in enumerate(targets):
            self._pieces, self._nodes = self._pieces if tick == 0 else [], self._nodes if tick == 0 else []
            self._end_expired(tick)
            self._free_parts()
            slack = _SLACK * self._trace.memory_pages
            while self._used > target + slack and self._processes:
                self._shrink(tick, self._used - target)
            while self._used < target - slack:
                self._begin(int(target - self._used))
            yield interleaved(
                self._pieces,
                self._workload.burst,
                self._random,
                self._nodes if self._trace.nodes > 1 else None,
            )
            self._numbers.next_tick()

    def _piece(self, codes: NDArray[np.uint8], numbers: NDArray[np.uint32], node: int) -> None:
        self._pieces.append((codes, numbers))
        self._nodes.append(node)

    def _permanent_kernel(self, pages: int) -> None:
        """Allocate the permanent kernel pages."""
        self._piece(np.full(pages, UNMOVABLE, np.uint8), self._numbers.take(pages), 0)
        self._used += pages

    def _begin(self, most: int) -> None:
        """Start a process of at most `most` pages."""
        mean = self._workload.process * self._trace.memory_pages
        size = int(np.clip(self._random.lognormal(np.log(mean / 1.65), 1.0), 16, max(most, 16)))
        large = int(size * self._workload.large) >> _LARGE_ORDER
        small = size - (large << _LARGE_ORDER)
        orders = np.zeros(small + large, np.uint8)
        orders[self._random.choice(small + large, large, replace=False)] = _LARGE_ORDER
        numbers = self._numbers.take(len(orders))
        # Kernel pages: page tables in between, two stacks, and the rest of the share as single pages.
        tables = len(range(0, small, _PAGE_TABLE_PAGES))
        others = max(int(size * self._workload.kernel) - tables - (2 << _STACK_ORDER), 0)
        kernel_codes = np.full(2 + tables + others, UNMOVABLE, np.uint8)
        kernel_codes[:2] |= _STACK_ORDER
        kernel = self._numbers.take(len(kernel_codes))
        at = np.sort(self._random.integers(0, len(orders), len(kernel)))
        at[:2] = 0
        short = self._random.random() < _SHORT_SHARE
        node = len(self._processes) % self._trace.nodes
        self._piece(np.insert(orders, at, kernel_codes), np.insert(numbers, at, kernel), node)
        kernel_pages = tables + others + (2 << _STACK_ORDER)
        life = _SHORT_LIFE if short else _LONG_LIFE
        self._processes.append(_Process(numbers, orders, kernel, kernel_pages, life, node))
        self._used += size + kernel_pages

    def _end(self, index: int, tick: int) -> None:
        process = self._processes.pop(index)
        stays = int(len(process.kernel) * _KERNEL_STAYS) if len(process.kernel) > 2 else 0
        staying = self._random.choice(process.kernel[2:], min(stays, len(process.kernel) - 2), replace=False)
        going = np.setdiff1d(process.kernel, staying, assume_unique=True)
        self._free(np.concatenate((process.numbers, going)), process.node)
        self._used -= process.pages + process.kernel_pages - len(staying)
        # Freed in parts at different times, like inodes and dentries.
        for part in np.array_split(staying, 4):
            if len(part):
                until = tick + 1 + int(self._random.exponential(_KERNEL_LIFE))
                self._stay.append((until, part, process.node))

    def _end_expired(self, tick: int) -> None:
        ends = self._random.random(len(self._processes))
        for index in range(len(self._processes) - 1, -1, -1):
            if ends[index] < 1 / self._processes[index].life:
                self._end(index, tick)
        for until, numbers, node in self._stay:
            if until == tick:
                self._free(numbers, node)
                self._used -= len(numbers)
        self._stay = [stay for stay in self._stay if stay[0] > tick]

    def _free_parts(self) -> None:
        for index in np.flatnonzero(self._random.random(len(self._processes)) < _PART_CHANCE):
            self._free_part(self._processes[index], self._random.uniform(*_PART_FREED))

    def _shrink(self, tick: int, excess: float) -> None:
        index = int(self._random.integers(len(self._processes)))
        process = self._processes[index]
        if process.pages <= 2 * excess:
            self._end(index, tick)
        else:
            self._free_part(process, excess / process.pages)

    def _free_part(self, process: _Process, share: float) -> None:
        """Free a run of consecutive pages."""
        count = int(np.ceil(share * len(process.numbers)))
        begin = int(self._random.integers(len(process.numbers) - count + 1))
        part = slice(begin, begin + count)
        self._free(process.numbers[part], process.node)
        self._used -= int((1 << process.orders[part].astype(np.int64)).sum())
        process.numbers = np.delete(process.numbers, part)
        process.orders = np.delete(process.orders, part)

    def _free(self, numbers: NDArray[np.uint32], node: int) -> None:
        self._piece(np.full(len(numbers), FREE, np.uint8), numbers, node)
        self._numbers.give_back(numbers)


def _levels(workload: Footprint, ticks: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the target share of memory at each tick: levels, and linear ramps between them."""
    steps = random.integers(*_LEVEL_TICKS, size=2 * ticks // _LEVEL_TICKS[0])
    times = np.concatenate(([0], np.cumsum(steps)))
    times = times[: np.searchsorted(times, ticks) + 1]
    # A beta distribution of this mean with peaks at its ends reaches both ends. One level is taken from each
    # of as many equal parts of it as there are levels, so that the trace has about its mean.
    share = (workload.mean - workload.low) / (workload.high - workload.low)
    scale = _PEAKS / min(share, 1 - share)
    count = (len(times) + 1) // 2
    levels = np.sort(random.beta(share * scale, (1 - share) * scale, size=count * _DRAWN))
    levels = random.permutation(levels.reshape(count, _DRAWN)[:, _DRAWN // 2])
    at_times = np.repeat(levels, 2)[: len(times)]
    return workload.low + (workload.high - workload.low) * np.interp(np.arange(ticks), times, at_times)
