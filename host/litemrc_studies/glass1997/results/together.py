# SPDX-License-Identifier: BSD-2-Clause
"""Draws figure 11 of glass1997/page.md and fills its table: part of `make results-glass1997`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.curves.sizes import MIB
from litemrc.plots.files import save_figure
from litemrc.traces.summary import Summary
from litemrc.traces.trace import PAGE_BYTES
from litemrc_studies.glass1997.machine.round_robin import GlobalResult, Scheduling, run_together
from litemrc_studies.glass1997.plots import draw_policy
from litemrc_studies.glass1997.policies import Lru, Seq
from litemrc_studies.glass1997.results.pictures import M, grid
from litemrc_studies.glass1997.results.programs import OF_PAPER, Program, opened, sizes_of
from matplotlib.axes import Axes

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

MIXES = (  # the paper's; ours are of the programs that stand for them
    ("es", "fgm"),
    ("gcc", "vortex"),
    ("swim", "trygtsl"),
    ("vortex", "gnuplot"),
    ("coral", "wave5", "trygtsl"),
)
SIZES = 12  # of a mix
SHOWN = (0.5, 0.75)  # shares of all pages
POLICIES = (Lru(), Seq())


@dataclass(frozen=True)
class Mix:
    """Programs together.

    Attributes
    ----------
    pages
        of all programs.
    results
        for each policy, for each memory size in `sizes`.
    """

    programs: Sequence[Program]
    pages: int
    sizes: Sequence[int]
    results: dict[str, list[GlobalResult]]

    @property
    def title(self) -> str:
        return " + ".join(program.name for program in self.programs)

    def rates(self, policy: str) -> list[float]:
        """Return faults, without cold ones, per million instructions of all programs."""
        results = self.results[policy]
        return [M * (result.faults - result.cold_faults) / result.computed for result in results]

    @property
    def ratio(self) -> float:
        """SEQ / LRU: faults summed over all memories."""
        lru, seq = (sum(r.faults - r.cold_faults for r in self.results[p.name]) for p in POLICIES)
        return seq / lru

    def nearest(self, share: float) -> int:
        """Return the place in `sizes` that is nearest to this share of all pages."""
        return int(np.argmin(np.abs(np.array(self.sizes) - share * self.pages)))

    def ratio_at(self, share: float) -> float:
        """SEQ / LRU in one memory."""
        at = [self.results[policy.name][self.nearest(share)] for policy in POLICIES]
        lru, seq = (result.faults - result.cold_faults for result in at)
        return seq / lru


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    mixes = []
    for names in MIXES:
        print(f"{' + '.join(names)} in one memory", flush=True)
        mixes.append(_run([OF_PAPER[name] for name in names]))
    fill_tables(docs / "page.md", {"global": _table(mixes)})
    fill_values(docs / "page.md", {"global": _value(mixes), "section5": _better(mixes)})
    _draw(mixes, docs / "pictures/figure11.png")


def _run(programs: Sequence[Program]) -> Mix:
    minimum = pages = 0
    for program in programs:
        summary = Summary()
        with opened(program) as trace:
            for chunk in trace:
                summary.add(chunk)
            minimum += trace.minimum_pages
        pages += summary.pages.numbers().size
    sizes = sizes_of(minimum, pages, SIZES)
    openers = [lambda program=program: opened(program) for program in programs]
    results = {
        policy.name: [run_together(openers, policy, size, Scheduling()) for size in sizes]
        for policy in POLICIES
    }
    return Mix(programs, pages, sizes, results)


def _draw(mixes: Sequence[Mix], path: Path) -> None:
    def draw(axes: Axes, number: int) -> None:
        mix = mixes[number]
        for policy in mix.results:
            points = list(zip(mix.sizes, mix.rates(policy), strict=True))
            draw_policy(axes, policy, points, PAGE_BYTES, small=True)
        axes.set_title(f"{mix.title}\n({' + '.join(MIXES[number])})")
        axes.grid(axis="y")
        axes.set_xlim(0, 1.04 * mix.pages * PAGE_BYTES / MIB)
        axes.set_ylim(bottom=0)

    figure = grid(len(mixes), draw, "memory in MiB", "page faults per million instructions", columns=3)
    save_figure(figure, path)


def _table(mixes: Sequence[Mix]) -> str:
    heads = ["programs (of the paper)", "memory in MiB", "LRU: faults", "SEQ: faults", "SEQ / LRU"]
    heads += ["LRU: time", "SEQ: time"]
    rows = []
    for mix, names in zip(mixes, MIXES, strict=True):
        for share in SHOWN:
            at = mix.nearest(share)
            lru, seq = (mix.results[policy.name][at] for policy in POLICIES)
            faults = [result.faults - result.cold_faults for result in (lru, seq)]
            cells = [f"{mix.title} ({' + '.join(names)})", f"{mix.sizes[at] * PAGE_BYTES / MIB:,.1f}"]
            cells += [*(f"{count:,}" for count in faults), f"{faults[1] / faults[0]:.2f}"]
            rows.append([*cells, *(f"{result.time / M:,.0f}" for result in (lru, seq))])
    return markdown(heads, rows)


def _value(mixes: Sequence[Mix]) -> str:
    """Return SEQ / LRU of each mix."""
    return "SEQ / LRU: " + "; ".join(f"{mix.title} {mix.ratio:.2f}" for mix in mixes)


def _better(mixes: Sequence[Mix]) -> str:
    """Return how many mixes are better and worse by over 2 %, in single memories and over all."""
    ratios = {
        f"in {100 * share:.0f} % of the pages": [mix.ratio_at(share) for mix in mixes] for share in SHOWN
    }
    ratios["over all memories"] = [mix.ratio for mix in mixes]
    counted = [
        f"{where} {sum(ratio < 0.98 for ratio in each)} better, {sum(ratio > 1.02 for ratio in each)} worse"
        for where, each in ratios.items()
    ]
    return f"of {len(mixes)} mixes, by over 2 %: {'; '.join(counted)}"


if __name__ == "__main__":
    main()
