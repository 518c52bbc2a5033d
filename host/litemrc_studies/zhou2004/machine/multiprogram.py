# SPDX-License-Identifier: BSD-2-Clause
"""Several processes on one CPU with one memory and one paging disk (Zhou 2004, section 4.2).

The native core is equal to the model in `zhou2004.golden.multiprogram` with the policies in
`zhou2004.golden.frame_policies`.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing

import numpy as np
from litemrc.errors import UserError
from litemrc.native.os_tracker import OsTracker

from litemrc_studies._core import (
    MACHINE_DONE,
    MACHINE_PAUSE,
    AddressBook,
    ClockFrames,
    FramePolicy,
    GlobalLruFrames,
    Machine,
    MachineSettings,
    MrcFrames,
    PartitionFrames,
    ProcessSettings,
    Reclaim,
)
from litemrc_studies.zhou2004.machine.epoch_counts import make_counts
from litemrc_studies.zhou2004.machine.reference_feed import ReferenceFeed, pauses
from litemrc_studies.zhou2004.machine.run_result import ProcessResult, RunResult
from litemrc_studies.zhou2004.machine.scenario import CURVES, UTILITIES, ProcessSpec, Scenario

TRACKER = "os"  # the engine whose time is computed
_PERIOD_NS = 1e8  # between two of its scans, of the process's own time
Progress = Callable[[float, int], None]  # simulated seconds, touches


def simulate(scenario: Scenario, policy: str, progress: Progress | None = None) -> RunResult:
    """Run a scenario under a policy.

    Parameters
    ----------
    policy
        one of `litemrc_studies.zhou2004.machine.scenario.POLICIES`.
    progress
        called repeatedly.

    Raises
    ------
    UserError
        missing shares, minimums that exceed the memory, neither a process that ends nor a
        duration, an empty trace, or an error of a trace or engine.
    """
    check_policy(scenario, policy)
    mrc = scenario.mrc
    groups = -(-scenario.memory_pages // mrc.group_pages)
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
    with ExitStack() as stack:
        feeds = []
        for number in range(len(specs)):
            counts = make_counts(mrc, groups, make_tracker(scenario, number)) if tracked else None
            feeds.append(stack.enter_context(closing(ReferenceFeed(scenario, number, counts))))
        while (number := machine.run()) != MACHINE_DONE:
            if number != MACHINE_PAUSE:
                pages, *others = feeds[number].next()
                machine.feed(number, book.number(number, pages), *others)
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
    """Check that the scenario has what a policy needs.

    Raises
    ------
    UserError
        something is missing.
    """
    if not scenario.duration and not any(process.requests for process in scenario.processes):
        raise UserError("no process ends", remedy="give a duration, or a process that ends")
    if policy == "static" and not scenario.shares:
        raise UserError("policy static needs the pages of each process", remedy="give them in [static]")
    if policy == "equal" and scenario.memory_pages < len(scenario.processes):
        raise UserError(
            f"{scenario.memory_pages} pages are fewer than {len(scenario.processes)} processes",
            remedy="give at least one page per process",
        )
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
    """Divide a memory equally; the first processes get one page of the remainder each."""
    return [pages // processes + (number < pages % processes) for number in range(processes)]


def decay(scenario: Scenario) -> float:
    """Return the factor of the counts at the end of an epoch."""
    return 0.5 ** (scenario.mrc.epoch / scenario.mrc.half_life)


def _frame_policy(scenario: Scenario, policy: str, groups: int) -> FramePolicy:
    pages, specs, mrc = scenario.memory_pages, scenario.processes, scenario.mrc
    reclaim = Reclaim(scenario.reclaim_below, scenario.reclaim_to)
    if policy == "global-clock":
        return ClockFrames(pages, reclaim)
    if policy == "global-lru":
        return GlobalLruFrames(pages, len(specs), reclaim)
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
        convex=mrc.curve == CURVES[0],
        end_performance=mrc.utility == UTILITIES[1],
        reclaim=reclaim,
    )


def tracked_touch(spec: ProcessSpec) -> int:
    """Return the CPU time of a touch with curve tracking, in whole ticks."""
    return spec.touch + round(spec.touch * spec.tracking)


def make_tracker(scenario: Scenario, number: int) -> OsTracker | None:
    """Return the tracker of a process under engine os, whose stack has the memory's pages; else None."""
    mrc, tick_ns = scenario.mrc, scenario.tick_s * 1e9
    if mrc.engine != TRACKER:
        return None
    period = mrc.engine_period or round(_PERIOD_NS / tick_ns)
    return OsTracker(
        mrc.engine_scan_list,
        max(round(period / scenario.processes[number].touch), 1),
        mrc.group_pages,
        stack_pages=scenario.memory_pages,
        seen_only=mrc.engine_seen_only,
        reference_ns=scenario.processes[number].touch * tick_ns,
        costs=mrc.engine_costs,
        tick_ns=tick_ns,
    )


def _process_settings(scenario: Scenario, number: int, tracked: bool) -> ProcessSettings:
    spec = scenario.processes[number]
    settings = ProcessSettings()
    settings.touch = tracked_touch(spec) if tracked and scenario.mrc.engine != TRACKER else spec.touch
    settings.request_touches = spec.request_touches or 0
    settings.clients = spec.clients
    settings.requests = spec.requests
    settings.start = spec.start
    settings.file = spec.file
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
