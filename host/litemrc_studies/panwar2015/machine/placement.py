# SPDX-License-Identifier: BSD-2-Clause
"""Allocation traces on page allocators: the power units left unused, and the cost of that."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError, choose_from
from numpy.typing import NDArray

from litemrc_studies._core import (
    LARGEST_BLOCK,
    Adaptive,
    Allocator,
    BankArray,
    BankList,
    Buddy,
    Migration,
    OperationTimes,
    PhysicalMemory,
    PlacementMachine,
    Tray,
    Zone,
)
from litemrc_studies.panwar2015.machine.workloads.events import FREE, AllocationTrace, Events

PAGE_BYTES = 4096
_DMA_BYTES = 16 << 20
_DMA32_BYTES = 4 << 30
_MOST_BYTES = 1 << 40
_MOST_UNITS = 1 << 14

# Constructors of the allocators from the memory and `Placement`.
ALLOCATORS: dict[str, Callable[[PhysicalMemory, "Placement"], Allocator]] = {
    "buddy": lambda memory, _: Buddy(memory),
    "bank-array": lambda memory, _: BankArray(memory),
    "bank-list": lambda memory, _: BankList(memory),
    "adaptive": lambda memory, placement: Adaptive(
        memory, reserve_frames=placement.reserve_pages, moves_per_operation=placement.moves_per_operation
    ),
    "tray": lambda memory, _: Tray(memory),
}


@dataclass(frozen=True)
class Placement:
    """A machine and its page placement.

    Attributes
    ----------
    memory_bytes, units, nodes
        the memory, and its equal power units (banks) and nodes.
    interleave_bytes
        0: units are contiguous; otherwise bytes on a unit before the next unit.
    migrate_every
        ticks between migrations; 0: never.
    migration_pages
        most pages copied by one migration; 0: no limit.
    most_used_percent
        largest use of a unit that migration empties.
    reserve_pages
        reserve of a pool of `adaptive`, and of each node in the choice of migrations.
    moves_per_operation
        blocks that join or leave a pool of `adaptive` per operation; 0: a whole bank.
    scramble
        all memory is allocated and freed in random order before the trace.
    seed
        of the scrambling.
    """

    memory_bytes: int = 32 << 30
    units: int = 256
    nodes: int = 1
    interleave_bytes: int = 0
    migrate_every: int = 2
    migration_pages: int = 0
    most_used_percent: int = 100
    reserve_pages: int = 4096
    moves_per_operation: int = 16
    scramble: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        block = LARGEST_BLOCK * PAGE_BYTES
        if not 0 < self.memory_bytes <= _MOST_BYTES or self.memory_bytes % (block * self.nodes):
            raise UserError(
                f"{self.memory_bytes:,} bytes of memory cannot be divided among {self.nodes} nodes",
                remedy=f"give each node a multiple of {block >> 20} MiB, at most 1 TiB in total",
            )
        blocks = self.memory_bytes // block
        if not 0 < self.units <= min(blocks, _MOST_UNITS):
            raise UserError(
                f"{size_text(self.memory_bytes, 1)} cannot be divided into {self.units} banks",
                remedy=f"give 1 to {min(blocks, _MOST_UNITS)}: a bank holds at least one block of"
                f" {block >> 20} MiB",
            )
        step = self.interleave_bytes
        if step and (step < PAGE_BYTES or step & (step - 1) or self.memory_bytes % (step * self.units)):
            raise UserError(
                f"memory cannot be interleaved by {step} bytes over {self.units} banks",
                remedy="give a power of two, 4 KiB or more, that fits into a bank",
            )

    @property
    def frames(self) -> int:
        """Return the pages of the memory."""
        return self.memory_bytes // PAGE_BYTES

    @property
    def unit_frames(self) -> int:
        """Return the pages of a unit; the last unit may be smaller."""
        blocks = self.frames // LARGEST_BLOCK
        return -(-blocks // self.units) * LARGEST_BLOCK

    def memory(self) -> PhysicalMemory:
        """Return the memory: zones DMA (16 MiB), DMA32 (up to 4 GiB) and normal, per node."""
        return PhysicalMemory(
            frames=self.frames,
            unit_frames=self.unit_frames,
            stripe_frames=self.interleave_bytes // PAGE_BYTES,
            zones=self._zones(),
        )

    def _zones(self) -> list[Zone]:
        of_node = self.frames // self.nodes
        zones = []
        for node in range(self.nodes):
            first, end = node * of_node, (node + 1) * of_node
            borders = [_DMA_BYTES // PAGE_BYTES, _DMA32_BYTES // PAGE_BYTES, self.frames]
            for kind, border in enumerate(borders):
                until = min(border, end)
                if until > first:
                    zones.append(Zone(node=node, kind=kind, first=first, frames=until - first))
                    first = until
        return zones


@dataclass(frozen=True, eq=False)
class PlacementRun:
    """Result of a run, sampled at the end of each tick.

    Attributes
    ----------
    used
        pages in use at each tick.
    copied
        pages copied by migrations up to each tick.
    offline
        bool[ticks, units].
    used_of_unit, unmovable_of_unit
        pages, uint32[ticks, units].
    crossing
        bool[units]: the unit crosses a zone border and is always in use.
    unit_pages
        pages of each unit.
    failed, failed_pages
        allocations that failed for lack of memory.
    """

    allocator: str
    placement: Placement
    trace: str
    tick_s: float
    used: NDArray[np.int64]
    copied: NDArray[np.int64]
    offline: NDArray[np.bool_]
    used_of_unit: NDArray[np.uint32]
    unmovable_of_unit: NDArray[np.uint32]
    crossing: NDArray[np.bool_]
    unit_pages: NDArray[np.int64]
    failed: int
    failed_pages: int
    times: OperationTimes
    most_moves: int
    most_list_work: int
    most_visits: int
    metadata_bytes: int

    @property
    def offline_share(self) -> NDArray[np.float64]:
        """Return the offline share of memory at each tick."""
        return (self.offline * self.unit_pages).sum(axis=1) / self.unit_pages.sum()

    @property
    def optimal_share(self) -> NDArray[np.float64]:
        """Return the share of memory left unused at each tick if pages lay in the fewest units."""
        return optimal_share(self.used, self.unit_pages)

    @property
    def unmovable_units(self) -> NDArray[np.int64]:
        """Return the units with an unmovable page at each tick."""
        return (self.unmovable_of_unit > 0).sum(axis=1)

    @property
    def copied_pages(self) -> int:
        """Return the pages copied by all migrations."""
        return int(self.copied[-1])


def optimal_share(used: NDArray[np.int64], unit_pages: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of memory left unused if the pages in use lie in the fewest units.

    Parameters
    ----------
    used
        pages in use, at several times.
    unit_pages
        of each unit; the smallest are left unused first.
    """
    largest_first = np.sort(unit_pages)[::-1]
    holds = np.concatenate(([0], np.cumsum(largest_first)))  # pages of the first n units
    return 1 - holds[np.searchsorted(holds, used)] / holds[-1]


