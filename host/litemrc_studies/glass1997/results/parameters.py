# SPDX-License-Identifier: BSD-2-Clause
"""Figures 9 and 10 of glass1997/page.md, SEQ's parameters: part of `make results-glass1997`."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from litemrc.curves.sizes import MIB
from litemrc.plots.curves import COLOURS, MARKERS
from litemrc.plots.files import save_figure
from litemrc.traces import open_trace
from litemrc.traces.trace import PAGE_BYTES
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Lru, Seq
from litemrc_studies.glass1997.results.claims import NEARLY_ALL
from litemrc_studies.glass1997.results.pictures import grid
from litemrc_studies.glass1997.results.programs import PAGE_KB, PROGRAMS, Program, opened, pages_of, sizes_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser, percent

DEFAULT = Seq()
VARIED = {
    "L 50, M 20": Seq(length=50),
    "L 50, M 50": Seq(length=50, distance=50),
    "X 50": Seq(limit=50),
    "N 2": Seq(recent=2),
    "N 20": Seq(recent=20),
}
DRAWN = ("L 50, M 20", "L 50, M 50", "X 50")  # in the paper's figures
FIGURES = {9: ("applu", "fgm", "perl", "swim"), 10: ("vortex", "wave5")}
SIZES = 16
VISIBLE = 0.05  # distance of two curves, as a share of their height


class Finding(StrEnum):
    """How a setting changes a program's curve in the paper."""

    ON_LRU = "on LRU's curve"
    WORSE = "worse"
    SLIGHTLY_WORSE = "slightly worse"
    VISIBLE = "visible"


# What section 4.2 and figure 9 find for each program and setting; the others' curves stay where they are.
PAPER = {
    "applu": {"L 50, M 20": Finding.ON_LRU, "L 50, M 50": Finding.ON_LRU, "X 50": Finding.SLIGHTLY_WORSE},
    "fgm": {"L 50, M 50": Finding.WORSE},
    "perl": {"L 50, M 20": Finding.VISIBLE, "L 50, M 50": Finding.VISIBLE},
    "swim": {"L 50, M 50": Finding.WORSE},
}


@dataclass(frozen=True, eq=False)
class Varied:
    """A program under LRU, and under SEQ with several parameters.

    Attributes
    ----------
    sizes
        of memories, in pages.
    pages
        of the program.
    faults
        without cold ones, by setting; "" is the default, "lru" is LRU.
    sequences
        the most that the default held, over all sizes.
    """

    program: Program
    sizes: Sequence[int]
    pages: int
    faults: dict[str, NDArray[np.int64]]
    sequences: int

    def change(self, name: str) -> float:
        """Return the change against the default of the faults in all memories up to nearly all pages."""
        counted = np.array(self.sizes) <= NEARLY_ALL * self.pages
        return float(self.faults[name][counted].sum() / self.faults[""][counted].sum() - 1)

    def distance(self, name: str) -> float:
        """Return the largest distance of the curve from the default's as a share of the default's height."""
        return self._apart(name, "")

    def agrees(self, name: str) -> bool:
        """Return whether a setting changes the curve as in the paper, the direction included."""
        distance = self.distance(name)
        match _findings(self).get(name):
            case Finding.ON_LRU:
                return abs(self.from_lru(name)) <= VISIBLE
            case Finding.WORSE:
                return distance > VISIBLE
            case Finding.SLIGHTLY_WORSE:
                return distance > 0
            case Finding.VISIBLE:
                return abs(distance) > VISIBLE
        return abs(distance) <= VISIBLE

    def from_lru(self, name: str) -> float:
        """Return the largest distance of the curve from LRU's as a share of the default's height."""
        return self._apart(name, "lru")

    def _apart(self, name: str, other: str) -> float:
        apart = self.faults[name] - self.faults[other]
        return float(apart[np.argmax(np.abs(apart))] / self.faults[""].max())


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    programs = []
    for program in PROGRAMS:
        print(f"parameters of SEQ for {program.title}", flush=True)
        programs.append(_varied(program))
    for number, names in FIGURES.items():
        shown = [of for name in names for of in programs if of.program.stands_for == name]
        save_figure(_curves(shown), docs / f"pictures/figure{number}.png")
    fill_tables(docs / "page.md", {"parameters": _table(programs)})
    fill_values(docs / "page.md", _values(programs))


def _varied(program: Program) -> Varied:
    with opened(program) as trace:
        pages = pages_of(trace).size
        sizes = sizes_of(trace.minimum_pages, pages, SIZES)
    policies = {"lru": Lru(), "": DEFAULT, **VARIED}
    with opened(program) as trace:
        counts = replay(trace, trace, list(policies.values()), sizes).counts
    faults = np.array([count.faults - count.cold_faults for count in counts]).reshape(len(policies), -1)
    held = [count.sequences for count in counts if count.policy == DEFAULT]
    most = max(each.sequences_most for each in held if each is not None)
    return Varied(program, sizes, pages, dict(zip(policies, faults, strict=True)), most)


