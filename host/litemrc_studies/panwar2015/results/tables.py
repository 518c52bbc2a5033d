# SPDX-License-Identifier: BSD-2-Clause
"""Tables of panwar2015/page.md, except those of figure 3 and of table 2."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from litemrc_studies.panwar2015.machine.energy import OFF, MemoryPower, awake_energy_mj, run_energy_mj
from litemrc_studies.panwar2015.machine.placement import PAGE_BYTES, PlacementRun
from litemrc_studies.panwar2015.machine.workloads.events import FREE, Events
from litemrc_studies.panwar2015.results.machines import (
    BANKS,
    COMPARED,
    LARGE,
    PERIODS,
    SEEDS,
    SMALL,
    TICKS,
    WORKLOADS,
    Runs,
    adaptive,
    run,
)
from litemrc_studies.shared.chip_power import ChipPower
from numpy.typing import NDArray

from scripts.docs.page_tables import markdown

LargeRuns = Mapping[tuple[str, int], Runs]  # of 32 GB, by workload and seed
# Linux on x86-64, for each order of a zone: a list head per migrate type and a counter.
ORDER_BYTES = 6 * 16 + 8
ZONE_BYTES = 11 * ORDER_BYTES
A_BANKS, B_BANKS = 8.5, 8.0
MACHINE = replace(LARGE, migrate_every=1, scramble=False)


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


@dataclass
class ExitsFirst:
    """A allocates, B allocates, A ends: one tick each, and one more."""

    title: str = "A exits first"
    tick_s: float = 1.0
    ticks: int = 4
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks; pages are allocated one by one."""
        a, b = (int(banks * MACHINE.unit_frames) for banks in (A_BANKS, B_BANKS))
        numbers = np.arange(a + b, dtype=np.uint32)
        yield Events(np.zeros(a, np.uint8), numbers[:a])
        yield Events(np.zeros(b, np.uint8), numbers[a:])
        yield Events(np.full(a, FREE, np.uint8), numbers[:a])
        yield Events(np.empty(0, np.uint8), numbers[:0])


def exits() -> Runs:
    """Return the run of each allocator that migrates."""
    return run(ExitsFirst(), {name: (MACHINE, name) for name in COMPARED if name != "buddy"})


def exits_table(runs: Runs) -> str:
    rows = [
        (name, f"{each.copied_pages:,}", f"{(each.used_of_unit[-1] > 0).sum()}")
        for name, each in runs.items()
    ]
    return markdown(["A exits first", "migrated pages", "banks in use at the end"], rows)


def order_table(small: Mapping[tuple[str, int], Runs]) -> str:
    """Return what the order of the banks leaves to migration, on 4 GB."""
    rows = []
    for workload in WORKLOADS:
        for name in BANKS:
            never, often = (small[workload, SEEDS[0]][key] for key in (f"{name}, 0", name))
            partly = (never.used_of_unit > 0) & (never.used_of_unit < never.unit_pages)
            rows.append(
                (
                    f"{workload}, {name}",
                    f"{100 * never.offline_share.mean():.1f}",
                    f"{partly.sum(axis=1).mean():.1f}",
                    f"{100 * often.offline_share.mean():.1f}",
                    f"{often.copied_pages / 1e6:.2f} M",
                )
            )
    heads = ["4 GB, 32 banks, seed 1", "never: offline, %", "never: partly used banks"]
    return markdown([*heads, "every 2 ticks: offline, %", "every 2 ticks: migrated pages"], rows)
