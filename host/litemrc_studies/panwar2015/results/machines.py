# SPDX-License-Identifier: BSD-2-Clause
"""Machines, workloads and runs of panwar2015/page.md."""

import time
from collections.abc import Mapping
from dataclasses import replace

from litemrc_studies.panwar2015.machine.placement import Placement, PlacementRun, Simulation
from litemrc_studies.panwar2015.machine.workloads.events import AllocationTrace
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, MEDIUM, Footprint, FootprintTrace

COMPARED = ("buddy", "bank-array", "bank-list", "adaptive")
BANKS = ("bank-array", "bank-list")
SEEDS = (1, 2, 3)
TICKS = 500
LARGE = Placement()  # 32 GB in 256 banks of 128 MB, the sections of Linux on x86-64
SMALL = Placement(memory_bytes=4 << 30, units=32, reserve_pages=512)
WORKLOADS = {"light": LIGHT, "medium": MEDIUM}
# The paper's optima imply other means on the small machine.
SMALL_WORKLOADS = {"light": replace(LIGHT, mean=0.44), "medium": replace(MEDIUM, mean=0.64)}
ROWS = (("32 GB", "light"), ("32 GB", "medium"), ("4 GB", "light"), ("4 GB", "medium"))  # of table 2
PERIODS = (0, 100, 10, 2, 1)  # ticks between migrations
RARE = 100
RESERVE = 0.04  # of memory: the larger reserve that is tried
HALF = 50  # percent: migration that empties only banks with a lower utilization

Machines = Mapping[str, tuple[Placement, str]]  # and allocator
Runs = dict[str, PlacementRun]  # by name of the machine


def footprint(workload: Footprint, placement: Placement, ticks: int, seed: int) -> FootprintTrace:
    """Return the trace of a workload for a machine."""
    return FootprintTrace(workload, placement.frames, ticks=ticks, seed=seed, nodes=placement.nodes)


def adaptive(every: int) -> str:
    """Return the name of the run of Adaptive-Buddy with migration every n ticks."""
    return "adaptive" if every == LARGE.migrate_every else f"adaptive, {every}"


def machines(
    placement: Placement, seed: int, allocators: tuple[str, ...] = ("buddy", "adaptive")
) -> Machines:
    """Return the machines of a row of table 2; for the first seed with the other allocators and variants."""
    machine = replace(placement, seed=seed)
    made = {adaptive(RARE): (replace(machine, migrate_every=RARE), "adaptive")}
    if seed == SEEDS[0]:
        allocators = COMPARED
        made |= {adaptive(every): (replace(machine, migrate_every=every), "adaptive") for every in PERIODS}
        reserve = int(RESERVE * machine.frames)
        made["reserve"] = (replace(machine, reserve_pages=reserve), "adaptive")
        made["half"] = (replace(machine, most_used_percent=HALF), "adaptive")
        if machine.memory_bytes == SMALL.memory_bytes:
            made |= {f"{name}, 0": (replace(machine, migrate_every=0), name) for name in BANKS}
    return made | {name: (machine, name) for name in allocators}


def run(trace: AllocationTrace, machines: Machines) -> Runs:
    """Run one trace, generated once, on several machines.

    Raises
    ------
    RuntimeError
        if an allocation failed.
    """
    began = time.process_time()
    simulations = {name: Simulation(*machine, timed=False) for name, machine in machines.items()}
    for events in trace:
        for simulation in simulations.values():
            simulation.step(events)
    runs = {name: simulation.result(trace) for name, simulation in simulations.items()}
    if any(each.failed for each in runs.values()):
        raise RuntimeError(f"{trace}: allocations failed")
    print(f"{trace.title}: {len(runs)} machines, {time.process_time() - began:.0f} s", flush=True)
    return runs
