# SPDX-License-Identifier: BSD-2-Clause
"""Figure 3 of Panwar and Gopinath 2015: banks in use on a nearly empty machine; banks with kernel pages."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from litemrc.plots.known import Beside, beside_figure
from litemrc_studies.panwar2015.machine.placement import Placement, PlacementRun
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, Footprint
from litemrc_studies.panwar2015.plots import map_figure
from litemrc_studies.panwar2015.results.machines import LARGE, SEEDS, TICKS, Runs, footprint, run
from matplotlib.figure import Figure

from scripts.docs.page_tables import markdown

TWO_NODES = replace(LARGE, nodes=2, migrate_every=0)
DECLINING = Footprint(0.06, 0.50, 0.15)  # its first levels are the highest with this seed
DECLINING_TICKS = 150
IDLE = Footprint(0.06, 0.10, 0.08)
IDLE_TICKS = 100
PAPER_UNMOVABLE = 172  # of 256 banks
KERNEL = (0.01, 0.03, 0.04)  # the default is 0.02
EARLIER = (100, 250)  # ticks


def nearly_empty() -> dict[str, Runs]:
    """Return runs of two nodes: after more memory was in use, and never more than a tenth."""
    buddy, adaptive = (
        (TWO_NODES, "buddy"),
        (replace(TWO_NODES, migrate_every=LARGE.migrate_every), "adaptive"),
    )
    return {
        "after": run(
            footprint(DECLINING, TWO_NODES, DECLINING_TICKS, 1), {"buddy": buddy, "adaptive": adaptive}
        ),
        "never": run(footprint(IDLE, TWO_NODES, IDLE_TICKS, 1), {"buddy": buddy}),
    }


def figure_3a(runs: Runs) -> Figure:
    return map_figure([runs["buddy"], runs["adaptive"]])


def values_3a(runs_of: Mapping[str, Runs]) -> dict[str, str]:
    """Return what node 1 shows."""
    after, never = runs_of["after"]["buddy"], runs_of["never"]["buddy"]
    full, empty = _node_1(after), _node_1(never)
    peak = 100 * after.used.max() / after.placement.frames
    return {
        "figure3a": f"{full[1]} of {full[2]} banks of node 1 in use at {full[0]:.1f} %",
        "figure3a-use": f"{full[0]:.1f} %",
        "figure3a-banks": f"{full[1]} of {full[2]}",
        "figure3a-peak": f"{peak:.0f} %",
        "figure3a-never": f"{empty[1]} of {empty[2]}",
        "figure3a-never-use": f"{empty[0]:.1f} %",
    }


def _node_1(each: PlacementRun) -> tuple[float, int, int]:
    """Return percent of memory in use, banks in use and banks of node 1 at the end."""
    used = each.used_of_unit[-1, each.placement.units // 2 :]
    pages = each.unit_pages[each.placement.units // 2 :]
    return 100 * float(used.sum() / pages.sum()), int((used > 0).sum()), len(used)


def varied(buddy: Mapping[tuple[str, int], PlacementRun]) -> dict[str, list[int]]:
    """Return the banks with unmovable pages at the end, of all seeds, by what is varied.

    Parameters
    ----------
    buddy
        runs of the buddy by workload and seed.
    """
    light = buddy["light", SEEDS[0]]
    found = {
        f"{name} workload": [_unmovable(buddy[name, seed]) for seed in SEEDS] for name in ("light", "medium")
    }
    found |= {f"light, after {ticks} of {TICKS} ticks": [_unmovable(light, ticks)] for ticks in EARLIER}
    found |= {
        f"light, kernel {100 * share:g} % of a process": [_of(replace(LIGHT, kernel=share))]
        for share in KERNEL
    }
    found |= {f"light, turns of {burst:,} blocks": [_of(replace(LIGHT, burst=burst))] for burst in (8, 4096)}
    found["light, processes of 0.1 % of memory"] = [_of(replace(LIGHT, process=0.001))]
    found["light, not scrambled"] = [_of(LIGHT, replace(LARGE, scramble=False))]
    return found


def figure_3b(found: Mapping[str, list[int]]) -> Figure:
    rows = [Beside(name, values, PAPER_UNMOVABLE) for name, values in found.items()]
    return beside_figure({"buddy: banks of 256 with unmovable pages": rows})


def table_3b(found: Mapping[str, list[int]]) -> str:
    rows = [
        (name, f"{np.mean(values):.0f}", f"{100 * np.mean(values) / PAPER_UNMOVABLE - 100:+.0f} %")
        for name, values in found.items()
    ]
    return markdown(["buddy", "unmovable banks of 256 at the end", f"beside {PAPER_UNMOVABLE}"], rows)


def _of(workload: Footprint, placement: Placement = LARGE) -> int:
    machine = replace(placement, migrate_every=0)
    return _unmovable(run(footprint(workload, machine, TICKS, 1), {"buddy": (machine, "buddy")})["buddy"])


def _unmovable(each: PlacementRun, ticks: int = 0) -> int:
    return int(each.unmovable_units[ticks - 1])
