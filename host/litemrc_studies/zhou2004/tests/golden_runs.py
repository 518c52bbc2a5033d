# SPDX-License-Identifier: BSD-2-Clause
"""A scenario run by the golden machine: for tests that compare."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from litemrc.golden.monitor.os_tracker import OsTracker
from litemrc.traces import open_trace
from litemrc_studies.zhou2004.golden.aged_curve import epoch_counts, tracked_epochs, tracking_ticks
from litemrc_studies.zhou2004.golden.frame_policies import GlobalClock, GlobalLru, MrcDirected, Partitions
from litemrc_studies.zhou2004.golden.multiprogram import RELEASE, Costs, FramePolicy, Machine, Process
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.reference_feed import pauses, trace_url
from litemrc_studies.zhou2004.machine.scenario import CURVES, UTILITIES, Part, ProcessSpec, Scenario


def run_golden(scenario: Scenario, policy: str) -> Machine:
    """The machine when it has run."""
    mrc = scenario.mrc
    groups = -(-scenario.memory_pages // mrc.group_pages)
    processes = []
    for number, spec in enumerate(scenario.processes):
        tracked, by_os = policy == "mrc", mrc.engine == "os"
        process = Process(
            _references(scenario, number),
            spec.touch + (round(spec.touch * spec.tracking) if tracked and not by_os else 0),
            spec.request_touches,
            spec.clients,
            pauses(scenario, number).tolist(),
            spec.requests,
            spec.start,
            spec.file,
        )
        if tracked and by_os:
            streams = [(_references(scenario, number), _tracker(scenario, spec)) for _ in range(2)]
            costs = list(mrc.engine_costs.ticks(scenario.tick_s * 1e9).values())
            only = mrc.engine_seen_only
            process.epochs = (tracked_epochs(*streams[0], mrc.epoch, groups, seen_only=only), mrc.epoch)
            process.tracking = tracking_ticks(*streams[1], costs)
        elif tracked:
            counts = epoch_counts(_references(scenario, number), mrc.epoch, mrc.group_pages, groups)
            process.epochs = (counts, mrc.epoch)
        processes.append(process)
    costs = scenario.costs
    machine = Machine(
        processes,
        _policy(scenario, policy, groups),
        Costs(costs.time_slice, costs.page_read, costs.write_out, costs.fault, costs.zero_fill),
        duration=scenario.duration,
        measure_from=scenario.measure_from,
        sample=scenario.sample,
    )
    machine.run()
    return machine


def _tracker(scenario: Scenario, spec: ProcessSpec) -> OsTracker:
    mrc = scenario.mrc
    period = max(round(mrc.engine_period / spec.touch), 1)
    return OsTracker(mrc.engine_scan_list, period, mrc.group_pages, scenario.memory_pages)


def _policy(scenario: Scenario, policy: str, groups: int) -> FramePolicy:
    pages, specs, mrc = scenario.memory_pages, scenario.processes, scenario.mrc
    reclaim = scenario.reclaim_below, scenario.reclaim_to
    if policy == "global-clock":
        return GlobalClock(pages, *reclaim)
    if policy == "global-lru":
        return GlobalLru(pages, len(specs), *reclaim)
    if policy == "equal":
        return Partitions([pages // len(specs) + (n < pages % len(specs)) for n in range(len(specs))])
    if policy == "static":
        return Partitions([scenario.shares[spec.name] for spec in specs])
    return MrcDirected(
        pages,
        [spec.minimum_pages for spec in specs],
        [spec.weight for spec in specs],
        group_pages=mrc.group_pages,
        groups=groups,
        decay=0.5 ** (mrc.epoch / mrc.half_life),
        delta_pages=mrc.delta_pages,
        convex=mrc.curve == CURVES[0],
        end_performance=mrc.utility == UTILITIES[1],
        reclaim_below=scenario.reclaim_below,
        reclaim_to=scenario.reclaim_to,
    )


def _references(scenario: Scenario, number: int) -> Iterator[tuple[int, bool] | None]:
    spec = scenario.processes[number]
    endless = not spec.requests or spec.request_touches is not None
    return chain.from_iterable(_of_part(scenario, number, part, endless=endless) for part in spec.parts)


def _of_part(scenario: Scenario, number: int, part: Part, *, endless: bool):
    left = part.touches
    while left is None or left:
        with open_trace(trace_url(scenario, number, part)) as trace:
            for chunk in trace:
                writes = [False] * len(chunk) if chunk.writes is None else chunk.writes.tolist()
                for page, write in zip(chunk.pages.tolist(), writes, strict=True):
                    if left is not None:
                        if not left:
                            break
                        left -= 1
                    yield page, write
        if left is None and not endless:
            break
    if part.release:
        yield RELEASE


def golden_outcome(scenario: Scenario, policy: str) -> list:
    """All that is known of a run, in ticks."""
    machine = run_golden(scenario, policy)
    outcome: list = [machine.now, machine.disk_busy, machine.samples]
    for process, spec in zip(machine.processes, scenario.processes, strict=True):
        responses = [(begin, end - begin) for begin, end in process.responses]
        measured = [response for response in responses if response[0] >= scenario.measure_from]
        ended = None if process.ended is None else process.ended - spec.start
        outcome.append((process.touches, process.faults, process.zero_fills, process.write_outs, ended))
        outcome.append((measured, len(responses) - len(measured)))
    return outcome


def native_outcome(scenario: Scenario, policy: str) -> list:
    """The same of the native machine."""
    result = simulate(scenario, policy)

    def ticks(times) -> list[int]:
        return np.rint(np.asarray(times) / scenario.tick_s).astype(int).tolist()

    samples = list(zip(ticks(result.sampled_s), result.resident_pages.tolist(), strict=True))
    outcome: list = [*ticks([result.time_s, result.disk_busy_s]), samples]
    for process in result.processes:
        ended = None if process.execution_s is None else ticks(process.execution_s)
        outcome.append((process.touches, process.faults, process.zero_fills, process.write_outs, ended))
        responses = zip(ticks(process.arrived_s), ticks(process.response_s), strict=True)
        outcome.append((list(responses), process.early))
    return outcome
