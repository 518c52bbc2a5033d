"""Section 4.1 of Jantz et al. 2013: the paper's own intents file, red pages hot and blue pages cold."""

from pathlib import Path

import numpy as np
from litemrc.machines.trays import views
from litemrc.machines.trays.hardware import PAGE_BYTES
from litemrc.machines.trays.machine import TrayMachine
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scenario import Case, TrayScenario
from litemrc.machines.trays.workloads.programs import Programs
from litemrc.plots.files import save_figure
from litemrc.plots.machines.tray_experiments import RankUse, ranks_figure
from page_tables import markdown

GIB = 1 << 30


def red_and_blue(scenario: TrayScenario, pictures: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return table and values of the experiment, and draw what lies on the ranks."""
    runs, uses = {}, {}
    for case in scenario.cases:
        name = case.configuration.name
        runs[name], uses[name] = _run(scenario, case)
    del uses["interleaved"]  # its pages lie on all ranks
    titles = {"trays": "trays, no intents heard", "red and blue": "trays and the paper's intents"}
    save_figure(ranks_figure({titles[name]: use for name, use in uses.items()}), pictures / "intents.png")
    interleaved, trays, guided = runs.values()
    rows = []
    for name, run in runs.items():
        use = uses.get(name)
        rows.append(
            [
                name,
                f"{run.mean_mw() / 1e3:.2f}",
                "" if run is interleaved else _percent(1 - run.mean_mw() / interleaved.mean_mw()),
                f"{run.awake():.2f}",
                _ranks(use, 0),
                _ranks(use, 1),
                _asleep(use, 1),
            ]
        )
    heads = ["W", "reduction", "ranks awake", "ranks with red pages", "with blue pages", "those asleep, mean"]
    use = uses["red and blue"]
    pages = [sum(np.asarray(each)) for each in use.gib]
    values = {
        "intents-power": f"{_percent(1 - guided.mean_mw() / trays.mean_mw())} below trays without intents",
        "intents-asleep": f"asleep {_asleep(use, 1)} of the time",
        "intents-shares": f"red {_percent(pages[0] / sum(pages))}, blue {_percent(pages[1] / sum(pages))}",
    }
    return {"intents": markdown(["", *heads], rows)}, values


def _run(scenario: TrayScenario, case: Case) -> tuple[TrayRun, RankUse]:
    """Run a case; return its result and, the pages of each rank, and its time in self-refresh at work."""
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
    return run, RankUse([each * PAGE_BYTES / GIB for each in kinds], asleep.tolist())


def _ranks(use: RankUse | None, kind: int) -> str:
    return "8" if use is None else str(int((np.asarray(use.gib[kind]) > 0).sum()))


def _asleep(use: RankUse | None, kind: int) -> str:
    """Return the mean time in self-refresh of the ranks with pages of a kind."""
    if use is None:
        return "0 %"
    return f"{100 * np.asarray(use.asleep)[np.asarray(use.gib[kind]) > 0].mean():.0f} %"


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"
