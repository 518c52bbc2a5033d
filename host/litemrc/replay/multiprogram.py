"""Several processes on one CPU, with one paging disk, in one memory (Zhou 2004, section 4.2).

What happens when is said in `golden/multiprogram.py`, who gives up a page in `golden/frame_policies.py`.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.native.multiprogram import (
    MACHINE_DONE,
    MACHINE_PAUSE,
    ClockFrames,
    FramePolicy,
    GlobalLruFrames,
    Machine,
    MachineSettings,
    MrcFrames,
    PartitionFrames,
    ProcessSettings,
)
from litemrc.native.replacement import AddressBook
from litemrc.replay.epoch_counts import EpochCounts, make_counts
from litemrc.replay.scenario import UTILITIES, Part, ProcessSpec, Scenario
from litemrc.traces import open_trace
from litemrc.traces.generators.draws import random_words
from litemrc.traces.generators.urls import PREFIX

PERCENTILES = (50, 95, 99)
_PAUSES = 1 << 16  # drawn once, then again from the first
_ENDLESS = 1 << 50  # references


@dataclass(frozen=True, eq=False)
class ProcessResult:
    """What became of a process; times in seconds.

    Attributes:
        faults, zero_fills, write_outs: pages read from disk, filled with zeros, written out to disk.
        execution_s: from its start to its end; None if it did not end.
        arrived_s, response_s: float64[requests], of each request done that arrived when it was measured.
        early: of how many more nothing is told, as they arrived before.
    """

    name: str
    kind: str
    touches: int
    faults: int
    zero_fills: int
    write_outs: int
    execution_s: float | None
    arrived_s: NDArray[np.float64]
    response_s: NDArray[np.float64]
    early: int

    @property
    def time_s(self) -> float | None:
        """What table 2 reports: the execution time of a batch process, of others the mean response time."""
        return self.execution_s if self.kind == "batch" else self.mean_s

    @property
    def mean_s(self) -> float | None:
        """Mean response time; None if no request was done."""
        return float(self.response_s.mean()) if self.response_s.size else None

    def percentile_s(self, percent: float) -> float | None:
        """The response time that so many of all requests do not exceed: a response time that was measured."""
        if not self.response_s.size:
            return None
        return float(np.percentile(self.response_s, percent, method="inverted_cdf"))


@dataclass(frozen=True, eq=False)
class RunResult:
    """What became of a scenario under a policy.

    Attributes:
        time_s: when the run ended.
        measured_s: how long faults were counted.
        disk_busy_s: how long the disk works on what it was asked for.
        processes: in the order of the scenario.
        sampled_s: float64[samples], times at which memory was looked at.
        resident_pages: int64[samples, processes], pages of each process in memory.
    """

    policy: str
    time_s: float
    measured_s: float
    disk_busy_s: float
    processes: tuple[ProcessResult, ...]
    sampled_s: NDArray[np.float64]
    resident_pages: NDArray[np.int64]

    def process(self, name: str) -> ProcessResult:
        """The process of this name."""
        return next(process for process in self.processes if process.name == name)

    @property
    def touches(self) -> int:
        return sum(process.touches for process in self.processes)

    def comparable_faults(self, name: str) -> float:
        """Page faults to compare policies by: of a server those in 100 s, as in table 2; of others all."""
        process = self.process(name)
        if process.kind != "server":
            return process.faults
        return 100 * process.faults / self.measured_s if self.measured_s else 0.0


def speedup(first: ProcessResult, process: ProcessResult) -> float | None:
    """How many times as fast a process is; None if one of the times is not known."""
    if first.time_s is None or not process.time_s:
        return None
    return first.time_s / process.time_s


def fault_reduction(first: RunResult, result: RunResult, name: str) -> float | None:
    """Share of the page faults that are no more; None where there were none."""
    before = first.comparable_faults(name)
    return 1 - result.comparable_faults(name) / before if before else None


Progress = Callable[[float, int], None]  # simulated seconds, touches


def simulate(scenario: Scenario, policy: str, progress: Progress | None = None) -> RunResult:
    """Run a scenario under a policy.

    Parameters:
        policy: one of `litemrc.replay.scenario.POLICIES`.
        progress: called now and then.

    Raises:
        UserError: shares that are missing, minimums that do not fit, no process that ends and no duration, an
            empty trace, or as traces and engines do.
    """
    check_policy(scenario, policy)
    groups = -(-scenario.memory_pages // scenario.mrc.group_pages)
    tracked = policy == "mrc"
    book = AddressBook(len(scenario.processes))
    costs = scenario.costs
    settings = MachineSettings(
        time_slice=costs.time_slice,
        page_read=costs.page_read,
        write_out=costs.write_out,
        fault=costs.fault,
        zero_fill=costs.zero_fill,
        duration=scenario.duration,
        measure_from=scenario.measure_from,
        sample=scenario.sample,
    )
    specs = scenario.processes
    machine = Machine(
        book,
        _frame_policy(scenario, policy, groups),
        settings,
        [_process_settings(scenario, number, tracked) for number in range(len(specs))],
    )
    feeds = [
        _Feed(scenario, number, make_counts(scenario.mrc, groups) if tracked else None)
        for number in range(len(specs))
    ]
    while (number := machine.run()) != MACHINE_DONE:
        if number != MACHINE_PAUSE:
            pages, writes, epochs, release = feeds[number].next()
            machine.feed(number, book.number(number, pages), writes, epochs, release)
        if progress:
            progress(machine.now * scenario.tick_s, machine.touches)
    samples = machine.samples.reshape(-1, 1 + len(specs))
    return RunResult(
        policy,
        machine.now * scenario.tick_s,
        max(machine.now - scenario.measure_from, 0) * scenario.tick_s,
        machine.disk_busy * scenario.tick_s,
        tuple(_process_result(scenario, machine, number) for number in range(len(specs))),
        samples[:, 0] * scenario.tick_s,
        samples[:, 1:].astype(np.int64),
    )


def check_policy(scenario: Scenario, policy: str) -> None:
    """Refuse a policy for which the scenario lacks something.

    Raises:
        UserError: saying what.
    """
    if not scenario.duration and not any(process.requests for process in scenario.processes):
        raise UserError("no process ends", remedy="give a duration, or a process an end")
    if policy == "static" and not scenario.shares:
        raise UserError("policy static needs pages of each process", remedy="give them in [static]")
    if policy == "equal" and scenario.memory_pages < len(scenario.processes):
        raise UserError(f"{scenario.memory_pages} pages are not one for each process")
    if policy == "mrc":
        minimums = sum(process.minimum_pages for process in scenario.processes)
        if minimums > scenario.memory_pages:
            named = ", ".join(f"{process.name}: {process.minimum_pages:,}" for process in scenario.processes)
            raise UserError(
                f"the minimums need {minimums:,} pages, the memory has {scenario.memory_pages:,}",
                where=named,
                remedy="lower minimum_pages",
            )


def equal_shares(pages: int, processes: int) -> list[int]:
    """A memory in equal parts; what is left over goes to the first ones, a page each."""
    return [pages // processes + (number < pages % processes) for number in range(processes)]


def decay(scenario: Scenario) -> float:
    """What remains of a count when an epoch has ended."""
    return 0.5 ** (scenario.mrc.epoch / scenario.mrc.half_life)


def _frame_policy(scenario: Scenario, policy: str, groups: int) -> FramePolicy:
    pages, specs, mrc = scenario.memory_pages, scenario.processes, scenario.mrc
    if policy == "global-clock":
        return ClockFrames(pages)
    if policy == "global-lru":
        return GlobalLruFrames(pages, len(specs))
    if policy == "equal":
        return PartitionFrames(equal_shares(pages, len(specs)))
    if policy == "static":
        return PartitionFrames([scenario.shares[spec.name] for spec in specs])
    return MrcFrames(
        pages,
        [spec.minimum_pages for spec in specs],
        [spec.weight for spec in specs],
        group_pages=mrc.group_pages,
        groups=groups,
        decay=decay(scenario),
        delta_pages=mrc.delta_pages,
        end_performance=mrc.utility == UTILITIES[1],
    )


def tracked_touch(spec: ProcessSpec) -> int:
    """CPU time of a touch while a curve is kept, in whole ticks."""
    return spec.touch + round(spec.touch * spec.tracking)


def pauses(scenario: Scenario, number: int) -> NDArray[np.int64]:
    """Thinking times, or times between arrivals, of a process, in ticks."""
    spec = scenario.processes[number]
    if not spec.random:
        return np.array([spec.pause])
    words = random_words(_seed(scenario, number) + 1, np.arange(_PAUSES, dtype=np.uint64))
    uniform = (words >> np.uint64(11)).astype(np.float64) / 2**53
    return np.rint(-np.log1p(-uniform) * spec.pause).astype(np.int64)


def _process_settings(scenario: Scenario, number: int, tracked: bool) -> ProcessSettings:
    spec = scenario.processes[number]
    settings = ProcessSettings()
    settings.touch = tracked_touch(spec) if tracked else spec.touch
    settings.request_touches = spec.request_touches or 0
    settings.clients = spec.clients
    settings.requests = spec.requests
    settings.start = spec.start
    settings.epoch = scenario.mrc.epoch if tracked else 0
    settings.pauses = pauses(scenario, number).tolist()
    return settings


def _process_result(scenario: Scenario, machine: Machine, number: int) -> ProcessResult:
    spec, process = scenario.processes[number], machine.process(number)
    arrived = process.arrived.astype(np.int64)
    measured = arrived >= scenario.measure_from
    response = (process.answered.astype(np.int64) - arrived)[measured]
    return ProcessResult(
        spec.name,
        spec.kind,
        process.touches,
        process.faults,
        process.zero_fills,
        process.write_outs,
        None if process.ended is None else (process.ended - spec.start) * scenario.tick_s,
        arrived[measured] * scenario.tick_s,
        response * scenario.tick_s,
        int(arrived.size - response.size),
    )


def _seed(scenario: Scenario, number: int) -> int:
    """Seeds that differ between processes."""
    return scenario.seed * 1000 + 10 * number


def trace_url(scenario: Scenario, number: int, part: Part) -> str:
    """The trace of a part; a generated one gets seed and length where its URL does not tell."""
    if not part.trace.startswith(PREFIX):
        return part.trace
    given = part.trace.partition("?")[2].split("&")
    url = part.trace if "?" in part.trace else part.trace + "?"
    for name, value in (("n", _ENDLESS), ("seed", _seed(scenario, number))):
        if not any(text.startswith(f"{name}=") for text in given):
            url += f"&{name}={value}"
    return url.replace("?&", "?")


class _Feed:
    """The references of a process, and what counts its epochs."""

    def __init__(self, scenario: Scenario, number: int, counts: EpochCounts | None) -> None:
        spec = scenario.processes[number]
        endless = not spec.requests
        parts = [
            replace(part, trace=trace_url(scenario, number, part), touches=part.touches or _wanted(spec))
            if part is spec.parts[-1] and (endless or spec.request_touches)
            else replace(part, trace=trace_url(scenario, number, part))
            for part in spec.parts
        ]
        self._chunks = _references(parts, scenario.page_bytes)
        self._counts = counts
        self._release = False

    def next(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.float64], bool]:
        """What `Machine.feed` takes; no page: no reference is left."""
        pages, writes, release = next(self._chunks, (_NO_PAGES, _NO_WRITES, False))
        epochs = np.empty((0, 0))
        if self._counts:
            if self._release:
                self._counts.release()
            epochs = self._counts.take(pages)
        self._release = release
        return pages, writes, epochs, release


_NO_PAGES, _NO_WRITES = np.empty(0, np.uint64), np.empty(0, np.uint8)


def _wanted(spec: ProcessSpec) -> int:
    """Touches that the last part may be asked for: all its requests', or without end."""
    return spec.requests * spec.request_touches if spec.requests and spec.request_touches else _ENDLESS


def _references(
    parts: list[Part], page_bytes: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint8], bool]]:
    for part in parts:
        left = part.touches
        while left is None or left > 0:
            done = 0
            with open_trace(part.trace, None, page_bytes) as trace, closing(iter(trace)) as chunks:
                if trace.format == "intervals":
                    raise UserError(
                        "intervals do not tell the order of references",
                        where=part.trace,
                        remedy="a full trace",
                    )
                for chunk in chunks:
                    size = len(chunk) if left is None else min(len(chunk), left)
                    if not size:
                        continue
                    writes = _NO_WRITES
                    if chunk.writes is not None:
                        writes = np.ascontiguousarray(chunk.writes[:size]).view(np.uint8)
                    yield np.ascontiguousarray(chunk.pages[:size]), writes, False
                    done += size
                    if left is not None:
                        left -= size
                        if not left:
                            break
            if not done:
                raise UserError("the trace has no reference", where=part.trace)
            if left is None:
                break
        if part.release:
            yield _NO_PAGES, _NO_WRITES, True
