# SPDX-License-Identifier: BSD-2-Clause
"""Fills panwar2015/page.md and draws its figures: part of `make results-panwar2015`."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc.plots.files import save_figure
from litemrc_studies.panwar2015.machine.energy import MemoryPower, memory_power
from litemrc_studies.panwar2015.machine.placement import PAGE_BYTES, Placement, PlacementRun
from litemrc_studies.panwar2015.machine.workloads.compile_tree import CompileTree
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT
from litemrc_studies.panwar2015.machine.workloads.kmem import read_kmem
from litemrc_studies.panwar2015.plots import map_figure, time_figure
from litemrc_studies.panwar2015.results.figure3 import (
    figure_3a,
    figure_3b,
    nearly_empty,
    table_3b,
    values_3a,
    varied,
)
from litemrc_studies.panwar2015.results.machines import (
    BANKS,
    COMPARED,
    LARGE,
    RARE,
    SEEDS,
    SMALL,
    SMALL_WORKLOADS,
    TICKS,
    WORKLOADS,
    Runs,
    adaptive,
    footprint,
    machines,
    run,
)
from litemrc_studies.panwar2015.results.table2 import distance_table, picture, table_2, values_2
from litemrc_studies.panwar2015.results.tables import (
    ORDER_BYTES,
    ZONE_BYTES,
    LargeRuns,
    allocators_table,
    exits,
    exits_table,
    interleaved_table,
    mean_percent,
    order_table,
    periods_table,
    programs_table,
    seeds_table,
    sets_of_lists,
    shares_1,
    sizes_table,
    table_1,
)
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

PART = "mt41k256m16-125:n"
SAMPLE = Path("host/litemrc_studies/panwar2015/tests/data/compile.kmem.xz")


def main() -> None:
    docs = page_parser(__doc__, "panwar2015").parse_args().docs
    page, pictures = docs / "page.md", docs / "pictures"
    pictures.mkdir(exist_ok=True)
    power = memory_power(PART, "self-refresh")
    large = {
        (name, seed): run(footprint(WORKLOADS[name], LARGE, TICKS, seed), machines(LARGE, seed))
        for name in WORKLOADS
        for seed in SEEDS
    }
    small = {
        (name, seed): run(footprint(SMALL_WORKLOADS[name], SMALL, TICKS, seed), machines(SMALL, seed))
        for name in WORKLOADS
        for seed in SEEDS
    }
    rows = {("32 GB", *key): runs for key, runs in large.items()}
    rows |= {("4 GB", *key): runs for key, runs in small.items()}
    idle = nearly_empty()
    unmovable = varied({key: runs["buddy"] for key, runs in large.items()})
    left = exits()
    for name, figure in {
        "figure3a": figure_3a(idle["after"]),
        "figure3b": figure_3b(unmovable),
        "figure9": map_figure([large["medium", 1][name] for name in ("buddy", "adaptive")]),
        "figure10": _figure_10(large["light", 1]),
        "table2": picture(rows),
    }.items():
        save_figure(figure, pictures / f"{name}.png")
    fill_tables(
        page,
        {
            "table1": table_1(power.power),
            "table2": table_2(rows),
            "distance": distance_table(rows),
            "seeds": seeds_table(large),
            "periods": periods_table(large, power),
            "figure3b-rows": table_3b(unmovable),
            "allocators": allocators_table(large, power),
            "exits": exits_table(left),
            "banks": order_table(small),
            "sizes": sizes_table(large["light", 1], small["light", 1]),
            **_others(power, large),
        },
    )
    fill_values(
        page,
        {"table1-shares": shares_1(power.power), **values_3a(idle), **values_2(rows), **_values(large, left)},
    )


def _figure_10(light: Runs) -> Figure:
    """Draw the paper's three panels, those with migration under two periods."""
    panels = {"(a) without migration": (0, ("free", "offline"))}
    for title, shown in (
        ("(b) with migration", ("free", "offline")),
        ("(c) offline", ("offline", "migrated")),
    ):
        for every in (RARE, LARGE.migrate_every):
            beside = " and migrated memory, migration" if "migrated" in shown else ""
            panels[f"{title}{beside} every {every} ticks"] = (every, shown)
    runs = [light[adaptive(every)] for every, _ in panels.values()]
    return time_figure(runs, list(panels), [shown for _, shown in panels.values()])


