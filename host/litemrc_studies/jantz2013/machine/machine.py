# SPDX-License-Identifier: BSD-2-Clause
"""The tray machine: visits of programs fault pages in, wake ranks and use power (Jantz et al. 2013)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError
from numpy.typing import ArrayLike

from litemrc_studies.jantz2013.machine import events, views
from litemrc_studies.jantz2013.machine.hardware import LINES, Hardware
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.placing import Placer, Placing
from litemrc_studies.jantz2013.machine.rank_visits import (
    COUNTERS,
    RankVisits,
    rank_samples_mw,
    sample_seconds,
)
from litemrc_studies.jantz2013.machine.result import TrayRun


@dataclass(frozen=True)
class Scrambler:
    """Allocates all memory in chunks, then frees chunks in random order down to `hold_pages`.

    This fragments memory as long use would (Jantz et al. 2013, section 8).

    Attributes
    ----------
    hold_pages
        pages that stay allocated without use.
    chunk_pages
        pages per chunk.
    """

    hold_pages: int
    chunk_pages: int = 16

    def run(self, memory: Memory, rng: np.random.Generator) -> None:
        """Scramble the free memory.

        Raises
        ------
        UserError
            less memory is free than must be held.
        """
        frames = memory.hold(memory.hardware.pages)
        if frames.size < self.hold_pages:
            raise UserError(
                f"the scrambler must hold {self.hold_pages:,} pages, but only {frames.size:,} are free",
                remedy="reduce hold_mib",
            )
        order = rng.permutation(-(-frames.size // self.chunk_pages))
        freed = (order[:, None] * self.chunk_pages + np.arange(self.chunk_pages)).ravel()
        in_order = frames[freed[freed < frames.size]]  # the last chunk may be shorter
        memory.let_go(in_order[: frames.size - self.hold_pages])


# Visits that are processed together, as a share of a tray's pages: the resolution of faults and recency.
_TOGETHER = 1 / 16
_NO_PHASE = ""


@dataclass(frozen=True)
class Costs:
    """Times of page faults.

    Attributes
    ----------
    zero_fill_ns
        fault and zero-fill of a new page.
    reload_ns
        read of a reclaimed page from disk.
    """

    zero_fill_ns: float = 1_000.0
    reload_ns: float = 100_000.0


@dataclass(frozen=True)
class Configuration:
    """A configuration of the machine.

    Attributes
    ----------
    name
        of the configuration.
    hardware
        including the address mapping.
    allocator
        one of `litemrc_studies.jantz2013.machine.memory.ALLOCATORS`.
    guidance
        whether the colors of programs are used.
    placement
        settings of page migration by the monitor; None: no migration.
    """

    name: str
    hardware: Hardware
    allocator: str = "tray"
    guidance: bool = True
    placement: Placer | None = None


class TrayMachine:
    """A machine with trays that runs programs.

    Parameters
    ----------
    scrambler
        scrambles memory before the run; None: all memory is free.
    """

    def __init__(
        self,
        configuration: Configuration,
        costs: Costs | None = None,
        scrambler: Scrambler | None = None,
        seed: int = 1,
    ) -> None:
        self.configuration, self.costs = configuration, costs or Costs()
        self.hardware = configuration.hardware
        self.memory = Memory(self.hardware, configuration.allocator)
        self.ranks = RankVisits(
            self.hardware.trays,
            self.hardware.timing,
            self.hardware.mapping == "interleaved",
            self.hardware.background,
        )
        self._rng = np.random.default_rng(seed)
        if scrambler:
            scrambler.run(self.memory, self._rng)
        self._sample_clocks = self.hardware.timing.sample
        self._phases: list[tuple[int, str]] = [(0, _NO_PHASE)]
        self._free: list[int] = []
        self._zero_fills = self._reloads = self._outside = 0
        self._heard = configuration.guidance and configuration.allocator == "tray"
        self._placement: Placing | None = None
        if configuration.placement:
            self._placement = Placing(configuration.placement, self.memory, self.ranks, self.visit)

    def run(
        self, program: Iterable[events.Event], progress: Callable[[float], None] | None = None
    ) -> TrayRun:
        """Run the events of a workload and return the result.

        Parameters
        ----------
        progress
            called repeatedly with the seconds simulated.

        Raises
        ------
        UserError
            memory is full of pages in use; guidance that cannot be met.
        """
        for event in program:
            self._do(event)
            self._sample()
            if progress:
                progress(self.hardware.seconds(self.ranks.now))
        self.ranks.finish()
        self._sample()
        return self._result()

    def asleep(self) -> list[bool]:
        """Return for each rank whether it is in self-refresh."""
        return self.ranks.all_asleep()

    def visit(
        self, frames: np.ndarray, reads: ArrayLike, writes: ArrayLike, line_ns: float, gap_ns: ArrayLike
    ) -> None:
        """Serve visits to frames after their page faults; arguments as in `events.Visits`, or arrays."""
        lines = np.asarray(reads, np.int64) + np.asarray(writes, np.int64)
        if self.hardware.mapping == "sequential":
            rank = self.memory.tray_of(frames)
        elif lines.min() < LINES:  # a few lines at a random place of the page
            rank = self._rng.integers(0, self.hardware.trays, frames.size)
        else:
            rank = np.zeros(frames.size, np.int64)
        scale = 1e-9 * self.hardware.clock_hz
        busy = np.maximum(np.round(lines * (line_ns * scale)), 1)
        self.ranks.visit(np.round(np.asarray(gap_ns) * scale), busy, rank, reads, writes)
        self._sample()

    def _do(self, event: events.Event) -> None:
        memory, guidance = self.memory, self.memory.guidance
        match event:
            case events.Visits():
                for piece in event.pieces(int(self.hardware.tray_pages * _TOGETHER)):
                    self._visits(piece)
            case events.Phase(name):
                self._phases.append((self.ranks.now, name))
            case events.Pause(ns):
                self.ranks.pause(self.hardware.clocks(ns))
            case events.Intend(process, intents, resident_pages):
                if self._heard:
                    guidance.intend(process, intents, resident_pages, memory.trays(self.asleep()))
            case events.Paint(process, begin, end, color):
                if self._heard:
                    guidance.paint(process, begin, end, color)
                    memory.recolor(process, begin, end)
            case events.Release(process, begin, end):
                memory.release(process, begin, end)
            case events.Nice(process, trays):
                if memory.guided:
                    guidance.nice.limit(process, trays)
            case events.Fork(parent, child):
                guidance.fork(parent, child)
            case events.Exit(process):
                self._outside += views.outside(memory, process)
                memory.exit(process)

    def _visits(self, event: events.Visits) -> None:
        frames, fresh, read = self.memory.touch(event.process, event.pages, event.file)
        self._zero_fills += int(fresh.sum())
        self._reloads += int(read.sum())
        gap_ns = event.gap_ns + fresh * self.costs.zero_fill_ns + read * self.costs.reload_ns
        self.visit(frames, event.reads, event.writes, event.line_ns, gap_ns)
        if self._placement:
            self._placement.visited(frames)

    def _sample(self) -> None:
        """Record the free memory at the end of the samples that have passed."""
        free = self.hardware.pages - self.memory.physical.used
        self._free += [free] * (self.ranks.now // self._sample_clocks + 1 - len(self._free))
        self._free[-1] = free

    def _result(self) -> TrayRun:
        counters = self.ranks.counters()
        states = counters[:, :, 3:7].sum(axis=2)
        deep = counters[:, :, COUNTERS.index("self_refresh")]
        waking = counters[:, :, COUNTERS.index("waking")].sum()
        self._outside += sum(views.outside(self.memory, process) for process in self.memory.processes())
        return TrayRun(
            configuration=self.configuration.name,
            seconds=self.hardware.seconds(self.ranks.now),
            sample_s=sample_seconds(counters, self.hardware),
            rank_mw=rank_samples_mw(counters, self.hardware),
            self_refresh=np.divide(deep, states, out=np.zeros(deep.shape), where=states > 0),
            phases=self._phase_of(len(counters)),
            free_pages=np.array(self._free[: len(counters)], np.int64),
            trays=tuple(self.memory.trays(self.asleep())),
            backing=views.by_color(self.memory),
            zero_fills=self._zero_fills,
            reloads=self._reloads,
            recycled=self.memory.recycled,
            migrated=self.memory.migrated,
            outside=self._outside,
            waking_s=self.hardware.seconds(int(waking)),
        )

    def _phase_of(self, samples: int) -> tuple[str, ...]:
        """Return the phase with the largest share of each sample."""
        length = self.hardware.timing.sample
        begins = [begin for begin, _ in self._phases] + [self.ranks.now]
        cycles: list[dict[str, int]] = [{} for _ in range(samples)]
        for (begin, name), end in zip(self._phases, begins[1:], strict=True):
            while begin < end:
                until = min(end, (begin // length + 1) * length)
                of_sample = cycles[begin // length]
                of_sample[name] = of_sample.get(name, 0) + until - begin
                begin = until
        return tuple(max(each, key=each.__getitem__, default=_NO_PHASE) for each in cycles)
