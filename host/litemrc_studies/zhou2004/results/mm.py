# SPDX-License-Identifier: BSD-2-Clause
"""Fills table 2 and figure 4 of zhou2004/page.md: part of `make results-zhou2004`."""

from dataclasses import replace
from pathlib import Path

from litemrc.plots.files import save_figure
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.run_result import speedup
from litemrc_studies.zhou2004.machine.scenario import Mrc, ProcessSpec, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario
from litemrc_studies.zhou2004.plots.multiprogram import mm_figure
from litemrc_studies.zhou2004.results.figure4 import (
    NAMES,
    figure_4_table,
    figure_4_values,
    from_figure_4,
    mark,
    with_known_points,
)
from litemrc_studies.zhou2004.results.table2 import (
    FIRST,
    TABLE_2,
    Runs,
    hardware,
    later,
    picture,
    policies,
    quoted,
    table_2,
    verdicts,
)

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

SEEDS = (1, 2, 3, 4, 5)


def main() -> None:
    parser = page_parser(__doc__, "zhou2004")
    parser.add_argument(
        "--scenarios",
        type=Path,
        default=Path("host/litemrc_studies/zhou2004/scenarios"),
        help="folder (%(default)s)",
    )
    args = parser.parse_args()
    scenarios = {name: read_scenario(args.scenarios / f"{name}.toml") for name in TABLE_2}
    mixes = {}
    for name, scenario in scenarios.items():
        mixes[name] = _runs(scenario)
        print(f"{name}: done", flush=True)
    tables = {
        "mm-parameters": _parameters(scenarios),
        "table2": table_2(scenarios, mixes),
        "table2-verdicts": verdicts(scenarios, mixes),
        "table2-later": later(scenarios, mixes),
        "table2-policies": policies(scenarios, mixes),
        "mm-choices": _choices(scenarios),
        "figure4": figure_4_table(mixes["apache_gcc"]),
    }
    fill_tables(args.docs / "page.md", tables)
    values = quoted(mixes) | _end_performance(tables["mm-choices"]) | figure_4_values(mixes["apache_gcc"])
    fill_values(args.docs / "page.md", values)
    folder = args.docs / "pictures"
    figure_4 = from_figure_4(scenarios["apache_gcc"])
    both = [simulate(figure_4, policy) for policy in (FIRST, "mrc")]
    save_figure(picture(mixes), folder / "table2.png")
    figure = mm_figure(figure_4, both, names=NAMES)
    save_figure(with_known_points(figure, figure_4), folder / "figure4.png")
    shown = [mixes["intr_linear"][policy][0] for policy in (FIRST, "mrc")]
    figure = mm_figure(scenarios["intr_linear"], shown, names=NAMES)
    means = TABLE_2["intr_linear"][0].times
    end = max(run.time_s for run in shown)
    mark(figure, 0, [(0.99 * end, mean) for mean in means], "mean in the paper")
    save_figure(figure, folder / "intr_linear.png")


def _runs(scenario: Scenario) -> Runs:
    compared = [policy for policy in scenario.policies if policy != "static"]
    return {policy: [simulate(replace(scenario, seed=seed), policy) for seed in SEEDS] for policy in compared}


def _parameters(scenarios: dict[str, Scenario]) -> str:
    """Return the parameters of the scenario files."""
    lines = [
        "| mix | frames | process | references | CPU time of a touch | requests or start |",
        "| --- " * 6 + "|",
    ]
    for name, scenario in scenarios.items():
        for spec in scenario.processes:
            lines.append(
                f"| [{scenario.title}](scenarios/{name}.toml) | {scenario.memory_pages:,} |"
                f" {spec.name} |"
                f" {_references(spec)} | {spec.touch * scenario.tick_s * 1e6:,.0f} µs |"
                f" {_asked(spec, scenario.tick_s)} |"
            )
    costs, mrc, least = scenario.costs, scenario.mrc, scenario.processes[0].minimum_pages
    lines += [
        "",
        f"Disk: {_ms(costs.page_read)} ms to read a page, {_ms(costs.write_out)} ms to write one out,"
        f" requests served in order. CPU: {costs.fault / 1000:g} µs per page fault,"
        f" {costs.zero_fill / 1000:g} µs to zero a page, time slices of {_ms(costs.time_slice)} ms."
        f" Policy mrc: groups and delta of {mrc.group_pages} pages, epochs of {mrc.epoch:,} references of the"
        f" process itself, half-life {mrc.half_life:,}, at least {least} pages per process,"
        f" curve: {mrc.curve}, utility: {mrc.utility}; tracking as in the paper's table 3."
        f" Seeds {SEEDS[0]} to {SEEDS[-1]}; means over them.",
    ]
    return "\n".join(lines)


