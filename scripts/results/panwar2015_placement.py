"""Fills the tables and draws the figures of docs/results/panwar2015.md: part of `make results-panwar2015`."""

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc.energy.chip_power import ChipPower
from litemrc.machines.placement.energy import OFF, MemoryPower, awake_energy_mj, memory_power, run_energy_mj
from litemrc.machines.placement.machine import PAGE_BYTES, Placement, PlacementRun, Simulation
from litemrc.plots.files import save_figure
from litemrc.plots.machines.placement import map_figure, time_figure
from litemrc.traces.allocations.compile_tree import CompileTree
from litemrc.traces.allocations.events import AllocationTrace
from litemrc.traces.allocations.footprint import LIGHT, MEDIUM, Footprint, FootprintTrace
from litemrc.traces.allocations.kmem import read_kmem
from page_tables import fill_tables
from panwar2015_table2 import picture, table_2

COMPARED = ("buddy", "bank-array", "bank-list", "adaptive")
SEEDS = (1, 2, 3)
MORE_SEEDS = range(4, 11)  # adaptive only
LARGE = Placement()  # 32 GB, 256 banks
SMALL = Placement(memory_bytes=4 << 30, units=128, reserve_pages=512)
WORKLOADS = {"light": LIGHT, "medium": MEDIUM}
# The paper's optima imply other means on the small machine.
SMALL_WORKLOADS = {"light": replace(LIGHT, mean=0.44), "medium": replace(MEDIUM, mean=0.64)}
PERIODS = (0, 100, 10, 5, 2, 1)  # ticks between migrations
SHOWN_PERIODS = (0, 100, LARGE.migrate_every)  # figure 10
MOSTLY_IDLE = Footprint(0.06, 0.10, 0.08)  # figure 3 (a)
PART = "mt41k256m16-125:n"

Runs = list[PlacementRun]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--docs", type=Path, default=Path("docs/results"), help="folder (%(default)s)")
    parser.add_argument("--ticks", type=int, default=500, help="length of a generated trace (%(default)s)")
    parser.add_argument(
        "--sample", type=Path, default=Path("tests/data/placement/compile.kmem.xz"), help="(%(default)s)"
    )
    args = parser.parse_args()
    pictures = args.docs / "panwar2015"
    pictures.mkdir(exist_ok=True)
    power = memory_power(PART, "self-refresh")
    large = {
        (name, seed): _run(_footprint(WORKLOADS[name], LARGE, args.ticks, seed), _machines(LARGE, seed))
        for name in WORKLOADS
        for seed in SEEDS
    }
    more = {
        (name, seed): _run(
            _footprint(WORKLOADS[name], LARGE, args.ticks, seed), [(replace(LARGE, seed=seed), "adaptive")]
        )
        for name in WORKLOADS
        for seed in MORE_SEEDS
    }
    small = {
        (name, seed): _run(
            _footprint(SMALL_WORKLOADS[name], SMALL, args.ticks, seed),
            [(replace(SMALL, seed=seed), "adaptive"), (replace(SMALL, seed=seed), "buddy")],
        )
        for name in WORKLOADS
        for seed in SEEDS
    }
    idle_machine = replace(LARGE, nodes=2)
    idle = _run(
        _footprint(MOSTLY_IDLE, idle_machine, 100, 1),
        [(idle_machine, "buddy"), (idle_machine, "adaptive")],
    )
    light = large["light", 1]
    _pictures(pictures, light, idle)
    table2 = {
        (memory, name): [_of(runs_of[name, seed], "adaptive") for seed in SEEDS]
        for memory, runs_of in (("32 GB", large), ("4 GB", small))
        for name in WORKLOADS
    }
    save_figure(picture(table2), pictures / "table2.png")
    compiled_machine = replace(SMALL, migrate_every=20)  # of 0.1 s
    compiled = _run(CompileTree(compiled_machine.frames), [(compiled_machine, name) for name in COMPARED])
    recorded_machine = Placement(memory_bytes=64 << 20, units=16, reserve_pages=8, migrate_every=10)
    recorded = _run(read_kmem(args.sample), [(recorded_machine, name) for name in COMPARED])
    interleaved_machine = replace(LARGE, interleave_bytes=PAGE_BYTES)
    interleaved = _run(_footprint(LIGHT, interleaved_machine, 100, 1), [(interleaved_machine, "buddy")])
    fill_tables(
        args.docs / "panwar2015.md",
        {
            "table1": _table1(power.power),
            "table2": table_2(table2),
            "seeds": _seeds(large, args.ticks),
            "spread": _spread(large | more),
            "periods": _periods(large, power),
            "allocators": _allocators(large, power),
            "compile": _programs(compiled, power),
            "sample": _programs(recorded, power),
            "sizes": _sizes(large["light", 1], small["light", 1]),
            "interleaved": _interleaved(interleaved[0], _of(light, "buddy")),
        },
    )