class Simulation:
    """A machine with an allocator that runs tick by tick; several machines can share one trace.

    Parameters
    ----------
    allocator
        a name in `ALLOCATORS`.
    timed
        measure each operation; this doubles the time.

    Raises
    ------
    UserError
        an unknown allocator, or one that does not support this interleaving.
    """

    def __init__(self, placement: Placement, allocator: str, *, timed: bool = True) -> None:
        if allocator not in ALLOCATORS:
            raise UserError(f"no allocator {allocator!r}", remedy=choose_from(allocator, ALLOCATORS))
        if allocator != "buddy" and 0 < placement.interleave_bytes < LARGEST_BLOCK * PAGE_BYTES:
            raise UserError(
                f"{allocator} needs blocks that lie in one bank, but memory is interleaved by"
                f" {size_text(placement.interleave_bytes, 1)}",
                remedy=f"interleave by {LARGEST_BLOCK * PAGE_BYTES >> 20} MiB or more, or use buddy alone",
            )
        self.placement, self.allocator = placement, allocator
        self._timed = timed
        self._memory = placement.memory()
        self._pages = ALLOCATORS[allocator](self._memory, placement)
        if placement.scramble:
            _scramble(self._pages, placement)
        self._machine = PlacementMachine(self._pages)
        self._migration = Migration(
            self._machine,
            budget_frames=placement.migration_pages or placement.frames,
            reserve_frames=placement.reserve_pages,
            most_used_percent=placement.most_used_percent,
        )
        self._used: list[int] = []
        self._copied: list[int] = []
        self._offline: list[NDArray[np.uint8]] = []
        self._rows: list[NDArray[np.uint32]] = []

    def step(self, events: Events) -> None:
        """Run a tick, with a migration at its end when one is due."""
        self._machine.run(events.codes, events.numbers, events.nodes, timed=self._timed)
        every = self.placement.migrate_every
        if every and len(self._used) % every == every - 1:
            self._migration.run()
        self._used.append(self._memory.used)
        self._copied.append(self._migration.copied_frames)
        self._offline.append(self._pages.offline())
        self._rows.append(self._memory.unit_rows().reshape(-1, 4))

    def result(self, trace: AllocationTrace) -> PlacementRun:
        """Return the result so far.

        Raises
        ------
        UserError
            the trace had no allocation, or no page was ever in use.
        """
        if not self._used:
            raise UserError("the trace has no allocations", remedy="give a trace with allocations")
        if not any(self._used):
            raise UserError(
                "no page is in use at the end of any tick",
                remedy="give a longer trace, or the machine more memory",
            )
        rows = np.stack(self._rows)
        work = self._pages.work
        return PlacementRun(
            allocator=self.allocator,
            placement=self.placement,
            trace=trace.title,
            tick_s=trace.tick_s,
            used=np.array(self._used, np.int64),
            copied=np.array(self._copied, np.int64),
            offline=np.stack(self._offline).astype(bool),
            used_of_unit=rows[:, :, 1],
            unmovable_of_unit=rows[:, :, 2],
            crossing=rows[0, :, 3].astype(bool),
            unit_pages=rows[0, :, 0].astype(np.int64),
            failed=self._machine.failed,
            failed_pages=self._machine.failed_frames,
            times=self._machine.times,
            most_moves=work.most_moves,
            most_list_work=work.most_list_work,
            most_visits=work.most_visits,
            metadata_bytes=self._pages.metadata_bytes(),
        )


def simulate(
    trace: AllocationTrace,
    placement: Placement,
    allocator: str,
    *,
    timed: bool = True,
    shown: Callable[[Iterable[Events]], Iterable[Events]] = iter,
) -> PlacementRun:
    """Run a trace on an allocator; other parameters and errors are those of `Simulation`.

    Parameters
    ----------
    shown
        wraps the ticks, for example in a progress bar.
    """
    simulation = Simulation(placement, allocator, timed=timed)
    for events in shown(trace):
        simulation.step(events)
    return simulation.result(trace)


def _scramble(allocator: Allocator, placement: Placement) -> None:
    """Put the largest blocks on the free lists in random order, like after long use."""
    machine = PlacementMachine(allocator)
    blocks = placement.frames // LARGEST_BLOCK
    numbers = np.arange(blocks, dtype=np.uint32)
    machine.run(np.full(blocks, LARGEST_BLOCK.bit_length() - 1, np.uint8), numbers)
    order = np.random.default_rng(placement.seed).permutation(blocks).astype(np.uint32)
    machine.run(np.full(blocks, FREE, np.uint8), order)
    while not allocator.tidy():
        pass
    allocator.reset_work()
