"""Section 4.1 of Jantz et al. 2013: the paper's own intents file, red pages hot and blue pages cold."""

from pathlib import Path

import numpy as np
from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine import views
from litemrc_studies.jantz2013.machine.machine import TrayMachine
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario
from litemrc_studies.jantz2013.machine.workloads.programs import Programs
from litemrc_studies.jantz2013.plots.tray_experiments import RankUse, ranks_figure
from litemrc_studies.jantz2013.results.cases import Made, gib, percent_of

from scripts.docs.page_tables import markdown


def red_and_blue(scenario: TrayScenario, pictures: Path) -> Made:
    """Return table and values of the experiment, and draw what lies on the ranks."""
    runs, uses = {}, {}
    for case in scenario.cases:
        name = case.configuration.name
        runs[name], uses[name] = _run(scenario, case)
    titles = {"trays": "trays, no intents heard", "red and blue": "trays and the paper's intents"}
    save_figure(ranks_figure({title: uses[name] for name, title in titles.items()}), pictures / "intents.png")
    interleaved, trays, guided = runs.values()
    rows = []
    for name, run in runs.items():
        use = uses[name]
        rows.append(
            [
                name,
                f"{run.mean_mw() / 1e3:.2f}",
                "" if run is interleaved else percent_of(saving(interleaved, run)),
                f"{run.awake():.2f}",
                _ranks(use, 0),
                _ranks(use, 1),
                _asleep(use),
            ]
        )
    heads = ["W", "reduction", "ranks awake", "ranks with red pages", "with blue pages", "those asleep, mean"]
    use = uses["red and blue"]
    pages = [sum(np.asarray(each)) for each in use.gib]
    red, blue = (percent_of(each / sum(pages)) for each in pages[:2])
    values = {
        "intents-power": f"{percent_of(saving(trays, guided))} below trays without intents",
        "intents-asleep": f"asleep {_asleep(use)} of the time",
        "intents-shares": f"red {red}, blue {blue}",
    }
    return {"intents": markdown(["", *heads], rows)}, values


def _run(scenario: TrayScenario, case: Case) -> tuple[TrayRun, RankUse]:
    """Run a case; return its result, and the pages of each rank and its time in self-refresh at work."""
    machine = TrayMachine(case.configuration, scenario.costs, scenario.scrambler, scenario.seed)
    run = machine.run(case.workload.program(np.random.default_rng(scenario.seed)))
    workload = case.workload
    assert isinstance(workload, Programs)
    (program,) = workload.programs
    count = case.configuration.hardware.trays
    pages = {color: np.zeros(count, np.int64) for color in ("RED", "BLUE")}
    for begin, end, color in program.colors:
        pages[color] += views.backing(machine.memory, 0, begin, end)
    whole = views.backing(machine.memory, 0, 0, program.pages)
    kinds = [*pages.values(), whole - sum(pages.values())]
    work = np.array([phase == "work" for phase in run.phases])
    asleep = run.sample_s[work] @ run.self_refresh[work] / run.sample_s[work].sum()
    if case.configuration.hardware.mapping == "interleaved":  # each page lies on all ranks
        kinds = [np.full(count, each.sum() / count) for each in kinds]
    return run, RankUse([gib(each) for each in kinds], asleep.tolist())


def _ranks(use: RankUse, kind: int) -> str:
    return str(int((np.asarray(use.gib[kind]) > 0).sum()))


def _asleep(use: RankUse) -> str:
    """Return the mean time in self-refresh of the ranks with blue pages."""
    return f"{100 * np.asarray(use.asleep)[np.asarray(use.gib[1]) > 0].mean():.0f} %"
