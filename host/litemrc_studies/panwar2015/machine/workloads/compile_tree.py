# SPDX-License-Identifier: BSD-2-Clause
"""A process tree like a kernel compilation: make, and for each file shell, driver, compiler and assembler.

A child is forked from its parent, has its own page tables and stack, maps its program and grows a heap; the
parent waits. Files stay in the page cache as movable pages without a process; when the cache exceeds its
share of memory, the oldest are dropped. At the end a linker reads all objects. Sizes are about those of gcc
compiling C on 64-bit Linux, in pages of 4 KB.
"""

from collections import deque
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

_BURST = 16  # pages that Linux maps around a fault
_LINKED_SHARE = 0.6  # resident share of the object files in the linker
_INODE_PAGES = 0.02  # slab pages per page of the page cache


@dataclass(frozen=True)
class _Stage:
    """A process of a job: pages of its image, mean heap, pages read and written, mean ticks."""

    name: str
    image: int
    heap: int
    reads: int
    writes: int
    ticks: int


_STAGES = (
    _Stage("sh", 180, 60, 0, 0, 1),
    _Stage("gcc", 220, 120, 0, 0, 1),
    _Stage("cc1", 900, 6000, 700, 60, 12),
    _Stage("as", 200, 900, 60, 40, 3),
)


@dataclass
class CompileTree:
    """A compilation; deterministic for its parameters.

    Attributes
    ----------
    memory_pages
        of the machine.
    jobs
        files compiled concurrently (make -j).
    files
        number of files.
    cache
        largest share of memory of the page cache.
    nodes
        number of NUMA nodes over which jobs are distributed.
    """

    memory_pages: int
    jobs: int = 16
    files: int = 1500
    seed: int = 1
    cache: float = 0.3
    nodes: int = 1
    tick_s: float = 0.1
    title: str = ""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.jobs < 1 or self.files < 1 or not 0 < self.cache < 1:
            raise UserError(
                f"files={self.files}, jobs={self.jobs}, cache={self.cache} is out of range",
                remedy="give at least 1 file and 1 job, and a cache between 0 and 100 %",
            )
        self.title = self.title or f"compile tree, {self.files} files, {self.jobs} jobs"

    @property
    def ticks(self) -> int:
        """Return the approximate number of ticks."""
        of_job = sum(stage.ticks for stage in _STAGES) + 2
        return self.files * of_job // self.jobs + 60

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks until all files are compiled and linked."""
        return _Run(self).events()


@dataclass
class _Process:
    pages: NDArray[np.uint32]
    kernel: NDArray[np.uint32]
    node: int


@dataclass
class _Job:
    """Processes from the shell to the running one; each is a child of the previous one."""

    node: int
    processes: list[_Process] = field(default_factory=list)
    stage: int = -1
    left: int = 0
    growth: int = 0  # heap pages per tick


class _Run:
    def __init__(self, tree: CompileTree) -> None:
        self._tree = tree
        self._random = np.random.default_rng(tree.seed)
        self._numbers = BlockNumbers()
        self._cache: deque[tuple[int, NDArray[np.uint32]]] = (
            deque()
        )  # tick at which a file was read, its pages
        self._ticks = 0
        self._cached = self._objects = 0
        self._pieces: list[tuple[NDArray[np.uint8], NDArray[np.uint32]]] = []
        self._nodes: list[int] = []

    def events(self) -> Iterator[Events]:
        make = self._fork(0, 400, 3000)
        yield self._tick()
        jobs: list[_Job] = []
        begun = 0
        while begun < self._tree.files or jobs:
            while begun < self._tree.files and len(jobs) < self._tree.jobs:
                jobs.append(_Job(begun % self._tree.nodes))
                begun += 1
            for job in jobs:
                self._run(job)
            jobs = [job for job in jobs if job.stage < len(_STAGES)]
            yield self._tick()
        linker = self._fork(0, 800, 0)
        link_ticks = 40
        for _ in range(link_ticks):
            self._grow(linker, int(self._objects * _LINKED_SHARE / link_ticks))
            yield self._tick()
        self._exit(linker)
        self._exit(make)
        yield self._tick()

    def _run(self, job: _Job) -> None:
        """Run a tick of a job: the running process grows, or ends and the next one starts."""
        if job.left == 0:
            # Compiler and assembler are consecutive children of the driver.
            if job.stage >= 2:
                self._exit(job.processes.pop())
            job.stage += 1
            if job.stage == len(_STAGES):
                for process in reversed(job.processes):
                    self._exit(process)
                return
            stage = _STAGES[job.stage]
            heap = self._random.lognormal(np.log(stage.heap) - 0.32, 0.8)
            job.left = max(1, int(self._random.poisson(stage.ticks)))
            job.growth = int(heap / job.left)
            job.processes.append(self._fork(job.node, stage.image, 0))
            self._read_file(stage.reads, job.node)
        job.left -= 1
        self._grow(job.processes[-1], job.growth)
        if job.left == 0:
            self._objects += _STAGES[job.stage].writes
            self._read_file(_STAGES[job.stage].writes, job.node)

    def _fork(self, node: int, image: int, heap: int) -> _Process:
        """Start a process with a kernel stack (order 2), page tables, and private pages of its image."""
        kernel = self._numbers.take(1 + 6)
        codes = np.full(len(kernel), UNMOVABLE, np.uint8)
        codes[0] |= 2
        self._piece(codes, kernel, node)
        process = _Process(np.empty(0, np.uint32), kernel, node)
        self._grow(process, image // 4 + heap)  # the rest of the image is shared, in the page cache
        return process

    def _grow(self, process: _Process, pages: int) -> None:
        fresh = self._numbers.take(pages)
        tables = self._numbers.take(pages // 512)
        at = np.arange(1, len(tables) + 1) * 512
        codes = np.insert(np.zeros(pages, np.uint8), at, UNMOVABLE)
        self._piece(codes, np.insert(fresh, at, tables), process.node)
        process.pages = np.concatenate((process.pages, fresh))
        process.kernel = np.concatenate((process.kernel, tables))

    def _exit(self, process: _Process) -> None:
        numbers = np.concatenate((process.pages, process.kernel))
        self._piece(np.full(len(numbers), FREE, np.uint8), numbers, process.node)
        self._numbers.give_back(numbers)

    def _read_file(self, pages: int, node: int) -> None:
        """Read a file into the page cache, which drops its oldest files when it is full."""
        pages = int(self._random.poisson(pages))
        if not pages:
            return
        slab = max(1, int(pages * _INODE_PAGES))
        numbers = self._numbers.take(pages + slab)
        codes = np.zeros(len(numbers), np.uint8)
        codes[:slab] = UNMOVABLE
        self._piece(codes, numbers, node)
        self._cache.append((self._ticks, numbers))
        self._cached += len(numbers)
        # Files read in this tick stay.
        while self._cached > self._tree.cache * self._tree.memory_pages and self._cache[0][0] < self._ticks:
            _, oldest = self._cache.popleft()
            self._cached -= len(oldest)
            self._piece(np.full(len(oldest), FREE, np.uint8), oldest, node)
            self._numbers.give_back(oldest)

    def _piece(self, codes: NDArray[np.uint8], numbers: NDArray[np.uint32], node: int) -> None:
        self._pieces.append((codes, numbers))
        self._nodes.append(node)

    def _tick(self) -> Events:
        pieces, nodes = self._pieces, self._nodes
        self._pieces, self._nodes = [], []
        events = interleaved(pieces, _BURST, self._random, nodes if self._tree.nodes > 1 else None)
        self._numbers.next_tick()
        self._ticks += 1
        return events