def _footprint(workload: Footprint, placement: Placement, ticks: int, seed: int) -> FootprintTrace:
    return FootprintTrace(workload, placement.frames, ticks=ticks, seed=seed, nodes=placement.nodes)


def _machines(placement: Placement, seed: int) -> list[tuple[Placement, str]]:
    """Return adaptive and the buddy; for the first seed all compared machines."""
    machine = replace(placement, seed=seed)
    machines = [(machine, "buddy"), (machine, "adaptive")]
    if seed == SEEDS[0]:
        machines += [(machine, name) for name in COMPARED if name not in ("buddy", "adaptive")]
        machines += [
            (replace(machine, migrate_every=every), "adaptive")
            for every in PERIODS
            if every != machine.migrate_every
        ]
    return machines


def _run(trace: AllocationTrace, machines: Iterable[tuple[Placement, str]]) -> Runs:
    """Run one trace, generated once, through several machines."""
    began = time.process_time()
    simulations = [Simulation(placement, name, timed=False) for placement, name in machines]
    for events in trace:
        for simulation in simulations:
            simulation.step(events)
    runs = [simulation.result(trace) for simulation in simulations]
    if any(run.failed for run in runs):
        raise RuntimeError(f"{trace}: allocations failed")
    print(
        f"{trace.title}: {len(runs)} machines, {time.process_time() - began:.0f} s",
        flush=True,
    )
    return runs


def _of(runs: Runs, allocator: str, every: int = LARGE.migrate_every) -> PlacementRun:
    return next(run for run in runs if run.allocator == allocator and run.placement.migrate_every == every)


def _pictures(folder: Path, light: Runs, idle: Runs) -> None:
    buddy, adaptive = _of(light, "buddy"), _of(light, "adaptive")
    save_figure(map_figure(idle), folder / "figure3a.png")
    save_figure(map_figure([buddy, adaptive]), folder / "figure9.png")
    series = [_of(light, "adaptive", every) for every in SHOWN_PERIODS]
    titles = ["no migration", *(f"migration every {every} ticks" for every in SHOWN_PERIODS[1:])]
    save_figure(time_figure(series, titles), folder / "figure10.png")


def _percent(values: Iterable[float]) -> str:
    return f"{100 * float(np.mean(list(values))):.1f}"


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(heads), " | ".join(["---"] + ["---:"] * (len(heads) - 1))]
    return "\n".join(f"| {line} |" for line in (*lines, *(" | ".join(row) for row in rows)))


def _table1(power: ChipPower) -> str:
    """Return the paper's states and their counterparts."""
    paper = {
        "Read/Write": (100, power.access_mw),
        "Active-Idle": (63, power.waiting_mw[1]),
        "Self-Refresh": (7, power.waiting_mw[3]),
        "Deep-Power-Down": ("< 1", 0.0),
    }
    names = {
        "Read/Write": "back-to-back accesses",
        "Active-Idle": f"{power.states[1]}, refreshes included",
        "Self-Refresh": power.states[3],
        "Deep-Power-Down": OFF,
    }
    rows = [
        (state, f"{percent} %", names[state], f"{mw:.1f}", f"{100 * mw / power.access_mw:.0f} %")
        for state, (percent, mw) in paper.items()
    ]
    return _markdown(["state", "the paper", f"here, {power.part}", "mW per chip", "share"], rows)


def _seeds(large: dict[tuple[str, int], Runs], ticks: int) -> str:
    rows = []
    for (name, seed), runs in large.items():
        run, buddy = _of(runs, "adaptive"), _of(runs, "buddy")
        rows.append(
            (
                f"{name}, {seed}",
                _percent(run.used / run.placement.frames),
                _percent(run.optimal_share),
                f"**{_percent(run.offline_share)}**",
                f"{100 * run.offline_share.max():.1f}",
                f"{run.copied_pages / 1e6:.2f} M",
                f"{run.copied_pages * PAGE_BYTES / 2**20 / (ticks * run.tick_s):.1f}",
                f"{run.unmovable_units.mean():.1f}",
                f"{buddy.unmovable_units.mean():.1f}",
                f"{100 * run.unmovable_units.mean() / buddy.unmovable_units.mean():.1f} %",
                f"{run.most_moves}",
            )
        )
    heads = ["workload, seed", "in use, %", "optimum", "offline, %", "maximum offline, %", "migrated pages"]
    heads += [
        "MB per tick",
        "unmovable banks",
        "buddy's unmovable banks",
        "ratio",
        "max. moves per operation",
    ]
    return _markdown(heads, rows)


