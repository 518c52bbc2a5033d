# SPDX-License-Identifier: BSD-2-Clause
"""Sections 8.2 and 8.3 of Jantz et al. 2013: figure 5, five Java programs, and figure 6, a collector."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario, run_case
from litemrc_studies.jantz2013.plots import power_figure, relative_figure
from litemrc_studies.jantz2013.results.cases import MINUS, Made, Served, named, percent_of, record, run

from scripts.docs.page_tables import markdown

PROGRAMS = ("h2", "tradebeans", "tradesoap", "fop", "luindex")
LARGE = 3  # the first ones are databases
OURS = "color-local recycling"
READ_AGAIN = (0, 0.01, 0.05)  # shares of the visits
PAPER_RECYCLING, PAPER_LEAST = 0.27, 0.20  # mean and least reduction, section 8.2
PAPER_TENURED = 0.09  # section 8.3, "almost"


class JavaPrograms:
    """The runs of the Java programs, made when they are first needed."""

    def __init__(self, scenarios: Mapping[str, TrayScenario]) -> None:
        self._scenarios = scenarios
        self._made: dict[str, list[tuple[TrayRun, Served]]] = {}

    def runs(self) -> dict[str, list[TrayRun]]:
        return {name: [run for run, _ in each] for name, each in self._all().items()}

    def served(self) -> dict[str, list[Served]]:
        return {name: [served for _, served in each] for name, each in self._all().items()}

    def _all(self) -> dict[str, list[tuple[TrayRun, Served]]]:
        for name, scenario in self._scenarios.items():
            if name not in self._made:
                self._made[name] = [record(scenario, case) for case in scenario.cases]
        return self._made


def figure5(runs: Mapping[str, list[TrayRun]], pictures: Path) -> Made:
    panels: dict[str, dict[str, float]] = {}
    for title, base in (
        ("over interleaved, no trays", "interleaved"),
        ("over trays without colors", "trays"),
    ):
        panels[title] = {
            name: _ours(each).mean_mw() / named(each, base).mean_mw() for name, each in runs.items()
        }
    known = {"over interleaved, no trays": 1 - PAPER_RECYCLING}
    levels = {"over interleaved, no trays": {"paper: each below 0.8": 1 - PAPER_LEAST}}
    save_figure(relative_figure(panels, known, levels), pictures / "figure5.png")
    rows = []
    for name, each in runs.items():
        watts = [f"{one.mean_mw() / 1e3:.2f}" for one in each]
        ratios = [percent_of(1 - panel[name]) for panel in panels.values()]
        slower = _ours(each).phase_seconds() / each[0].phase_seconds() - 1
        rows.append([name, *watts, *ratios, f"{slower:+.1%}".replace("%", " %"), f"{_ours(each).recycled:,}"])
    means = [percent_of(1 - float(np.mean(list(panel.values())))) for panel in panels.values()]
    rows.append(["mean", "", "", "", *means, "", ""])
    rows.append(["the paper's mean", "", "", "", f"{PAPER_RECYCLING:.0%}".replace("%", " %"), "", "0", ""])
    heads = [
        "workload",
        "interleaved, W",
        "trays, W",
        "color-local, W",
        "reduction against interleaved",
        "reduction against trays",
    ]
    over, beside = panels.values()
    large, small = ([1 - beside[name] for name in names] for names in (PROGRAMS[:LARGE], PROGRAMS[LARGE:]))
    slower = max(abs(_ours(each).phase_seconds() / each[0].phase_seconds() - 1) for each in runs.values())
    values = {
        "figure5-mean": f"{means[0]}, each at least {percent_of(1 - max(over.values()))}",
        "figure5-reduction": means[0],
        "figure5-colors": f"{percent_of(min(large))} to {percent_of(max(large))}; {percent_of(max(small))}",
        "figure5-time": f"at most {100 * slower:.1f} %",
    }
    table = markdown([*heads, "time against interleaved", "pages recycled"], rows)
    return {"figure5": table}, values


def read_again(scenarios: Mapping[str, TrayScenario]) -> Made:
    """Table: the databases if they go on reading their input, whose pages color-local recycling replaces."""
    rows = []
    for name in PROGRAMS[:LARGE]:
        for share in READ_AGAIN:
            scenario = scenarios[name]
            before, ours = (run_case(scenario, _reading(scenario, each, share)) for each in ("trays", OURS))
            slower = ours.phase_seconds() / before.phase_seconds()
            cells = [f"{ours.reloads:,}", f"{slower:.2f}", percent_of(saving(before, ours))]
            energy = ours.mean_mw() * ours.phase_seconds() / (before.mean_mw() * before.phase_seconds())
            rows.append([name, f"{100 * share:g} %", *cells, f"{energy:.2f}"])
    heads = ["database", "visits that read the input", "pages read again from disk"]
    heads += ["time / trays", "power reduction against trays", "energy / trays"]
    return {"figure5-read-again": markdown(heads, rows)}, {}


def _reading(scenario: TrayScenario, name: str, share: float) -> Case:
    """Return a case whose program reads its input again, in order, with a share of its visits."""
    (case,) = [case for case in scenario.cases if case.configuration.name == name]
    (program,) = case.workload.programs
    rest = sum(each.weight for each in program.ranges)
    ranges = tuple(
        replace(each, weight=rest * share / (1 - share)) if each.name == "input" else each
        for each in program.ranges
    )
    return replace(case, workload=replace(case.workload, programs=(replace(program, ranges=ranges),)))


def figure6(scenario: TrayScenario, pictures: Path) -> Made:
    runs = run(scenario)
    begin = runs[0].phase_seconds("load")
    before, isolated = runs
    known = ("paper: 9 % below the mean of trays", [before.mean_mw() / 1e3 * (1 - PAPER_TENURED)])
    span = (begin, min(each.seconds for each in runs))
    save_figure(power_figure(runs, span=span, known=known), pictures / "figure6.png")
    rows = []
    for phase in (*before.phase_names[1:], None):
        rows.append(
            [
                phase or "both",
                f"{before.phase_seconds(phase):.1f} s",
                f"{before.mean_mw(phase) / 1e3:.2f}",
                f"{before.awake(phase):.1f}",
                f"{isolated.mean_mw(phase) / 1e3:.2f}",
                f"{isolated.awake(phase):.1f}",
                percent_of(saving(before, isolated, phase)),
            ]
        )
    rows.append(["the paper", "", "", "", "", "", f"almost {PAPER_TENURED:.0%}".replace("%", " %")])
    columns = [f"{name}, {what}" for name in ("trays", "tenured isolated") for what in ("W", "ranks awake")]
    heads = ["phase", "time", *columns, "reduction"]
    slower = isolated.phase_seconds() / before.phase_seconds() - 1
    values = {
        "figure6-power": f"{rows[2][-1]}; {rows[1][-1]} during collections",
        "figure6-share": f"{before.phase_seconds('collection') / before.phase_seconds():.0%}".replace(
            "%", " %"
        ),
        "figure6-time": f"{100 * slower:+.1f} %".replace("-", MINUS),
    }
    return {"figure6": markdown(heads, rows)}, values


def _ours(runs: Sequence[TrayRun]) -> TrayRun:
    return named(runs, OURS)
