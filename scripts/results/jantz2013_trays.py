"""Fills the tables and draws the figures of docs/results/jantz2013.md: `make results-jantz2013`."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jantz2013_nodes import affinity_table
from litemrc.cli.machines.tables.trays import saving
from litemrc.machines.trays.hardware import PAGE_BYTES, PAGES_OF_MIB, Controller
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scenario import TrayScenario, run_case
from litemrc.machines.trays.scenario_file import read_tray_scenario
from litemrc.plots.files import save_figure
from litemrc.plots.machines.trays import free_figure, power_figure, relative_figure, stages_figure
from page_tables import fill_tables, markdown

TRANSACTIONS = ("h2", "tradebeans", "tradesoap", "fop", "luindex")
GIB = 1 << 30
PAPER_STAGE = {"sequential": 0.48, "interleaved": 0.55}  # reductions, section 8.1
PAPER_RECYCLING = 0.27  # mean, section 8.2; at least 20 % for each
PAPER_TENURED = 0.09  # section 8.3, "almost"
SHORT_S = 4.0  # length of the stage if a parameter varies
MINUS = "\N{MINUS SIGN}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--scenarios", type=Path, default=Path("scenarios/trays"), help="folder (%(default)s)"
    )
    parser.add_argument("--docs", type=Path, default=Path("docs/results"), help="folder (%(default)s)")
    parser.add_argument("--only", help="tables to make, separated by commas (all)")
    args = parser.parse_args()
    pictures = args.docs / "jantz2013"
    pictures.mkdir(exist_ok=True)

    def scenario(name: str) -> TrayScenario:
        return read_tray_scenario(args.scenarios / f"{name}.toml")

    makers = {
        "tray-parameters": lambda: parameters(scenario("staged")),
        "figure2": affinity_table,
        "figure3": lambda: figure3(scenario("compilation"), pictures),
        "figure4": lambda: figure4(scenario("staged"), pictures),
        "figure4-sensitivity": lambda: sensitivity(scenario("staged")),
        "figure5": lambda: figure5({name: scenario(name) for name in TRANSACTIONS}, pictures),
        "figure6": lambda: figure6(scenario("collector"), pictures),
        "tray-placement": lambda: placement(scenario("placement"), pictures),
    }
    for name in args.only.split(",") if args.only else makers:
        print(f"{name} ...", flush=True)
        fill_tables(args.docs / "jantz2013.md", {name: makers[name]()})


def run(scenario: TrayScenario) -> list[TrayRun]:
    """Run all configurations."""
    return [run_case(scenario, case) for case in scenario.cases]


def parameters(scenario: TrayScenario) -> str:
    hardware, scrambler = scenario.cases[0].configuration.hardware, scenario.scrambler
    part, timing = hardware.part, hardware.timing
    sleeps = hardware.controller.self_refresh_after_ns / 1e3
    new, again = scenario.costs.zero_fill_ns / 1e3, scenario.costs.reload_ns / 1e3
    chunk = f"{scrambler.chunk_pages * PAGE_BYTES >> 10} KiB"
    rows = [
        (
            "ranks",
            f"{hardware.trays}, {_gib(hardware.tray_pages):g} GiB each: {hardware.chips} x {part.name}",
        ),
        ("memory clock", f"{part.clock_mhz:.0f} MHz, at which the part's currents are given"),
        ("idle ranks", f"precharge standby, self-refresh after {sleeps:g} µs"),
        ("exit from self-refresh", f"{timing.self_refresh_exit} cycles"),
        ("scrambler", f"holds {_gib(scrambler.hold_pages):g} GiB, in chunks of {chunk}; unused in figure 3"),
        ("page faults", f"{new:g} µs for a new page, {again:g} µs for a page from disk"),
        ("power samples", f"every {hardware.sample_ns / 1e6:g} ms; figure 3: every second"),
        ("seed", f"{scenario.seed}"),
    ]
    return markdown(["", ""], rows)


def figure3(scenario: TrayScenario, pictures: Path) -> str:
    runs = run(scenario)
    save_figure(free_figure(runs), pictures / "figure3.png")
    rows = []
    for each in runs:
        hardware = scenario.cases[0].configuration.hardware
        used = hardware.pages - each.free_pages.min()
        row = [each.configuration, f"{_gib(used):.2f} GiB", f"{each.seconds:.0f} s", f"{each.reloads:,}"]
        rows.append([*row, f"{each.outside:,}"])
    heads = ["memnice", "peak memory in use", "time", "pages reread from disk", "pages on other trays"]
    return markdown(heads, rows)


def figure4(scenario: TrayScenario, pictures: Path) -> str:
    runs = run(scenario)
    first = runs[0].phase_names[0]
    known = {
        f"paper: {share:.0%} below {base}": (1.0, _named(runs, base).mean_mw(first) / 1e3 * (1 - share))
        for base, share in PAPER_STAGE.items()
    }
    save_figure(stages_figure(runs, known=known), pictures / "figure4.png")
    rows = [
        [each.configuration, *(f"{each.mean_mw(phase) / 1e3:.2f}" for phase in each.phase_names)]
        for each in runs
    ]
    tables = [markdown(["W in stage:", *(phase.split()[-1] for phase in runs[0].phase_names)], rows)]
    trays = _named(runs, "trays")
    whole = replace(
        scenario,
        cases=tuple(_staged(case, stage_pages=2048 * PAGES_OF_MIB, stages=6) for case in scenario.cases),
    )
    of_whole = run(whole)
    rows = []
    for base, paper in PAPER_STAGE.items():
        before = _named(runs, base)
        rows.append(
            [
                f"reduction against {base}",
                _percent(saving(before, trays, first)),
                _percent(saving(_named(of_whole, base), _named(of_whole, "trays"), first)),
                f"{paper:.0%}".replace("%", " %"),
            ]
        )
    heads = ["trays, first stage", "ours", "ours, stages of 2 GiB", "the paper"]
    return "\n\n".join([*tables, markdown(heads, rows)])


def sensitivity(scenario: TrayScenario) -> str:
    """Return the first stage's power with one parameter varied at a time."""
    cases = tuple(_staged(case, stages=1, stage_s=SHORT_S) for case in scenario.cases)
    scenario = replace(scenario, cases=cases)
    variants: dict[str, TrayScenario] = {"as above": scenario}
    for rate in (0.5e9, 1e9, 4e9, 8e9):
        name = f"{rate / 1e9:g} GB/s"
        variants[name] = replace(scenario, cases=tuple(_staged(case, bytes_s=rate) for case in cases))
    for kib in (16, 64, 1024, 4096):
        scrambler = replace(scenario.scrambler, chunk_pages=kib * 1024 // PAGE_BYTES)
        variants[f"chunks of {kib} KiB"] = replace(scenario, scrambler=scrambler)
    for name, controller in (
        ("self-refresh after 10 µs", Controller(self_refresh_after_ns=1e4)),
        ("self-refresh after 1 ms", Controller(self_refresh_after_ns=1e6)),
        ("power-down, fast exit, after 100 ns", Controller(power_down="fast")),
        ("power-down, slow exit, after 100 ns", Controller(power_down="slow")),
    ):
        variants[name] = replace(scenario, cases=tuple(_controlled(case, controller) for case in cases))
    for seed in (2, 3):
        variants[f"seed {seed}"] = replace(scenario, seed=seed)
    rows = []
    for name, variant in variants.items():
        runs = run(variant)
        trays = _named(runs, "trays")
        watts = [f"{each.mean_mw() / 1e3:.2f}" for each in runs]
        rows.append([name, *watts, *(_percent(saving(_named(runs, base), trays)) for base in PAPER_STAGE)])
    heads = [
        *(f"{case.configuration.name}, W" for case in cases),
        *(f"reduction, trays against {b}" for b in PAPER_STAGE),
    ]
    return markdown(["first stage", *heads], rows)


def figure5(scenarios: Mapping[str, TrayScenario], pictures: Path) -> str:
    runs = {name: run(scenario) for name, scenario in scenarios.items()}
    panels: dict[str, dict[str, float]] = {}
    for title, base in (
        ("over interleaved, no trays", "interleaved"),
        ("over trays without colors", "trays"),
    ):
        panels[title] = {
            name: _ours(each).mean_mw() / _named(each, base).mean_mw() for name, each in runs.items()
        }
    known = {"over interleaved, no trays": 1 - PAPER_RECYCLING}
    save_figure(relative_figure(panels, known), pictures / "figure5.png")
    rows = []
    for name, each in runs.items():
        watts = [f"{one.mean_mw() / 1e3:.2f}" for one in each]
        ratios = [_percent(1 - panel[name]) for panel in panels.values()]
        slower = _ours(each).phase_seconds() / each[0].phase_seconds() - 1
        rows.append([name, *watts, *ratios, f"{slower:+.1%}".replace("%", " %"), f"{_ours(each).recycled:,}"])
    means = [_percent(1 - float(np.mean(list(panel.values())))) for panel in panels.values()]
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
    return markdown([*heads, "time against interleaved", "pages recycled"], rows)


def figure6(scenario: TrayScenario, pictures: Path) -> str:
    runs = run(scenario)
    begin = runs[0].phase_seconds("load")
    save_figure(
        power_figure(runs, span=(begin, min(each.seconds for each in runs))), pictures / "figure6.png"
    )
    before, isolated = runs
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
                _percent(saving(before, isolated, phase)),
            ]
        )
    rows.append(["the paper", "", "", "", "", "", f"almost {PAPER_TENURED:.0%}".replace("%", " %")])
    columns = [f"{name}, {what}" for name in ("trays", "tenured isolated") for what in ("W", "ranks awake")]
    heads = ["phase", "time", *columns, "reduction"]
    return markdown(heads, rows)


