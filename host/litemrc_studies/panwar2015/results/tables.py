"""Tables of panwar2015/page.md, except those of figure 3 and of table 2."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from litemrc_studies.panwar2015.machine.energy import OFF, MemoryPower, awake_energy_mj, run_energy_mj
from litemrc_studies.panwar2015.machine.placement import PAGE_BYTES, PlacementRun
from litemrc_studies.panwar2015.results.machines import (
    COMPARED,
    LARGE,
    PERIODS,
    SEEDS,
    SMALL,
    TICKS,
    WORKLOADS,
    Runs,
    adaptive,
)
from litemrc_studies.shared.chip_power import ChipPower
from numpy.typing import NDArray

from scripts.docs.page_tables import markdown

LargeRuns = Mapping[tuple[str, int], Runs]  # of 32 GB, by workload and seed
# Linux on x86-64, for each order of a zone: a list head per migrate type and a counter.
ORDER_BYTES = 6 * 16 + 8
ZONE_BYTES = 11 * ORDER_BYTES


def table_1(power: ChipPower) -> str:
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
    return markdown(["state", "the paper", f"here, {power.part}", "mW per chip", "share"], rows)


def shares_1(power: ChipPower) -> str:
    """Return the shares of table 1 in the paper's order."""
    of_states = (power.access_mw, power.waiting_mw[1], power.waiting_mw[3], 0.0)
    return " / ".join(f"{100 * mw / power.access_mw:.0f}" for mw in of_states) + " %"


def seeds_table(large: LargeRuns) -> str:
    rows = []
    for (name, seed), runs in large.items():
        run, buddy = runs["adaptive"], runs["buddy"]
        rows.append(
            (
                f"{name}, {seed}",
                mean_percent(run.used / run.placement.frames),
                mean_percent(run.optimal_share),
                f"**{mean_percent(run.offline_share)}**",
                f"{100 * run.offline_share.max():.1f}",
                f"{run.copied_pages / 1e6:.2f} M",
                f"{run.copied_pages * PAGE_BYTES / 2**20 / (TICKS * run.tick_s):.1f}",
                f"{run.unmovable_units.mean():.1f}",
                f"{buddy.unmovable_units.mean():.1f}",
                f"{100 * run.unmovable_units.mean() / buddy.unmovable_units.mean():.1f} %",
                f"{run.most_moves}",
            )
        )
    heads = ["workload, seed", "in use, %", "optimum", "offline, %", "maximum offline, %", "migrated pages"]
    heads += ["MB per tick", "unmovable banks", "buddy's unmovable banks", "ratio"]
    return markdown([*heads, "max. moves per operation"], rows)


def periods_table(large: LargeRuns, power: MemoryPower) -> str:
    off = replace(power, low_state=OFF)
    rows = []
    for name in WORKLOADS:
        for every in PERIODS:
            run = large[name, SEEDS[0]][adaptive(every)]
            rows.append(
                (
                    f"{name}, {_every(every)}",
                    mean_percent(run.optimal_share),
                    mean_percent(run.offline_share),
                    f"{run.copied_pages / 1e6:.2f} M",
                    f"{run.copied_pages / run.used.mean():.2f}",
                    f"{run_energy_mj(run, power) / 1e3:,.1f}",
                    f"{run_energy_mj(run, off) / 1e3:,.1f}",
                )
            )
    heads = ["workload, migration", "optimum", "offline, %", "migrated pages", "migrated per page"]
    return markdown([*heads, "energy, J", "energy if off, J"], rows)


def _every(ticks: int) -> str:
    return {0: "never", 1: "every tick"}.get(ticks, f"every {ticks} ticks")


def allocators_table(large: LargeRuns, power: MemoryPower) -> str:
    off = replace(power, low_state=OFF)
    rows = []
    for name in WORKLOADS:
        for allocator in COMPARED:
            run = large[name, SEEDS[0]][allocator]
            awake = awake_energy_mj(run, power)
            rows.append(
                (
                    f"{name}, {allocator}",
                    mean_percent(run.offline_share),
                    f"{run.copied_pages / 1e6:.2f} M",
                    f"{run.unmovable_units.mean():.1f}",
                    f"{run.most_visits}",
                    f"{run_energy_mj(run, power) / 1e3:,.0f}",
                    f"{100 * run_energy_mj(run, power) / awake:.1f}",
                    f"{100 * run_energy_mj(run, off) / awake:.1f}",
                )
            )
    heads = ["workload, allocator", "offline, %", "migrated pages", "unmovable banks", "max. examined"]
    return markdown([*heads, "energy, J", "% of all in standby", "% if off"], rows)


def programs_table(runs: Runs, power: MemoryPower) -> str:
    """Return a row for each allocator under the allocations of programs."""
    rows = [
        (
            run.allocator,
            mean_percent(run.optimal_share),
            mean_percent(run.offline_share),
            f"{run.copied_pages:,}",
            f"{run.unmovable_units.mean():.1f}",
            f"{run.most_moves}",
            f"{100 * run_energy_mj(run, power) / awake_energy_mj(run, power):.1f}",
        )
        for run in runs.values()
    ]
    heads = ["", "optimum", "offline, %", "migrated pages", "unmovable banks", "max. moves"]
    return markdown([*heads, "energy, % of all in standby"], rows)


def sets_of_lists(allocator: str) -> int:
    """Return the sets of free lists on 32 GB."""
    zones = len(LARGE.memory().zones)
    return {"buddy": zones, "adaptive": 2 * zones}.get(allocator, LARGE.units + zones - 1)


def sizes_table(large: Runs, small: Runs) -> str:
    rows = [
        (
            allocator,
            f"{large[allocator].metadata_bytes:,}",
            f"{small[allocator].metadata_bytes:,}",
            f"{sets_of_lists(allocator)}",
            f"{sets_of_lists(allocator) * ZONE_BYTES:,}",
        )
        for allocator in COMPARED
    ]
    heads = ["", f"ours, 32 GB in {LARGE.units} banks: bytes", f"4 GB in {SMALL.units} banks: bytes"]
    return markdown([*heads, "sets of free lists, 32 GB", f"in Linux, {ZONE_BYTES:,} bytes per set"], rows)


def interleaved_table(run: PlacementRun, contiguous: PlacementRun) -> str:
    ticks = len(run.used)
    rows = [
        (
            name,
            mean_percent(each.used[:ticks] / each.placement.frames),
            mean_percent(each.offline_share[:ticks]),
        )
        for name, each in (("interleaved by pages", run), ("contiguous banks", contiguous))
    ]
    return markdown([f"buddy, light, seed 1, {ticks} ticks", "in use, %", "offline, %"], rows)


def mean_percent(shares: NDArray[np.float64]) -> str:
    return f"{100 * float(shares.mean()):.1f}"
