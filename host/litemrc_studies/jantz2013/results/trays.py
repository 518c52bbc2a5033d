"""Fills the tables and draws the figures of jantz2013/page.md: `make results-jantz2013`."""

from collections.abc import Callable
from pathlib import Path

from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES
from litemrc_studies.jantz2013.machine.scenario import TrayScenario
from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario
from litemrc_studies.jantz2013.plots.trays import free_figure, power_figure
from litemrc_studies.jantz2013.results.background import background
from litemrc_studies.jantz2013.results.cases import Made, gib, percent_of, run
from litemrc_studies.jantz2013.results.intents import red_and_blue
from litemrc_studies.jantz2013.results.java import PROGRAMS, JavaPrograms, figure5, figure6, read_again
from litemrc_studies.jantz2013.results.nodes import figure2
from litemrc_studies.jantz2013.results.stages import figure4, sensitivity

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

PAPER_USED = (2, 4)  # GB, with one and two trays (section 7.2)


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
