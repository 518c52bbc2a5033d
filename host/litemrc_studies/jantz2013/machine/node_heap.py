# SPDX-License-Identifier: BSD-2-Clause
"""A Java-like program on NUMA nodes: where its threads find their arrays (Jantz et al. 2013, section 6).

Threads run operations, each on arrays of its own. They allocate in eden: small arrays from allocation
buffers (TLABs), large ones by themselves. A full eden is collected: arrays in use are copied to a survivor
space, or to the tenured generation if they are old or do not fit. Physical pages stay where they were when
their virtual page was touched for the first time. Eden is one area that threads of all nodes have touched
before (`default`), or an area per node: bound by requests to the node (`library`) or by node affinity colors
(`colors`).
"""

import heapq
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from litemrc_studies.jantz2013.machine.hardware import LINES, PAGES_OF_MIB
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.policies.intents import parse_intents

WAYS = ("default", "library", "colors")
_COPIED_TOGETHER = 256  # pages; a thread of the collector copies them
_PROCESS = 0


@dataclass(frozen=True)
class Kernel:
    """A benchmark; each thread runs it by itself.

    Attributes
    ----------
    name
        of the benchmark.
    pages
        of the arrays of an operation.
    piece_pages
        pages of one array; small arrays, such as the rows of a matrix, come from TLABs.
    passes
        times that an operation goes through its arrays.
    compute_ns
        computation per reference to memory.
    references
        to memory per pass; None: each line of the arrays once.
    """

    name: str
    pages: int
    piece_pages: int
    passes: int = 20
    compute_ns: float = 60.0
    references: int | None = None

    @property
    def pass_references(self) -> int:
        return self.pages * LINES if self.references is None else self.references


@dataclass(frozen=True)
class HeapShape:
    """Sizes in pages, and times.

    Attributes
    ----------
    eden, survivor, tenured
        of the spaces; there are two survivor spaces.
    tlab
        of an allocation buffer.
    threads
        equally divided among the nodes.
    old_age
        collections after which arrays are promoted.
    local_ns, remote_ns
        of a reference to memory.
    """

    eden: int
    survivor: int
    tenured: int
    tlab: int = 256
    threads: int = 32
    old_age: int = 7
    local_ns: float = 80.0
    remote_ns: float = 130.0


@dataclass(frozen=True)
class HeapRun:
    """Result of a run.

    Attributes
    ----------
    local_share
        of all references to memory, those on the node of their thread.
    operation_ns
        mean time of an operation.
    collections
        of the young generation.
    tenured_share
        of all references, those to the tenured generation.
    """

    local_share: float
    operation_ns: float
    collections: int
    tenured_share: float


# The arrays of SPECjvm2008, scimark.*.large: fft has 2^21 complex numbers, lu two and sor one matrix of
# 2,048 rows of 16 KiB, sparse the values and columns of a sparse matrix; monte_carlo computes in the cache.
SCIMARK = (
    Kernel("fft", 32 * PAGES_OF_MIB, 32 * PAGES_OF_MIB),
    Kernel("lu", 64 * PAGES_OF_MIB, 4),
    Kernel("sor", 32 * PAGES_OF_MIB, 4),
    Kernel("sparse", 48 * PAGES_OF_MIB, 24 * PAGES_OF_MIB),
    Kernel("monte carlo", 64, 4, compute_ns=5_000.0, references=LINES),
)


class _Arrays:
    """The arrays of an operation: their virtual pages, and the share of them on the thread's node."""

    def __init__(self, pages: NDArray[np.int64], age: NDArray[np.int64]) -> None:
        self.pages, self.age = pages, age
        self.local = 0.0


class _Thread:
    """What a thread is doing."""

    def __init__(self, number: int, node: int) -> None:
        self.number, self.node = number, node
        self.arrays: _Arrays | None = None
        self.left = 0  # passes of the operation
        self.done = 0  # operations
        self.tlab = np.zeros(0, np.int64)
        self.taken: list[NDArray[np.int64]] = []  # allocated and not yet written