def _table(programs: Sequence[Varied]) -> str:
    heads = ["program (of the paper)", *VARIED, "sequences held", "the paper", "differs"]
    rows = []
    for of in programs:
        cells = []
        for name in VARIED:
            changed = f"{percent(1 + of.change(name))} ({percent(1 + of.distance(name))})"
            cells.append(changed if of.distance(name) else "-")
        found = "; ".join(f"{name}: {how}" for name, how in _findings(of).items()) or "nothing changes"
        differing = "; ".join(name for name in DRAWN if not of.agrees(name))
        rows.append([of.program.title, *cells, f"{of.sequences:,}", found, differing or "-"])
    return markdown(heads, rows)


def _values(programs: Sequence[Varied]) -> dict[str, str]:
    agreeing = [of for of in programs if all(map(of.agrees, DRAWN))]
    rest = [of for of in programs if not _findings(of)]
    by_n = [(of, name) for of in programs for name in ("N 2", "N 20")]
    of_n, farthest = max(by_n, key=lambda pair: abs(pair[0].distance(pair[1])))
    (applu,) = [of for of in programs if of.program.stands_for == "applu"]
    to_lru = [applu.faults[name].sum() / applu.faults["lru"].sum() for name in DRAWN[:2]]
    (tridiagonal,) = [of for of in programs if of.program.stands_for == "trygtsl"]
    sizes = (tridiagonal.pages, tridiagonal.program.paper.memory // PAGE_KB)
    return {
        "parameters-applu": " and ".join(f"{share:.2f}" for share in to_lru),
        "parameters-applu-lru": " and ".join(percent(1 + applu.from_lru(name)) for name in DRAWN[:2]),
        "parameters-size": " and ".join(
            f"{percent(1 + _of_sweeps(pages))} with {pages:,} pages" for pages in sizes
        ),
        "figure9": _changed([of for of in programs if _findings(of)]),
        "figure10": _changed([of for of in programs if of.program.stands_for in FIGURES[10]]),
        "parameters-agree": f"{len(agreeing)} of {len(programs)}",
        "parameters-constant": f"{sum(not _changing(of, DRAWN) for of in rest)} of {len(rest)}",
        "parameters-n": f"{100 * max(abs(of.change(name)) for of, name in by_n):.1f} %",
        "parameters-n-curve": f"{of_n.program.title}, {farthest}: {percent(1 + of_n.distance(farthest))}",
    }


def _of_sweeps(pages: int) -> float:
    """Return the change of faults by L = M = 50, in half of the pages of four arrays swept up and down."""
    settings = [DEFAULT, VARIED["L 50, M 50"]]
    with open_trace(f"gen:sweeps?pages={pages}&regions=4&turn=1&n={16 * pages}") as trace:
        before, after = replay(trace, trace, settings, [pages // 2]).counts
    return (after.faults - after.cold_faults) / (before.faults - before.cold_faults) - 1


def _findings(of: Varied) -> dict[str, Finding]:
    return PAPER.get(of.program.stands_for, {})


def _changing(of: Varied, names: Sequence[str]) -> set[str]:
    return {name for name in names if abs(of.distance(name)) > VISIBLE}


def _changed(programs: Sequence[Varied]) -> str:
    """Return the settings that change a program's faults visibly."""
    parts = []
    for of in programs:
        changes = [
            f"{name} {percent(1 + of.distance(name))}" for name in DRAWN if name in _changing(of, DRAWN)
        ]
        parts.append(f"{of.program.title}: {', '.join(changes) or 'none'}")
    return "; ".join(parts)


def _curves(programs: Sequence[Varied]) -> Figure:
    """Draw faults over memory size, a line for each setting; LRU's below."""

    def draw(axes: Axes, number: int) -> None:
        of = programs[number]
        memory = [size * PAGE_BYTES / MIB for size in of.sizes]
        lines = [
            ("lru", "LRU", COLOURS[0], "-", 3.5),
            ("", "SEQ: L 20, M 20, N 5, X 200", COLOURS[4], "-", 2.2),
        ]
        for place, name in enumerate(DRAWN):
            lines.append((name, name, COLOURS[(1, 2, 3)[place]], ("--", "-.", ":")[place], 1.4))
        for place, (name, label, colour, style, width) in enumerate(lines):
            axes.plot(
                memory,
                of.faults[name],
                color=colour,
                linestyle=style,
                linewidth=width,
                marker=MARKERS[place] if place > 1 else None,
                markersize=3,
                label=label,
            )
        axes.grid(axis="y")
        axes.set_title(of.program.title)
        axes.set_xlim(0, 1.04 * of.pages * PAGE_BYTES / MIB)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)

    return grid(len(programs), draw, "memory in MiB", "page faults, not cold", columns=2)


if __name__ == "__main__":
    main()
