# SPDX-License-Identifier: BSD-2-Clause
"""The output of `litemrc simulate placement`: a table, or JSON."""

from collections.abc import Sequence
from typing import Any

from litemrc.curves.sizes import size_text

from litemrc_studies.panwar2015.machine.energy import MemoryPower, awake_energy_mj, run_energy_mj
from litemrc_studies.panwar2015.machine.placement import PlacementRun
from litemrc_studies.panwar2015.machine.workloads.events import AllocationTrace

_NOTES = """\
offline: share of memory in offline banks; limit: if the pages in use lay in as few banks as possible
migrated: pages copied; unmovable: mean number of banks with unmovable pages; awake: all banks in standby"""


def placement_table(trace: AllocationTrace, runs: Sequence[PlacementRun], power: MemoryPower) -> str:
    """Return a line for each allocator."""
    placement = runs[0].placement
    lines = [
        f"{trace.title}: {len(runs[0].used):,} ticks of {trace.tick_s:g} s on"
        f" {size_text(placement.memory_bytes, 1)} in {placement.units} banks,"
        f" {runs[0].used.mean() / placement.frames:.1%} of it in use",
        f"empty banks in {power.low_state} ({power.part}), the others in standby",
        "",
        f"{'':<11} {'offline, %':>24} {'migrated':>10} {'unmovable':>9}"
        f" {'allocate, ns':>13} {'free, ns':>8} {'metadata':>9} {'energy, J':>10} {'share of':>8}",
        f"{'allocator':<11} {'mean':>10} {'limit':>6} {'max':>6} {'pages':>10} {'banks':>9}"
        f" {'mean':>6} {'max':>6} {'mean':>8} {'bytes':>9} {'':>10} {'awake':>8}",
    ]
    for run in runs:
        row = result_json(run, power)
        lines.append(
            f"{run.allocator:<11} {row['offline_percent']:>10.1f} {row['optimal_percent']:>6.1f}"
            f" {row['max_offline_percent']:>6.1f} {row['migrated_pages']:>10,} {row['unmovable_banks']:>9.1f}"
            f" {row['alloc_ns_mean']:>6.1f} {row['alloc_ns_max']:>6,} {row['free_ns_mean']:>8.1f}"
            f" {row['metadata_bytes']:>9,} {row['energy_mj'] / 1e3:>10.2f}"
            f" {row['energy_mj'] / row['awake_energy_mj']:>8.1%}"
        )
    lines += [
        f"{run.allocator}: {run.failed:,} allocations ({run.failed_pages:,} pages) failed: no free memory"
        for run in runs
        if run.failed
    ]
    return "\n".join([*lines, _NOTES])


def placement_json(
    trace: AllocationTrace, runs: Sequence[PlacementRun], power: MemoryPower
) -> dict[str, Any]:
    """Return what --json prints."""
    placement = runs[0].placement
    return {
        "trace": trace.title,
        "ticks": len(runs[0].used),
        "tick_s": trace.tick_s,
        "notes": trace.notes,
        "memory_bytes": placement.memory_bytes,
        "banks": placement.units,
        "nodes": placement.nodes,
        "interleave_bytes": placement.interleave_bytes,
        "migrate_every": placement.migrate_every,
        "migrate_pages": placement.migration_pages,
        "migrate_below_percent": placement.most_used_percent,
        "reserve_pages": placement.reserve_pages,
        "moves_per_operation": placement.moves_per_operation,
        "scrambled": placement.scramble,
        "seed": placement.seed,
        "part": power.part,
        "low_state": power.low_state,
        "results": [result_json(run, power) for run in runs],
    }


def result_json(run: PlacementRun, power: MemoryPower) -> dict[str, Any]:
    """Return the results of one allocator."""
    times = run.times
    return {
        "allocator": run.allocator,
        "offline_percent": 100 * float(run.offline_share.mean()),
        "optimal_percent": 100 * float(run.optimal_share.mean()),
        "max_offline_percent": 100 * float(run.offline_share.max()),
        "used_percent": 100 * float(run.used.mean()) / run.placement.frames,
        "migrated_pages": run.copied_pages,
        "unmovable_banks": float(run.unmovable_units.mean()),
        "alloc_ns_mean": times.allocation_ns / max(times.allocations, 1),
        "alloc_ns_max": times.longest_allocation_ns,
        "free_ns_mean": times.free_ns / max(times.frees, 1),
        "free_ns_max": times.longest_free_ns,
        "most_moves": run.most_moves,
        "most_list_work": run.most_list_work,
        "metadata_bytes": run.metadata_bytes,
        "energy_mj": run_energy_mj(run, power),
        "awake_energy_mj": awake_energy_mj(run, power),
        "failed": run.failed,
    }
