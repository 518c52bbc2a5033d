"""A scenario run by the golden machine: for tests that compare."""

from collections.abc import Iterator
from itertools import chain

from litemrc.golden.aged_curve import epoch_counts
from litemrc.golden.frame_policies import GlobalClock, GlobalLru, MrcDirected, Partitions
from litemrc.golden.multiprogram import RELEASE, Costs, FramePolicy, Machine, Process
from litemrc.replay.multiprogram import pauses, trace_url
from litemrc.replay.scenario import UTILITIES, Part, Scenario
from litemrc.traces import open_trace


def run_golden(scenario: Scenario, policy: str) -> Machine:
    """The machine when it has run."""
    mrc = scenario.mrc
    groups = -(-scenario.memory_pages // mrc.group_pages)
    processes = []
    for number, spec in enumerate(scenario.processes):
        tracked = policy == "mrc"
        process = Process(
            _references(scenario, number),
            spec.touch + (round(spec.touch * spec.tracking) if tracked else 0),
            spec.request_touches,
            spec.clients,
            pauses(scenario, number).tolist(),
            spec.requests,
            spec.start,
        )
        if tracked:
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


def _policy(scenario: Scenario, policy: str, groups: int) -> FramePolicy:
    pages, specs, mrc = scenario.memory_pages, scenario.processes, scenario.mrc
    if policy == "global-clock":
        return GlobalClock(pages)
    if policy == "global-lru":
        return GlobalLru(pages, len(specs))
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
        end_performance=mrc.utility == UTILITIES[1],
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
