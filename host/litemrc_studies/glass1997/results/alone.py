# SPDX-License-Identifier: BSD-2-Clause
"""Table 1, figures 1 to 4 and claims of glass1997/page.md: part of `make results-glass1997`."""

from collections.abc import Sequence

from litemrc.plots.files import save_figure
from litemrc.plots.known import Beside, beside_figure
from litemrc_studies.glass1997.results.claims import claims, knees, values
from litemrc_studies.glass1997.results.pictures import fault_rates, interfault_times, space_times
from litemrc_studies.glass1997.results.programs import PAGE_KB, PROGRAMS, Measured, executable_bytes, measured
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

HALF = len(PROGRAMS) // 2  # figures 1 and 3 have the first half, 2 and 4 the second


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    programs = []
    for program in PROGRAMS:
        print(f"{program.title} in memories of all sizes", flush=True)
        programs.append(measured(program))
    fill_tables(
        docs / "page.md",
        {"table1": table_1(programs), "claims": claims(programs), "knees": knees(programs)},
    )
    fill_values(docs / "page.md", {**values(programs), "table1": _range(programs)})
    folder = docs / "pictures"
    save_figure(_minimums(programs), folder / "table1.png")
    for number, half in enumerate((programs[:HALF], programs[HALF:])):
        save_figure(space_times(half), folder / f"space-time{number + 1}.png")
        save_figure(fault_rates(half), folder / f"figure{number + 1}.png")
        save_figure(interfault_times(half), folder / f"figure{number + 3}.png")


def table_1(programs: Sequence[Measured]) -> str:
    """Return table 1: of each program ours / the paper's."""
    heads = ["program", "stands for", "million instructions", "memory in KB", "executable in KB"]
    heads += ["LRU's minimum in KB", "OPT's minimum in KB"]
    rows = []
    for of in programs:
        program, paper = of.program, of.program.paper
        pairs = (
            (of.instructions / 1e6, paper.instructions),
            (of.pages * PAGE_KB, paper.memory),
            (executable_bytes()[program.name] / 1024, paper.executable),
            (of.lru_minimum * PAGE_KB, paper.lru),
            (of.opt_minimum * PAGE_KB, paper.opt),
        )
        cells = [f"{ours:,.0f} / {theirs:,}" for ours, theirs in pairs]
        rows.append([f"`{program.name}`: {program.description}", program.stands_for, *cells])
    return markdown(heads, rows)


def _range(programs: Sequence[Measured]) -> str:
    lengths = [of.instructions / 1e6 for of in programs]
    memories = [of.pages * PAGE_KB / 1024 for of in programs]
    return (
        f"{min(lengths):,.0f} to {max(lengths):,.0f} M instructions,"
        f" {min(memories):,.0f} to {max(memories):,.0f} MiB"
    )


def _minimums(programs: Sequence[Measured]) -> Figure:
    """Draw the minimum simulatable memories as shares of the memory used, beside the paper's."""
    panels = {
        "LRU's minimum, % of the memory used": [
            Beside(of.program.title, [100 * of.lru_minimum / of.pages], 100 * paper.lru / paper.memory)
            for of in programs
            for paper in [of.program.paper]
        ],
        "OPT's minimum, % of the memory used": [
            Beside(of.program.title, [100 * of.opt_minimum / of.pages], 100 * paper.opt / paper.memory)
            for of in programs
            for paper in [of.program.paper]
        ],
    }
    return beside_figure(panels, ours="here")


if __name__ == "__main__":
    main()
