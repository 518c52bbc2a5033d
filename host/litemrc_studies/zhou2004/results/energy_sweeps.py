# SPDX-License-Identifier: BSD-2-Clause
"""Energy by length of epochs, number of chips, threshold of powerdown (figure 6), and beyond the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from litemrc.native.exact_stack import ExactStack
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import ChipReferences
from litemrc_studies.zhou2004.machine.chips import ChipMachine, EnergyRun, compare
from litemrc_studies.zhou2004.policies import DYNAMIC_NAP_NS, SCHEMES, Predictive, Thresholds
from litemrc_studies.zhou2004.results.energy_programs import ELSEWHERE, hot_region, touched_before

from scripts.docs.page_tables import markdown, percent

EPOCHS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CHIPS = (64, 32, 16, 8)
HOT_SHARES = (1 / 10, 1 / 5, 1 / 3, 1 / 2, 2 / 3, 9 / 10, 1)
HOT_MEMORIES = (2_048, 8_192, 16_384)
PAIRS = ("mrc-static", "mrc-dynamic-nap")  # of the paper
TUNED_PAIRS = (*PAIRS, "mrc-dynamic-tuned")
POWERDOWNS_US = (5, 100, 1_000, 3_000, 10_000, 30_000)
Sweep = Mapping[str, Sequence[EnergyRun]]
OTHER_PARTS = ("lpddr3", "ddr3-mt41j64m16", "mt41k256m16-125:n")
GOAL = 0.9  # of dynamic-tuned


def over_epochs(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> dict[str, list[EnergyRun]]:
    """Run each program with epochs of each length."""
    return {
        name: [_run(program, replace(machine, epoch_cycles=cycles)) for cycles in EPOCHS]
        for name, program in programs.items()
    }


def over_chips(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> dict[str, list[EnergyRun]]:
    """Run each program in a memory of its size with 64 to 8 chips."""
    return {
        name: [
            _run(program, replace(machine, chip_pages=-(-program.footprint_pages // chips)))
            for chips in CHIPS
        ]
        for name, program in programs.items()
    }


def sweep_table(head: str, values: Sequence[int], sweep: Sweep) -> str:
    """Return the saving of each scheme of each program, by swept value."""
    rows = [
        [name if pair == PAIRS[0] else "", pair, *(percent(run.relative(pair)) for run in runs)]
        for name, runs in sweep.items()
        for pair in PAIRS
    ]
    return markdown(["program", "scheme", *(f"{value:,} {head}" for value in values)], rows)


def powerdown_table(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> str:
    """Return what the MRC saves over a dynamic scheme that powers down after an idle time."""
    rows = []
    for name, program in programs.items():
        row = [name]
        for powerdown_us in (*POWERDOWNS_US, None):
            after = (0, DYNAMIC_NAP_NS, powerdown_us and 1_000 * powerdown_us)
            base = Thresholds("dynamic", after)
            scheme = Thresholds("mrc-dynamic", after, working_set=True)
            row.append(percent(compare(program, machine, [scheme], base=base).relative(scheme.name)))
        rows.append(row)
    heads = [f"{us:,} µs" if us < 1_000 else f"{us // 1_000} ms" for us in POWERDOWNS_US]
    return markdown(["powerdown after", *heads, "never (dynamic-nap)"], rows)


def far_share(program: ChipReferences, far_pages: int) -> float:
    """Return the share of stack distances above `far_pages` in the second half of a program."""
    distances = ExactStack().distances(program.pages.astype(np.uint64))
    return float(np.mean(distances[len(program) // 2 :] > far_pages))


def choices_table(programs: Mapping[str, ChipReferences], machine: ChipMachine) -> str:
    """Return the savings with other parameters where the paper gives none, or others."""
    cycles = machine.epoch_cycles  # an epoch's time is kept
    choices = {
        "as above": machine,
        "monitor of 0 mW": replace(machine, monitor_mw=0),
        "monitor of 100 mW": replace(machine, monitor_mw=100),
        "2 instructions a cycle": replace(machine, clock_hz=2 * machine.clock_hz, epoch_cycles=2 * cycles),
        "2 cycles an instruction": replace(machine, clock_hz=machine.clock_hz / 2, epoch_cycles=cycles // 2),
        "ε 0.001": replace(machine, epsilon=0.001),
        "ε 0.05": replace(machine, epsilon=0.05),
        "pages on chips at random": replace(machine, placement="random"),
    }
    rows = []
    for label, chosen in choices.items():
        runs = [_run(program, chosen) for program in programs.values()]
        rows.append([label, *(percent(run.relative(pair)) for run in runs for pair in PAIRS)])
    return markdown(["", *(f"{name}: {pair}" for name in programs for pair in PAIRS)], rows)


def hot_region_table(references: int, machine: ChipMachine) -> str:
    """Return the savings with hot regions of several sizes, and with a few references elsewhere."""
    rows = []
    for memory in HOT_MEMORIES:
        shares = HOT_SHARES if memory == HOT_MEMORIES[-1] else [1 / 3]
        for share in shares:
            row = [f"{memory:,}", f"{share:.2f}"]
            for elsewhere in (0.0, ELSEWHERE):
                program = hot_region(memory, share, references, elsewhere)
                run = compare(program, machine, [SCHEMES[pair] for pair in TUNED_PAIRS])
                row += [percent(run.relative(pair)) for pair in TUNED_PAIRS]
            rows.append(row)
    heads = [*TUNED_PAIRS, *(f"1 of {1 / ELSEWHERE:g} elsewhere: {pair}" for pair in TUNED_PAIRS)]
    return markdown(["pages in memory", "hot share", *heads], rows)


def grid_table(grid: ChipReferences, machine: ChipMachine) -> str:
    """Return what mrc-static saves with grid: as it is, with a larger epsilon, without first touches."""
    rows = []
    for label, program, epsilon in (
        ("as above", grid, machine.epsilon),
        ("epsilon of 0.02", grid, 0.02),
        ("all pages touched before", touched_before(grid), machine.epsilon),
    ):
        runs = [_run(program, replace(machine, epoch_cycles=cycles, epsilon=epsilon)) for cycles in EPOCHS]
        rows.append([label, "saving", *(percent(run.relative(PAIRS[0])) for run in runs)])
        rows.append(["", "mean N_mrc, chips", *(_mean_chips(run) for run in runs)])
    return markdown(["grid", "", *(f"{cycles:,} cycles" for cycles in EPOCHS)], rows)


def _mean_chips(run: EnergyRun) -> str:
    working_pages = run.results[0].mean_working_pages
    return f"{working_pages / run.machine.chip_pages:.1f}" if working_pages is not None else "-"


def _run(program: ChipReferences, machine: ChipMachine) -> EnergyRun:
    return compare(program, machine, [SCHEMES[pair] for pair in PAIRS])


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