def _references(spec: ProcessSpec) -> str:
    parts = []
    for part in spec.parts:
        text = f"`{part.trace.removeprefix('gen:').replace('?', ' ').replace('&', ' ')}`"
        if part.touches:
            text += f", {part.touches:,} touches"
        parts.append(text + (", then released" if part.release else ""))
    different = list(dict.fromkeys(parts))
    return "; ".join(
        f"{parts.count(part)} times {part}" if parts.count(part) > 1 else part for part in different
    )


def _asked(spec: ProcessSpec, tick_s: float) -> str:
    if spec.kind == "batch":
        return f"starts at {spec.start * tick_s:,.0f} s" if spec.start else ""
    pause = spec.pause * tick_s
    if spec.kind == "interactive":
        return f"iterations of {spec.request_touches:,} touches, {pause:g} s of sleep between them"
    return f"requests of {spec.request_touches:,} touches, {pause:g} s apart (exponential), open loop"


def _ms(ticks: int) -> str:
    return f"{ticks / 1e6:g}"


def _choices(scenarios: dict[str, Scenario]) -> str:
    """Return the effect of policy mrc's parameters, seed 1: speed-ups of both processes."""
    shown = ("intr_linear", "intr_gcc", "apache_gcc")
    base = Mrc()
    variants: list[tuple[str, Mrc, int | None]] = [("as above", base, None)]
    variants += [
        (f"half-life {half_life:,}", replace(base, half_life=half_life), None)
        for half_life in (4096, 16384, 262144, 1048576)
    ]
    variants += [
        ("epochs of 8,192 references", replace(base, epoch=8192), None),
        ("delta of 256 pages", replace(base, delta_pages=256), None),
        ("at least 2,048 pages per process", base, 2048),
        ("curve: its steps", replace(base, curve="steps"), None),
        ("utility: end performance", replace(base, utility="end performance"), None),
        ("engine group, 256 groups of 256 pages", hardware("group"), None),
        ("engine bucket, 256 groups of 256 pages", hardware("bucket"), None),
        ("engine shards, 1 page of 10, groups of 256 pages", _sampled(), None),
    ]
    titles = [scenarios[name].title for name in shown]
    lines = ["| policy mrc |" + "".join(f" {title} |" for title in titles), "| --- |" + " --- |" * len(shown)]
    originals = {name: simulate(scenarios[name], FIRST) for name in shown}
    for title, mrc, minimum in variants:
        cells = []
        for name in shown:
            scenario = replace(scenarios[name], mrc=mrc)
            if minimum:
                specs = tuple(replace(spec, minimum_pages=minimum) for spec in scenario.processes)
                scenario = replace(scenario, processes=specs)
            result = simulate(scenario, "mrc")
            gains = [speedup(originals[name].process(p.name), p) for p in result.processes]
            cells.append(" / ".join(f"{gain:.2f}" for gain in gains))
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _sampled() -> Mrc:
    return Mrc(engine="shards", engine_rate=0.1, group_pages=256, delta_pages=256)


def _end_performance(choices: str) -> dict[str, str]:
    """Return the speed-ups of INTR and LINEAR with end performance as the utility."""
    (row,) = [line for line in choices.splitlines() if "end performance" in line]
    return {"end-performance": f"both done; INTR + LINEAR: {row.split('|')[2].strip()}"}


if __name__ == "__main__":
    main()