def placement(scenario: TrayScenario, pictures: Path) -> str:
    runs = run(scenario)
    save_figure(power_figure(runs), pictures / "placement.png")
    rows = [
        [
            each.configuration,
            f"{each.mean_mw() / 1e3:.2f}",
            f"{each.awake():.2f}",
            "" if each is runs[0] else _percent(saving(runs[0], each)),
            f"{each.migrated:,}",
            f"{each.phase_seconds('work'):.2f} s",
        ]
        for each in runs
    ]
    return markdown(["", "W", "ranks awake", "reduction", "pages migrated", "time"], rows)


def _staged(case, **changes):
    return replace(case, workload=replace(case.workload, **changes))


def _controlled(case, controller: Controller):
    configuration = case.configuration
    hardware = replace(configuration.hardware, controller=controller)
    return replace(case, configuration=replace(configuration, hardware=hardware))


def _named(runs: Sequence[TrayRun], name: str) -> TrayRun:
    return next(each for each in runs if each.configuration == name)


def _ours(runs: Sequence[TrayRun]) -> TrayRun:
    return _named(runs, "color-local recycling")


def _gib(pages: int) -> float:
    return pages * PAGE_BYTES / GIB


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{100 * part:.1f} %".replace("-", MINUS)


if __name__ == "__main__":
    main()