def _spread(runs_of: dict[tuple[str, int], Runs]) -> str:
    """Return minimum, median and maximum over all seeds."""
    rows = []
    for name in WORKLOADS:
        runs = [_of(runs, "adaptive") for (workload, _), runs in runs_of.items() if workload == name]
        optimal = np.array([100 * run.optimal_share.mean() for run in runs])
        offline = np.array([100 * run.offline_share.mean() for run in runs])
        copied = np.array([run.copied_pages / 1e6 for run in runs])
        for head, values, digits in (
            ("optimum", optimal, 1),
            ("offline", offline, 1),
            ("below optimum", optimal - offline, 2),
            ("migrated pages, M", copied, 2),
        ):
            cells = (values.min(), np.median(values), values.max())
            rows.append((f"{name}, {len(runs)} seeds: {head}", *(f"{cell:.{digits}f}" for cell in cells)))
    return _markdown(["", "minimum", "median", "maximum"], rows)


def _periods(large: dict[tuple[str, int], Runs], power: MemoryPower) -> str:
    off = replace(power, low_state=OFF)
    rows = []
    for name in WORKLOADS:
        for every in PERIODS:
            run = _of(large[name, SEEDS[0]], "adaptive", every)
            rows.append(
                (
                    f"{name}, {_every(every)}",
                    _percent(run.optimal_share),
                    _percent(run.offline_share),
                    f"{run.copied_pages / 1e6:.2f} M",
                    f"{run.copied_pages / run.used.mean():.2f}",
                    f"{run_energy_mj(run, power) / 1e3:,.1f}",
                    f"{run_energy_mj(run, off) / 1e3:,.1f}",
                )
            )
    heads = ["workload, migration", "optimum", "offline, %", "migrated pages", "migrated per page"]
    return _markdown([*heads, "energy, J", "energy if off, J"], rows)


def _every(ticks: int) -> str:
    return {0: "never", 1: "every tick"}.get(ticks, f"every {ticks} ticks")


def _allocators(large: dict[tuple[str, int], Runs], power: MemoryPower) -> str:
    off = replace(power, low_state=OFF)
    rows = []
    for name in WORKLOADS:
        for allocator in COMPARED:
            run = _of(large[name, SEEDS[0]], allocator)
            awake = awake_energy_mj(run, power)
            rows.append(
                (
                    f"{name}, {allocator}",
                    _percent(run.offline_share),
                    f"{run.copied_pages / 1e6:.2f} M",
                    f"{run.unmovable_units.mean():.1f}",
                    f"{run.most_visits}",
                    f"{run_energy_mj(run, power) / 1e3:,.0f}",
                    f"{100 * run_energy_mj(run, power) / awake:.1f}",
                    f"{100 * run_energy_mj(run, off) / awake:.1f}",
                )
            )
    heads = ["workload, allocator", "offline, %", "migrated pages", "unmovable banks", "max. examined"]
    return _markdown([*heads, "energy, J", "% of all in standby", "% if off"], rows)


def _programs(runs: Runs, power: MemoryPower) -> str:
    rows = [
        (
            run.allocator,
            _percent(run.optimal_share),
            _percent(run.offline_share),
            f"{run.copied_pages:,}",
            f"{run.unmovable_units.mean():.1f}",
            f"{run.most_moves}",
            f"{100 * run_energy_mj(run, power) / awake_energy_mj(run, power):.1f}",
        )
        for run in runs
    ]
    heads = ["", "optimum", "offline, %", "migrated pages", "unmovable banks", "max. moves"]
    return _markdown([*heads, "energy, % of all in standby"], rows)


def _sizes(large: Runs, small: Runs) -> str:
    linux_zone = 1144  # the paper: bytes of free_area of a zone on x86_64
    rows = []
    for allocator in COMPARED:
        zones = len(LARGE.memory().zones)
        sets = {"buddy": zones, "adaptive": 2 * zones}.get(allocator, LARGE.units + zones - 1)
        cells = [allocator, f"{_of(large, allocator).metadata_bytes:,}"]
        cells.append(
            f"{_of(small, allocator).metadata_bytes:,}" if allocator in ("buddy", "adaptive") else ""
        )
        rows.append((*cells, f"{sets}", f"{sets * linux_zone:,}"))
    heads = ["", "ours, 32 GB in 256 banks: bytes", "4 GB in 128 banks: bytes", "sets of free lists, 32 GB"]
    return _markdown([*heads, "in Linux, 1,144 bytes per set"], rows)


def _interleaved(run: PlacementRun, sequential: PlacementRun) -> str:
    ticks = len(run.used)
    rows = [
        ("interleaved by pages", _percent(run.used / run.placement.frames), _percent(run.offline_share)),
        (
            "contiguous banks",
            _percent(sequential.used[:ticks] / sequential.placement.frames),
            _percent(sequential.offline_share[:ticks]),
        ),
    ]
    return _markdown(["buddy, light, seed 1, 100 ticks", "in use, %", "offline, %"], rows)


if __name__ == "__main__":
    main()
