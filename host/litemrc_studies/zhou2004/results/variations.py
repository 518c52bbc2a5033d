# SPDX-License-Identifier: BSD-2-Clause
"""Fills the variations of table 2 and figure 4 in zhou2004/page.md: part of `make results-zhou2004`.

Each tests an explanation of what differs from the paper, or a mechanism on its own. Seed 1.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.run_result import RunResult, fault_reduction, speedup
from litemrc_studies.zhou2004.machine.scenario import Part, ProcessSpec, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario
from litemrc_studies.zhou2004.results.figure4 import resident
from litemrc_studies.zhou2004.results.table2 import FIRST, PAPER_SPEEDUPS, TABLE_2, seconds

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

RECLAIM = ((0, 0), (64, 128), (512, 768))  # Linux 2.4 with 128 MB: pages_low and pages_high of both zones
SYSTEMS = (FIRST, "mrc")
# Execution time / page faults: the time of a page fault of LINEAR beside Apache in the paper, by system.
PAPER_LINEAR = TABLE_2["apache_linear"][1]
ANONYMOUS = "first touches read nothing"
HOT, HOT_RATES = "7,000 hot pages, {} touches a second", (60, 200, 400)
PAPER_DISK = "a page read takes 9.7 ms in the original system, 7.0 ms under MRC-MM"
Pair = list[RunResult]  # original, MRC-MM
Change = Callable[[Scenario, str], Scenario]


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
    runs = {
        (name, below): _pair(replace(scenario, reclaim_below=below, reclaim_to=to))
        for name, scenario in scenarios.items()
        for below, to in RECLAIM
    }
    print("reclamation: done", flush=True)
    page = args.docs / "page.md"
    apache = {
        key: _pair(scenarios[key[0]], change) if change else runs[key[0], 0]
        for key, change in _apache_variations().items()
    }
    tables = {
        "reclamation": _reclamation(scenarios, runs),
        "apache-variations": _apache(scenarios, apache),
        "intr-variations": _intr(scenarios, runs),
    }
    fill_tables(page, tables)
    print("variations: done", flush=True)
    requests = [runs["intr_gcc", below][1].process("intr").response_s.size for below, _ in RECLAIM]
    gcc = TABLE_2["apache_gcc"]
    fill_values(
        page,
        {
            "reclamation": f"INTR + gzip: {_gain(runs['intr_gzip', 0]):.2f} at the fault,"
            f" {_gain(runs['intr_gzip', RECLAIM[1][0]]):.2f} in the background",
            "reclamation-iterations": f"{requests[1]:,} instead of {requests[0]:,}",
            "gcc-anonymous": _percent(_gain(apache["apache_gcc", ANONYMOUS], 1)),
            "hot-faults": _times_more([apache["apache_gcc", HOT.format(rate)][0] for rate in HOT_RATES]),
            "apache-linear-disk": " and ".join(
                f"{_gain(apache['apache_linear', PAPER_DISK], process):.2f}" for process in (0, 1)
            ),
            "paper-refill": f"{gcc[0].faults[1] * gcc[1].times[1] / 100:,.0f}",
        },
    )


def _pair(scenario: Scenario, change: Change | None = None) -> Pair:
    return [simulate(change(scenario, policy) if change else scenario, policy) for policy in SYSTEMS]


def _gain(pair: Pair, process: int = 0) -> float:
    gain = speedup(*(run.processes[process] for run in pair))
    assert gain is not None, "a process did not end"
    return gain


def _reclamation(scenarios: dict[str, Scenario], runs: dict[tuple[str, int], Pair]) -> str:
    lines = [
        "| mix | reclaimed | time, original | time, MRC-MM | speed-up | of the batch process"
        " | page faults, original | page faults, MRC-MM | reduction |",
        "| --- | --- |" + " ---: |" * 7,
    ]
    for name, scenario in scenarios.items():
        for below, to in RECLAIM:
            when = f"below {below:,} free frames, to {to:,}" if below else "at the fault"
            title = "" if below else scenario.title
            lines.append(f"| {title} | {when} | {_cells(runs[name, below])} |")
    return "\n".join(lines)


def _cells(pair: Pair) -> str:
    """Return times, speed-ups and page faults of the interactive process."""
    asking = pair[0].processes[0].name
    times = [seconds(run.processes[0].time_s) for run in pair]
    faults = [f"{run.comparable_faults(asking):,.0f}" for run in pair]
    fewer = fault_reduction(*pair, asking)
    gains = [f"{_gain(pair):.2f}", f"{_gain(pair, 1):.2f}"]
    return " | ".join([*times, *gains, *faults, f"{fewer:.1%}"])


def _apache_variations() -> dict[tuple[str, str], Change | None]:
    """Return changes by scenario and text."""
    return {
        ("apache_gcc", "as above"): None,
        ("apache_gcc", ANONYMOUS): _server(file=False),
        **{("apache_gcc", HOT.format(rate)): _hot(rate) for rate in HOT_RATES},
        ("apache_linear", "as above"): None,
        ("apache_linear", PAPER_DISK): _paper_disk,
    }


def _apache(scenarios: dict[str, Scenario], pairs: dict[tuple[str, str], Pair]) -> str:
    """Return what decides the values of Apache beside gcc and LINEAR."""
    lines = [
        "| mix | variation | time, original | time, MRC-MM | speed-up | of the batch process"
        " | page faults, original | page faults, MRC-MM | reduction"
        " | resident pages, original | resident pages, MRC-MM |",
        "| --- | --- |" + " ---: |" * 9,
    ]
    for (name, text), pair in pairs.items():
        pages = [f"{_pages(run, name):,.0f}" for run in pair]
        title = scenarios[name].title if text == "as above" else ""
        lines.append(f"| {title} | {text} | {_cells(pair)} | " + " | ".join(pages) + " |")
    return "\n".join(lines)


def _percent(gain: float) -> str:
    return f"{100 * (1 - gain):.0f} %"


def _times_more(runs: list[RunResult]) -> str:
    """Return how many times the paper's page faults of Apache beside gcc some original systems have."""
    ratios = [run.comparable_faults("apache") / TABLE_2["apache_gcc"][0].faults[0] for run in runs]
    return f"{min(ratios):.0f} to {max(ratios):.0f} times"


