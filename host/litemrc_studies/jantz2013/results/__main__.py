# SPDX-License-Identifier: BSD-2-Clause
"""Fills the tables and draws the figures of jantz2013/page.md: `make results-jantz2013`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine import views
from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES
from litemrc_studies.jantz2013.machine.machine import TrayMachine
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario
from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario
from litemrc_studies.jantz2013.machine.workloads.programs import Programs
from litemrc_studies.jantz2013.plots import RankUse, free_figure, power_figure, ranks_figure
from litemrc_studies.jantz2013.results.background import background
from litemrc_studies.jantz2013.results.cases import Made, gib, percent_of, run
from litemrc_studies.jantz2013.results.java import PROGRAMS, JavaPrograms, figure5, figure6, read_again
from litemrc_studies.jantz2013.results.nodes import figure2
from litemrc_studies.jantz2013.results.stages import figure4, sensitivity

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

PAPER_USED = (2, 4)  # GB, with one and two trays (section 7.2)


def red_and_blue(scenario: TrayScenario, pictures: Path) -> Made:
    """Return table and values of section 4.1, the paper's own intents; draw what lies on the ranks."""
    runs, uses = {}, {}
    for case in scenario.cases:
        name = case.configuration.name
        runs[name], uses[name] = _run(scenario, case)
    titles = {"trays": "trays, no intents heard", "red and blue": "trays and the paper's intents"}
    save_figure(ranks_figure({title: uses[name] for name, title in titles.items()}), pictures / "intents.png")
    interleaved, trays, guided = runs.values()
    rows = []
    for name, ran in runs.items():
        use = uses[name]
        rows.append(
            [
                name,
                f"{ran.mean_mw() / 1e3:.2f}",
                "" if ran is interleaved else percent_of(saving(interleaved, ran)),
                f"{ran.awake():.2f}",
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
    ran = machine.run(case.workload.program(np.random.default_rng(scenario.seed)))
    workload = case.workload
    assert isinstance(workload, Programs)
    (program,) = workload.programs
    count = case.configuration.hardware.trays
    pages = {color: np.zeros(count, np.int64) for color in ("RED", "BLUE")}
    for begin, end, color in program.colors:
        pages[color] += views.backing(machine.memory, 0, begin, end)
    whole = views.backing(machine.memory, 0, 0, program.pages)
    kinds = [*pages.values(), whole - sum(pages.values())]
    work = np.array([phase == "work" for phase in ran.phases])
    asleep = ran.sample_s[work] @ ran.self_refresh[work] / ran.sample_s[work].sum()
    if case.configuration.hardware.mapping == "interleaved":  # each page lies on all ranks
        kinds = [np.full(count, each.sum() / count) for each in kinds]
    return ran, RankUse([gib(each) for each in kinds], asleep.tolist())


def _ranks(use: RankUse, kind: int) -> str:
    return str(int((np.asarray(use.gib[kind]) > 0).sum()))


def _asleep(use: RankUse) -> str:
    """Return the mean time in self-refresh of the ranks with blue pages."""
    return f"{100 * np.asarray(use.asleep)[np.asarray(use.gib[1]) > 0].mean():.0f} %"


def main() -> None:
    parser = page_parser(__doc__, "jantz2013")
    parser.add_argument(
        "--scenarios",
        type=Path,
        default=Path("host/litemrc_studies/jantz2013/scenarios"),
        help="folder (%(default)s)",
    )
    parser.add_argument("--only", help="tables to make, separated by commas (all)")
    args = parser.parse_args()
    pictures = args.docs / "pictures"
    pictures.mkdir(exist_ok=True)

    def scenario(name: str) -> TrayScenario:
        return read_tray_scenario(args.scenarios / f"{name}.toml")

    java = JavaPrograms({name: scenario(name) for name in PROGRAMS})
    makers: dict[str, Callable[[], Made]] = {
        "intents": lambda: red_and_blue(scenario("intensity"), pictures),
        "tray-parameters": lambda: parameters(scenario("staged")),
        "figure2": lambda: figure2(pictures),
        "figure3": lambda: figure3(scenario("compilation"), pictures),
        "figure4": lambda: figure4(scenario("staged"), pictures),
        "figure4-sensitivity": lambda: sensitivity(scenario("staged")),
        "figure5": lambda: figure5(java.runs(), pictures),
        "figure5-read-again": lambda: read_again({name: scenario(name) for name in PROGRAMS}),
        "background": lambda: background(java.served(), scenario("staged"), pictures),
        "figure6": lambda: figure6(scenario("collector"), pictures),
        "tray-placement": lambda: placement(scenario("placement"), pictures),
    }
    for name in args.only.split(",") if args.only else makers:
        print(f"{name} ...", flush=True)
        tables, values = makers[name]()
        fill_tables(args.docs / "page.md", tables)
        fill_values(args.docs / "page.md", values)


def parameters(scenario: TrayScenario) -> Made:
    hardware, scrambler = scenario.cases[0].configuration.hardware, scenario.scrambler
    part, timing = hardware.part, hardware.timing
    sleeps = hardware.controller.self_refresh_after_ns / 1e3
    new, again = scenario.costs.zero_fill_ns / 1e3, scenario.costs.reload_ns / 1e3
    chunk = f"{scrambler.chunk_pages * PAGE_BYTES >> 10} KiB"
    rows = [
        (
            "ranks",
            f"{hardware.trays}, {gib(hardware.tray_pages):g} GiB each: {hardware.chips} x {part.name}",
        ),
        ("memory clock", f"{part.clock_mhz:.0f} MHz, at which the part's currents are given"),
        ("idle ranks", f"precharge standby, self-refresh after {sleeps:g} µs"),
        ("exit from self-refresh", f"{timing.self_refresh_exit} cycles"),
        ("scrambler", f"holds {gib(scrambler.hold_pages):g} GiB, in chunks of {chunk}; unused in figure 3"),
        ("page faults", f"{new:g} µs for a new page, {again:g} µs for a page from disk"),
        ("power samples", f"every {hardware.sample_ns / 1e6:g} ms; figure 3: every second"),
        ("seed", f"{scenario.seed}"),
    ]
    return {"tray-parameters": markdown(["", ""], rows)}, {}


def figure3(scenario: TrayScenario, pictures: Path) -> Made:
    runs = run(scenario)
    whole = gib(scenario.cases[0].configuration.hardware.pages)
    known = ("paper: at most 2 and 4 GB in use", [whole - used for used in PAPER_USED])
    save_figure(free_figure(runs, known=known), pictures / "figure3.png")
    rows = []
    for each in runs:
        hardware = scenario.cases[0].configuration.hardware
        used = hardware.pages - each.free_pages.min()
        row = [each.configuration, f"{gib(used):.2f} GiB", f"{each.seconds:.0f} s", f"{each.reloads:,}"]
        rows.append([*row, f"{each.outside:,}"])
    heads = ["memnice", "peak memory in use", "time", "pages reread from disk", "pages on other trays"]
    eight, _, two, one = runs
    longer = [f"+{each.seconds / eight.seconds - 1:.0%}".replace("%", " %") for each in (two, one)]
    values = {
        "figure3-peaks": f"{rows[3][1]}; {rows[2][1]}; {rows[1][1]} and {rows[0][1]}",
        "figure3-longer": ", ".join(longer),
        "figure3-outside": f"{sum(each.outside for each in runs)}",
    }
    return {"figure3": markdown(heads, rows)}, values


def placement(scenario: TrayScenario, pictures: Path) -> Made:
    runs = run(scenario)
    save_figure(power_figure(runs), pictures / "placement.png")
    rows = [
        [
            each.configuration,
            f"{each.mean_mw() / 1e3:.2f}",
            f"{each.awake():.2f}",
            "" if each is runs[0] else percent_of(saving(runs[0], each)),
            f"{each.migrated:,}",
            f"{each.phase_seconds('work'):.2f} s",
        ]
        for each in runs
    ]
    heads = ["", "W", "ranks awake", "reduction", "pages migrated", "time"]
    return {"tray-placement": markdown(heads, rows)}, {}


if __name__ == "__main__":
    main()