class NodeHeap:
    """A run of a kernel.

    Parameters
    ----------
    memory
        of the machine, with at least the heap's pages free on each node; `colors` needs trays.
    way
        one of `WAYS`.
    """

    def __init__(self, memory: Memory, shape: HeapShape, kernel: Kernel, way: str, seed: int = 1) -> None:
        self._memory, self._shape, self._kernel, self._way = memory, shape, kernel, way
        self._rng = np.random.default_rng(seed)
        self._nodes = memory.hardware.nodes
        areas = 1 if way == "default" else self._nodes
        ends = np.linspace(0, shape.eden, areas + 1).astype(int).tolist()
        self._areas = list(pairwise(ends))
        self._next = [begin for begin, _ in self._areas]
        self._survivors = [shape.eden, shape.eden + shape.survivor]
        self._tenured = self._tenured_begin = shape.eden + 2 * shape.survivor
        self._threads = [_Thread(number, number % self._nodes) for number in range(shape.threads)]
        self._references = self._local = self._old = 0.0
        self._collections, self._paused_ns = 0, 0.0
        if way == "colors":
            self._color_eden()
        for number, (begin, end) in enumerate(self._areas):
            if way == "default":
                self._touch(np.arange(begin, end), shape.tlab)
            else:
                memory.touch(_PROCESS, np.arange(begin, end), node=number)

    def run(self, operations: int, warm_up: int = 1) -> HeapRun:
        """Run operations on each thread; the first `warm_up` ones of each are not counted."""
        passes = self._kernel.passes
        # Threads begin at different times of an operation, as they would after a while.
        whole = passes * self._kernel.pass_references * (self._kernel.compute_ns + self._shape.local_ns)
        queue = [(float(self._rng.random() * whole), thread.number) for thread in self._threads]
        heapq.heapify(queue)
        began, counted_ns, counted = {number: 0.0 for _, number in queue}, 0.0, 0
        while queue:
            now, number = heapq.heappop(queue)
            thread = self._threads[number]
            if not thread.left:
                if thread.arrays is not None:
                    thread.done += 1
                    if thread.done > warm_up:
                        counted_ns += now + self._paused_ns - began[number]
                        counted += 1
                    thread.arrays = None
                if thread.done == operations + warm_up:
                    continue
                began[number] = now + self._paused_ns
                self._begin(thread)
                thread.left = passes
            thread.left -= 1
            heapq.heappush(queue, (now + self._pass(thread, thread.done >= warm_up), number))
        total = max(self._references, 1)
        return HeapRun(self._local / total, counted_ns / counted, self._collections, self._old / total)

    def _color_eden(self) -> None:
        """Give each area of eden the node affinity color of its node."""
        lines = ["INTENT MEM-AFFINITY", *(f"MEM-AFFINITY NODE{node} {node}" for node in range(self._nodes))]
        heap = self._tenured_begin + self._shape.tenured
        guidance = self._memory.guidance
        guidance.intend(_PROCESS, parse_intents("\n".join(lines)), heap, self._memory.trays())
        for node, (begin, end) in enumerate(self._areas):
            guidance.paint(_PROCESS, begin, end, f"NODE{node}")

    def _pass(self, thread: _Thread, counted: bool) -> float:
        """Let a thread go through its arrays once, and return the time."""
        arrays, shape, kernel = thread.arrays, self._shape, self._kernel
        assert arrays is not None
        if counted:
            self._references += kernel.pass_references
            self._local += kernel.pass_references * arrays.local
            self._old += kernel.pass_references * float((arrays.pages >= self._tenured_begin).mean())
        latency = shape.remote_ns + (shape.local_ns - shape.remote_ns) * arrays.local
        return kernel.pass_references * (kernel.compute_ns + latency)

    def _begin(self, thread: _Thread) -> None:
        """Allocate the arrays of an operation."""
        kernel, tlab = self._kernel, self._shape.tlab
        thread.arrays, thread.taken = _Arrays(np.zeros(0, np.int64), np.zeros(0, np.int64)), []
        left = kernel.pages
        while left:
            if kernel.piece_pages < tlab:  # all rows that the buffer holds, at once
                pages = self._from_tlab(thread, min(tlab, left))
            else:
                pages = self._from_eden(thread, min(kernel.piece_pages, left))
            thread.taken.append(pages)
            left -= pages.size
        self._write(thread)
        self._locate(thread)

    def _write(self, thread: _Thread) -> None:
        """Let a thread write the arrays that it has taken: it touches their pages."""
        arrays = thread.arrays
        if arrays is None or not thread.taken:
            return
        pages, thread.taken = np.concatenate(thread.taken), []
        self._memory.touch(_PROCESS, pages, node=thread.node)
        arrays.pages = np.concatenate([arrays.pages, pages])
        arrays.age = np.concatenate([arrays.age, np.zeros(pages.size, np.int64)])

    def _from_tlab(self, thread: _Thread, wanted: int) -> NDArray[np.int64]:
        if not thread.tlab.size:
            thread.tlab = self._from_eden(thread, self._shape.tlab)
        pages, thread.tlab = thread.tlab[:wanted], thread.tlab[wanted:]
        return pages

    def _from_eden(self, thread: _Thread, wanted: int) -> NDArray[np.int64]:
        """Take pages of the thread's area; collect if it is full; arrays larger than it are tenured."""
        area = min(thread.node, len(self._areas) - 1)
        begin, end = self._areas[area]
        if self._next[area] + wanted > end:
            if 2 * wanted >= self._shape.eden or wanted > end - begin:
                return self._from_tenured(wanted)
            self._collect()
        first = self._next[area]
        self._next[area] = first + wanted
        return np.arange(first, first + wanted)

    def _from_tenured(self, wanted: int) -> NDArray[np.int64]:
        if self._tenured + wanted > self._tenured_begin + self._shape.tenured:
            self._compact()
        first = self._tenured
        self._tenured += wanted
        return np.arange(first, first + wanted)

    def _collect(self) -> None:
        """Empty eden and a survivor space; a thread of either node copies a group of pages."""
        self._collections += 1
        to, room = self._survivors[1], self._shape.survivor
        copied = 0
        for thread in self._threads:
            thread.tlab = np.zeros(0, np.int64)
            self._write(thread)
            if thread.arrays is None:
                continue
            arrays = thread.arrays
            young = np.flatnonzero(arrays.pages < self._tenured_begin)
            arrays.age[young] += 1
            stays = arrays.age[young] < self._shape.old_age
            stays &= np.cumsum(stays) <= room
            stay, promoted = young[stays], young[~stays]
            target = np.arange(to, to + stay.size)
            to, room = to + stay.size, room - stay.size
            for moved, new in ((stay, target), (promoted, None)):
                if moved.size:
                    arrays.pages[moved] = self._from_tenured(moved.size) if new is None else new
                    self._touch(arrays.pages[moved], _COPIED_TOGETHER)
                    copied += moved.size
        self._survivors.reverse()
        self._next = [begin for begin, _ in self._areas]
        self._pause(copied)

    def _compact(self) -> None:
        """Move what is in use in the tenured generation to its beginning."""
        at, copied = self._tenured_begin, 0
        for thread in self._threads:
            if thread.arrays is None:
                continue
            old = np.flatnonzero(thread.arrays.pages >= self._tenured_begin)
            thread.arrays.pages[old] = np.arange(at, at + old.size)
            at, copied = at + old.size, copied + old.size
        self._tenured = at
        self._pause(copied)

    def _touch(self, pages: NDArray[np.int64], together: int) -> None:
        """Let threads of random nodes touch groups of pages."""
        groups = -(-pages.size // together)
        node_of = self._rng.integers(self._nodes, size=groups).repeat(together)[: pages.size]
        for node in range(self._nodes):
            if (node_of == node).any():
                self._memory.touch(_PROCESS, pages[node_of == node], node=node)

    def _pause(self, copied: int) -> None:
        """All threads stop while they copy pages together; sources and targets are on any node."""
        latency = (self._shape.local_ns + self._shape.remote_ns) / 2
        self._paused_ns += copied * 2 * LINES * latency / self._shape.threads
        for thread in self._threads:
            if thread.arrays is not None:
                self._locate(thread)

    def _locate(self, thread: _Thread) -> None:
        """Update the share of a thread's pages on its node."""
        arrays, memory = thread.arrays, self._memory
        assert arrays is not None
        if not arrays.pages.size:
            return
        frames = memory.space(_PROCESS).frame[arrays.pages]
        nodes = memory.tray_of(frames) * self._nodes // memory.hardware.trays
        arrays.local = float((nodes == thread.node).mean())