def _intr(scenarios: dict[str, Scenario], runs: dict[tuple[str, int], Pair]) -> str:
    """Return what decides the values of INTR beside LINEAR with the paper's work, gzip and gcc."""
    scenario, longer = scenarios["intr_linear_short"], scenarios["intr_linear"]
    intr, linear = scenario.processes
    tenfold = replace(linear, parts=longer.processes[1].parts)
    variations = {
        ("intr_linear_short", "as above"): scenario,
        ("intr_linear_short", "LINEAR begins with INTR"): _begun(scenario, 0),
        ("intr_linear_short", "INTR has 36,000 pages"): _with_first(
            scenario, replace(intr, parts=longer.processes[0].parts)
        ),
        ("intr_linear_short", "8 ms to read a page, 1.5 ms to write one out"): replace(
            scenario, costs=longer.costs
        ),
        ("intr_linear_short", "LINEAR touches 300,000 pages, not 85,100"): replace(
            scenario, processes=(intr, tenfold)
        ),
    }
    for name, other in (("intr_gzip", "gzip"), ("intr_gcc", "gcc")):
        variations[name, "as above"] = scenarios[name]
        variations[name, f"{other} begins 400 s after INTR"] = _begun(scenarios[name], linear.start)
    lines = [
        "| mix | variation | time, original | time, MRC-MM | speed-up | of the batch process"
        " | page faults, original | page faults, MRC-MM | reduction |",
        "| --- | --- |" + " ---: |" * 7,
    ]
    for (name, text), changed in variations.items():
        if text == "as above":
            lines.append(f"| {changed.title} | paper | {_paper_cells(name)} |")
        pair = runs[name, 0] if text == "as above" else _pair(changed)
        lines.append(f"| | {text} | {_cells(pair)} |")
    return "\n".join(lines)


def _begun(scenario: Scenario, start: int) -> Scenario:
    """Return the scenario with another begin of the batch process, measured from there."""
    first, batch = scenario.processes
    return replace(scenario, processes=(first, replace(batch, start=start)), measure_from=start)


def _paper_cells(name: str) -> str:
    asking = TABLE_2[name][0]
    gains = [f"{gain:.2f}" for gain in PAPER_SPEEDUPS[name]]
    faults = [f"{count:,}" for count in asking.faults]
    return " | ".join(
        [*map(str, asking.times), *gains, *faults, f"{1 - asking.faults[1] / asking.faults[0]:.1%}"]
    )


def _pages(run: RunResult, name: str) -> float:
    """Return Apache's pages in the last 30 s of the other process's run; of gcc, of its first pass."""
    if name == "apache_gcc":
        return resident(run, 0)[1]
    return float(np.mean(run.resident_pages[-30:-1, 0]))


def _server(**changed: object) -> Change:
    return lambda scenario, _: _with_first(scenario, replace(scenario.processes[0], **changed))


def _hot(rate: int) -> Change:
    """A server that touches 7,000 pages often, and reads 3 pages a second that it never asks for again."""
    trace = f"gen:zipf+stream?pages=7000&alpha=0.3&loop_pages=400000&period={rate // 3}"
    return _server(parts=(Part(trace),), request_touches=rate)


def _paper_disk(scenario: Scenario, policy: str) -> Scenario:
    place = SYSTEMS.index(policy)
    read = PAPER_LINEAR.times[place] / PAPER_LINEAR.faults[place]
    return replace(scenario, costs=replace(scenario.costs, page_read=round(read / scenario.tick_s)))


def _with_first(scenario: Scenario, process: ProcessSpec) -> Scenario:
    return replace(scenario, processes=(process, *scenario.processes[1:]))


if __name__ == "__main__":
    main()
