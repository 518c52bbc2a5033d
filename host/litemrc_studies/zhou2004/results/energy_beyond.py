"""Energy beyond the paper: prediction of wake-ups, and chips of other kinds."""

from collections.abc import Mapping
from dataclasses import replace

from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import ChipReferences
from litemrc_studies.zhou2004.machine.chips import ChipMachine, compare
from litemrc_studies.zhou2004.policies import SCHEMES, Predictive
from litemrc_studies.zhou2004.results.energy_sweeps import TUNED_PAIRS

from scripts.docs.page_tables import markdown, percent

OTHER_PARTS = ("lpddr3", "ddr3-mt41j64m16", "mt41k256m16-125:n")
GOAL = 0.9  # of dynamic-tuned


def predictive_table(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> tuple[str, str]:
    """Return mrc-predictive beside tuned thresholds and the oracle, and how often it reaches the goal."""
    schemes = [SCHEMES[name] for name in ("dynamic-tuned", Predictive.name, "oracle")]
    rows, reached = [], 0
    for name, program in programs.items():
        run = compare(program, machine, schemes)
        free = compare(program, replace(machine, monitor_mw=0.0), schemes)
        tuned, ours, least = run.results
        _, nap, down = tuned.scheme.after_ns
        reached += run.relative(Predictive.name) <= GOAL
        rows.append(
            [
                name,
                f"{nap} ns, {down / 1e3:g} µs",
                f"{tuned.energy_mj / tuned.delay_s:,.0f}",
                percent(run.relative(Predictive.name)),
                percent(free.relative(Predictive.name)),
                percent(ours.delay_s / tuned.delay_s),
                percent(least.energy_delay / tuned.energy_delay),
                f"{ours.energy_delay / least.energy_delay:.2f}",
            ]
        )
    heads = [
        "program",
        "tuned: nap, powerdown",
        "tuned: mW",
        "mrc-predictive / tuned",
        "without the monitor's power",
    ]
    table = markdown([*heads, "its delay / tuned's", "oracle / tuned", "mrc-predictive / oracle"], rows)
    return table, f"{reached} of {len(rows)}"


def parts_table(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> str:
    """Return the savings of each scheme with chips of other kinds."""
    rows = []
    for part in OTHER_PARTS:
        of_part = replace(machine, power=find_power(part))
        for name, program in programs.items():
            run = compare(program, of_part, list(SCHEMES.values()))
            ratios = [run.relative(pair) for pair in (*TUNED_PAIRS, Predictive.name, "oracle")]
            rows.append([of_part.power.part, name, *map(percent, ratios)])
    heads = [f"{pair} / {SCHEMES[pair].base}" for pair in (*TUNED_PAIRS, Predictive.name, "oracle")]
    return markdown(["part", "program", *heads], rows)