def _others(power: MemoryPower, large: LargeRuns) -> dict[str, str]:
    """Return the tables of workloads that the paper does not have."""
    compiled = replace(SMALL, units=128, migrate_every=20)  # of 0.1 s
    recorded = Placement(memory_bytes=64 << 20, units=16, reserve_pages=8, migrate_every=10)
    pages = replace(LARGE, interleave_bytes=PAGE_BYTES)
    mixed = run(footprint(LIGHT, pages, 100, 1), {"buddy": (pages, "buddy")})
    return {
        "compile": programs_table(
            run(CompileTree(compiled.frames), {name: (compiled, name) for name in COMPARED}), power
        ),
        "sample": programs_table(
            run(read_kmem(SAMPLE), {name: (recorded, name) for name in COMPARED}), power
        ),
        "interleaved": interleaved_table(mixed["buddy"], large["light", 1]["buddy"]),
    }


def _values(large: LargeRuns, left: Runs) -> dict[str, str]:
    """Return what the map and the text quote."""
    light, medium = large["light", 1], large["medium", 1]
    ends = {name: [int(runs[name].unmovable_units[-1]) for runs in (light, medium)] for name in COMPARED}
    migrated = {name: _millions(light, medium, name) for name in COMPARED}
    visits = {name: max(runs[name].most_visits for runs in (light, medium)) for name in COMPARED}
    crossing = int(light["adaptive"].crossing.sum())
    return {
        "crossing": f"{crossing} bank" + ("s" if crossing > 1 else ""),
        "array-visits": f"{visits['bank-array']}",
        "list-visits": f"{visits['bank-list']}",
        "adaptive-visits": f"{visits['adaptive']}",
        "array-migrated": migrated["bank-array"],
        "list-migrated": migrated["bank-list"],
        "exits-migrated": " and ".join(f"{left[name].copied_pages:,}" for name in BANKS),
        "order-bytes": f"{ORDER_BYTES} = 6 · 16 + 8",
        "zone-bytes": f"{ZONE_BYTES:,} = 11 · {ORDER_BYTES}",
        "sets": f"{sets_of_lists('bank-array')} sets of lists per bank, {sets_of_lists('adaptive')} of pools",
        "mm-sizes": " / ".join(f"{light[name].metadata_bytes / 1000:.0f}" for name in COMPARED) + " kB",
        "figure3b": f"{ends['buddy'][0]} (light), {ends['buddy'][1]} (medium) of {LARGE.units}",
        "figure9": f"{ends['buddy'][1]} and {ends['adaptive'][1]} of {LARGE.units}",
        "figure9-light": f"{ends['buddy'][0]} and {ends['adaptive'][0]}",
        "figure10": " / ".join(
            mean_percent(light[adaptive(every)].offline_share) for every in (0, RARE, LARGE.migrate_every)
        ),
        "buddy-offline": f"{mean_percent(light['buddy'].offline_share)} %",
        "adaptive-offline": f"{mean_percent(light['adaptive'].offline_share)} %",
        "unmovable-means": " and ".join(
            f"{runs['buddy'].unmovable_units.mean():.1f}" for runs in (light, medium)
        ),
        "highest-below": f"{_highest_below(large):.1f}",
        "kernel-free": " / ".join(
            f"{100 * _kernel_free(large['medium', seed]['adaptive']):.0f}" for seed in SEEDS
        )
        + " %",
    }


def _millions(light: Runs, medium: Runs, name: str) -> str:
    return " and ".join(f"{runs[name].copied_pages / 1e6:.2f}" for runs in (light, medium)) + " M"


def _highest_below(large: Mapping[tuple[str, int], Runs]) -> float:
    """Return the largest distance from the optimum of any seed, in percent of memory."""
    runs = [runs["adaptive"] for runs in large.values()]
    return max(100 * float(np.mean(each.optimal_share - each.offline_share)) for each in runs)


def _kernel_free(run: PlacementRun) -> float:
    """Return the part of the free pages of all banks in use, over all ticks, in banks with kernel pages."""
    free = (run.unit_pages - run.used_of_unit) * ~run.offline
    return float(free[run.unmovable_of_unit > 0].sum() / free.sum())


if __name__ == "__main__":
    main()
