# SPDX-License-Identifier: BSD-2-Clause
"""Fills the tables of memory allocation in zhou2004/page.md: part of `make results-zhou2004`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import litemrc.golden.allocation as golden
import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import allocate
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

UNITS = 128  # sizes of a curve; memory is in these units
KINDS = ("concave", "steps", "mixed")
SETS = 10_000
SEED = 2004
METHODS = ("greedy", "bare hull", "hull and repair")
MANY = ((100, 4096), (1000, 4096), (1000, 65_536), (1000, 1 << 20))  # processes, units of memory


@dataclass(frozen=True)
class CurveSet:
    """Processes that share a memory.

    Attributes
    ----------
    kind
        one of KINDS; the curves of `mixed` are of any kind.
    demands
        2 to 8 curves.
    memory_pages
        a tenth to nine tenths of the total of all curves.
    """

    kind: str
    demands: Sequence[Demand]
    memory_pages: int


def curve_sets(count: int, seed: int) -> Iterator[CurveSet]:
    """Yield sets, the kinds in turn; the first sets of a seed do not depend on `count`."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        demands = [demand_of_kind(rng, kind, f"p{i}") for i in range(rng.integers(2, 9))]
        yield CurveSet(kind, demands, int(rng.uniform(0.1, 0.9) * UNITS * len(demands)))


def demand_of_kind(rng: np.random.Generator, kind: str, name: str, scale: int = 1) -> Demand:
    """Return a curve of `scale` times UNITS sizes, of random final hit ratio; weight 1/4 to 4, log-uniform.

    concave: falling exponentials, knees from 2 % to 50 % of the sizes; steps: 1 to 4 at random sizes, of
    random heights; mixed: one of these, or half of each in one curve.
    """
    sizes = scale * UNITS
    shape = rng.choice(["concave", "steps", "both"]) if kind == "mixed" else kind
    hits = {
        "concave": lambda: _concave(rng, sizes),
        "steps": lambda: _steps(rng, sizes),
        "both": lambda: (_concave(rng, sizes) + _steps(rng, sizes)) / 2,
    }[shape]()
    ratio = np.clip(1 - rng.uniform(0.3, 1) * np.cumsum(hits), 0, 1)
    return Demand(name, np.arange(1, sizes + 1), ratio, 1_000_000, weight=float(2 ** rng.uniform(-2, 2)))


def _concave(rng: np.random.Generator, sizes: int) -> np.ndarray:
    hits = np.exp(-np.arange(sizes) / (sizes * rng.uniform(0.02, 0.5)))
    return hits / hits.sum()


def _steps(rng: np.random.Generator, sizes: int) -> np.ndarray:
    hits = np.zeros(sizes)
    count = rng.integers(1, 5)
    hits[rng.choice(sizes, count, replace=False)] = rng.dirichlet(np.ones(count))
    return hits


def main() -> None:
    parser = page_parser(__doc__, "zhou2004")
    parser.add_argument("--sets", type=int, default=SETS, help="random sets (%(default)s)")
    args = parser.parse_args()
    shares: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in KINDS for name in METHODS}
    for each in curve_sets(args.sets, SEED):
        for name, share in _shares(each).items():
            shares[each.kind, name].append(share)
    tables = {"allocation": _table(shares, args.sets), "allocation-many": _many()}
    fill_tables(args.docs / "page.md", tables)
    means = [np.mean(shares["steps", name]) for name in METHODS]
    text = f"convex: optimal; steps: greedy {means[0]:.2f}, hull {means[1]:.2f}, repaired {means[2]:.4f}"
    fill_values(args.docs / "page.md", {"greedy": text})
    save_figure(_figure(shares), args.docs / "pictures" / "allocation.png")


def _shares(each: CurveSet) -> Mapping[str, float]:
    """Return each method's utility as a share of the optimum's; 1 if no process can gain."""
    best, greedy, hull = (
        allocate(each.demands, each.memory_pages, delta_pages=1, method=method).utility
        for method in ("optimal", "greedy", "hull")
    )
    gains = [
        golden.Gains.of_curve(
            demand.sizes_pages.tolist(),
            (demand.value * (1 - demand.miss_ratio)).tolist(),
            delta_pages=1,
            minimum=0,
            free=each.memory_pages,
        )
        for demand in each.demands
    ]
    bare = golden.total_gain(gains, golden.bare_hull(gains, each.memory_pages))
    return {
        name: utility / best if best else 1.0
        for name, utility in zip(METHODS, (greedy, bare, hull), strict=True)
    }


def _table(shares: Mapping[tuple[str, str], Sequence[float]], sets: int) -> str:
    lines = [
        "| curves | sets |" + "".join(f" {name}: mean | worst |" for name in METHODS),
        "| --- | ---: |" + " ---: |" * 2 * len(METHODS),
    ]
    for kinds, called in (*(((kind,), kind) for kind in KINDS), (KINDS, "all")):
        cells = []
        for name in METHODS:
            found = [share for kind in kinds for share in shares[kind, name]]
            cells += [f"{np.mean(found):.4f}", f"{min(found):.4f}"]
        lines.append(f"| {called} | {len(found):,} | " + " | ".join(cells) + " |")
    drawn = [
        f"The sets (seed {SEED}, `host/litemrc_studies/zhou2004/results/allocation.py`) have 2 to 8 processes"
        f" with curves of {UNITS}",
        "units and final hit ratios of 0.3 to 1. Concave: exponentials with knees from 2 % to 50 % of the",
        "sizes; steps: 1 to 4 at random positions, of random height; mixed: either kind, or half of each in",
        "one curve. Weights from 1/4 to 4; memory from a tenth to nine tenths of the total of all curves.",
    ]
    return "\n".join([*lines, "", *drawn])


def _many() -> str:
    lines = [
        "| processes | units | greedy | hull and repair | upper bound | proven optimal |",
        "| ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for processes, units in MANY:
        rng = np.random.default_rng(SEED)
        scale = 4096 // UNITS
        demands = [demand_of_kind(rng, "mixed", f"p{number}", scale) for number in range(processes)]
        greedy, hull = (allocate(demands, units, delta_pages=1, method=m) for m in ("greedy", "hull"))
        proven = "yes" if hull.utility_bound == hull.utility else "no"
        cells = [f"{processes:,}", f"{units:,}", *(f"{each.utility:.4f}" for each in (greedy, hull))]
        lines.append("| " + " | ".join([*cells, f"{hull.utility_bound:.4f}", proven]) + " |")
    return "\n".join([*lines, "", f"Mixed curves of 4,096 sizes, otherwise as above (seed {SEED})."])


def _figure(shares: Mapping[tuple[str, str], Sequence[float]]) -> Figure:
    """Draw the share of sets in which a method reaches at most a given share of the optimum."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3), dpi=150, layout="constrained")
        kinds = [kind for kind in KINDS if kind != "concave"]  # all methods are optimal there
        panels = figure.subplots(1, len(kinds), sharey=True)
        for axes, kind in zip(panels, kinds, strict=True):
            for name, colour in zip(METHODS, COLOURS[1:], strict=False):
                found = np.sort(shares[kind, name])
                label = name if kind == kinds[0] else None
                axes.step([0, *found, 1], [*np.linspace(0, 1, found.size + 1), 1], color=colour, label=label)
            axes.set(title=kind, xlim=(0, 1.01), ylim=(0, 1.02))
            axes.grid()
        panels[0].set_ylabel("share of sets")
        figure.supxlabel("utility, as a share of the optimum's")
        figure.legend(loc="outside right upper")
    return figure


if __name__ == "__main__":
    main()
