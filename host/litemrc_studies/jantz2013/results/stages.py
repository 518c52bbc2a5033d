# SPDX-License-Identifier: BSD-2-Clause
"""Section 8.1 of Jantz et al. 2013: the staged workload of figure 4, and what its first stage depends on."""

from dataclasses import replace
from pathlib import Path

from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES, PAGES_OF_MIB, Controller
from litemrc_studies.jantz2013.machine.scenario import TrayScenario
from litemrc_studies.jantz2013.plots import stages_figure
from litemrc_studies.jantz2013.results.cases import Made, mean_mw, named, percent_of, record, run

from scripts.docs.page_tables import markdown

PAPER_STAGE = {"sequential": 0.48, "interleaved": 0.55}  # reductions, section 8.1
SHORT_S = 4.0  # length of the stage if a parameter varies
FIRST, ALL = "stage 1", 1 << 30


def figure4(scenario: TrayScenario, pictures: Path) -> Made:
    runs = run(scenario)
    first = runs[0].phase_names[0]
    known = {
        f"paper: {share:.0%} below {base}": (1.0, named(runs, base).mean_mw(first) / 1e3 * (1 - share))
        for base, share in PAPER_STAGE.items()
    }
    save_figure(stages_figure(runs, known=known), pictures / "figure4.png")
    rows = [
        [each.configuration, *(f"{each.mean_mw(phase) / 1e3:.2f}" for phase in each.phase_names)]
        for each in runs
    ]
    tables = [markdown(["W in stage:", *(phase.split()[-1] for phase in runs[0].phase_names)], rows)]
    trays = named(runs, "trays")
    whole = replace(
        scenario,
        cases=tuple(_staged(case, stage_pages=2048 * PAGES_OF_MIB, stages=1) for case in scenario.cases),
    )
    of_whole = run(whole)
    rows = []
    for base, paper in PAPER_STAGE.items():
        before = named(runs, base)
        rows.append(
            [
                f"reduction against {base}",
                percent_of(saving(before, trays, first)),
                percent_of(saving(named(of_whole, base), named(of_whole, "trays"), first)),
                f"{paper:.0%}".replace("%", " %"),
            ]
        )
    heads = ["trays, first stage", "ours", "ours, stages of 2 GiB", "the paper"]
    last = runs[0].phase_names[-1]
    values = {
        "figure4-first": f"{rows[1][1]}; {rows[0][1]}",
        "figure4-last": percent_of(saving(named(runs, "sequential"), trays, last)),
    }
    return {"figure4": "\n\n".join([*tables, markdown(heads, rows)])}, values


def sensitivity(scenario: TrayScenario) -> Made:
    """Return the first stage's power with one parameter varied at a time."""
    cases = tuple(_staged(case, stages=1, stage_s=SHORT_S) for case in scenario.cases)
    scenario = replace(scenario, cases=cases)
    variants: dict[str, TrayScenario] = {"as above": scenario}
    for rate in (0.5e9, 1e9, 4e9, 8e9):
        name = f"{rate / 1e9:g} GB/s"
        variants[name] = replace(scenario, cases=tuple(_staged(case, bytes_s=rate) for case in cases))
    for kib in (16, 64, 1024):
        scrambler = replace(scenario.scrambler, chunk_pages=kib * 1024 // PAGE_BYTES)
        variants[f"chunks of {kib} KiB"] = replace(scenario, scrambler=scrambler)
    variants["seed 2"] = replace(scenario, seed=2)
    controllers = {
        "self-refresh after 10 µs": Controller(self_refresh_after_ns=1e4),
        "self-refresh after 1 ms": Controller(self_refresh_after_ns=1e6),
        "power-down, fast exit, after 100 ns": Controller(power_down="fast"),
        "power-down, slow exit, after 100 ns": Controller(power_down="slow"),
    }
    names = [case.configuration.name for case in cases]
    watts: dict[str, list[float]] = {}
    for name, variant in variants.items():
        served = [record(variant, case, FIRST, most=ALL)[1] for case in variant.cases]
        watts[name] = [mean_mw(each) / 1e3 for each in served]
        if variant is scenario:
            for setting, controller in controllers.items():
                watts[setting] = [mean_mw(each, controller=controller) / 1e3 for each in served]
    rows = []
    for name in sorted(watts, key=lambda name: (name in controllers, name.startswith("seed"))):
        of_name = dict(zip(names, watts[name], strict=True))
        less = [percent_of(1 - of_name["trays"] / of_name[base]) for base in PAPER_STAGE]
        rows.append([name, *(f"{each:.2f}" for each in watts[name]), *less])
    heads = [*(f"{name}, W" for name in names), *(f"reduction, trays against {b}" for b in PAPER_STAGE)]
    return {"figure4-sensitivity": markdown(["first stage", *heads], rows)}, {}


def _staged(case, **changes):
    return replace(case, workload=replace(case.workload, **changes))
