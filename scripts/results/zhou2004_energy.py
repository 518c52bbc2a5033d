"""Fills the tables of memory energy in docs/results/zhou2004.md: part of `make results-zhou2004`."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from energy_programs import CAPTURED, ELSEWHERE, SEED, captured, figure5_programs, hot_region, phased_programs
from litemrc.energy.chip_power import ChipPower, find_power
from litemrc.machines.chips.machine import NAP_SWEEP, POWERDOWN_SWEEP, ChipMachine, EnergyRun, compare
from litemrc.machines.chips.references import ChipReferences
from litemrc.plots.files import save_figure
from litemrc.plots.machines.energy import bars_figure
from litemrc.plots.machines.energy_sweep import sweep_figure
from litemrc.policies.energy import DYNAMIC_NAP_NS, SCHEMES, Predictive
from page_tables import fill_tables, markdown, percent

MACHINE = ChipMachine(find_power("rdram"))
PAIRS = ("mrc-static", "mrc-dynamic-nap", "mrc-dynamic-tuned")
MINUS = "\N{MINUS SIGN}"
PAPER = {"mrc-static": "42 to 58 %", "mrc-dynamic-nap": "27 to 42 %"}
# Section 5.2.1: ED is "42-58% smaller" than that of "original static", "27-42%" than of "original dynamic".
PAPER_RANGES = {"mrc-static": (0.42, 0.58), "mrc-dynamic-nap": (0.27, 0.42)}
HOT_SHARES = (1 / 10, 1 / 5, 1 / 3, 1 / 2, 2 / 3, 9 / 10, 1)
HOT_MEMORIES = (2_048, 8_192, 16_384)
EPOCHS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CHIPS = (16, 32, 64, 128, 256)
OTHER_PARTS = ("lpddr3", "ddr3-mt41j64m16", "mt41k256m16-125:n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    parser.add_argument("--docs", type=Path, default=Path("docs/results"), help="folder (%(default)s)")
    parser.add_argument(
        "--references", type=int, default=500_000, help="of a generated program (%(default)s)"
    )
    args = parser.parse_args()
    of_captured = {name: captured(args.traces / f"{name}.parquet") for name in CAPTURED}
    programs = of_captured | figure5_programs(args.references)
    runs = {name: compare(program, MACHINE, list(SCHEMES.values())) for name, program in programs.items()}
    tables = {
        "table4": _table4(MACHINE.power),
        "energy-parameters": _parameters(args.references),
        "figure5": "\n".join((_figure5(runs), "", _hot_regions(args.references))),
        "figure6": _figure6(of_captured | {"moving third": programs["moving third"]}, args.docs),
        "predictive": _predictive(of_captured | phased_programs(args.references)),
        "energy-parts": _other_parts(of_captured),
    }
    shown = {name: _without(run, "always-on") for name, run in runs.items()}
    save_figure(bars_figure(shown, known=PAPER_RANGES), args.docs / "zhou2004" / "figure5.png")
    fill_tables(args.docs / "zhou2004.md", tables)


def _table4(power: ChipPower) -> str:
    rows = [("Active, an access", f"{power.access_mw:g} mW", f"{power.access_ns:g} ns")]
    names = [state.capitalize() for state in power.states]
    rows += [(name, f"{mw:g} mW", "-") for name, mw in list(zip(names, power.waiting_mw, strict=True))[1:]]
    ways = list(zip(names, power.exit_mw, power.exit_ns, strict=True))[1:]
    rows += [(f"{name} → Active", f"{mw:g} mW", f"+{ns:g} ns") for name, mw, ns in ways]
    return markdown(["state or transition", "power", "time"], rows)


def _parameters(references: int) -> str:
    naps = ", ".join(f"{times * MACHINE.power.exit_ns[2]:g}" for times in NAP_SWEEP)
    downs = ", ".join(f"{times * MACHINE.power.exit_ns[3] / 1e3:g}" for times in POWERDOWN_SWEEP)
    rows = [
        ("processor", f"{MACHINE.clock_hz / 1e6:g} MHz, blocking; a unit of a trace's times is a cycle"),
        ("chips", f"{MACHINE.chip_pages} pages of 4 KiB; as many as hold the program's pages"),
        ("placement", "order of first touch, unless stated otherwise"),
        ("epoch, ε", f"{MACHINE.epoch_cycles:,} cycles, {MACHINE.epsilon:g}"),
        (
            "monitor",
            f"{MACHINE.monitor_mw:g} mW for the whole run, in all schemes whose name begins with mrc",
        ),
        ("dynamic-nap", f"standby at once, nap after {DYNAMIC_NAP_NS} ns"),
        (
            "dynamic-tuned",
            f"the best of nap after {naps} ns and powerdown after {downs} µs, for each program",
        ),
        ("captured programs", "bzip2, sort, python, grid, after the paper's caches: tests/data/traces"),
        ("generated programs", f"{references:,} references, 100 cycles between them, seed {SEED}"),
        (
            "hot third",
            "6,144 pages, all touched once, then one third at random; moving: shifted by a sixth, 5 times",
        ),
    ]
    return markdown(["", ""], rows)


def _figure5(runs: Mapping[str, EnergyRun]) -> str:
    rows = []
    for name, run in runs.items():
        static = _of(run, "static-nap")
        cells = [name, f"{run.chips}", f"{static.energy_mj:.1f}", f"{static.delay_s * 1e3:.1f}"]
        rows.append([*cells, *(percent(run.relative(pair)) for pair in PAIRS), percent(_free(run))])
    heads = [
        "program",
        "chips",
        "static-nap: mJ",
        "ms",
        *(f"{pair} / {SCHEMES[pair].base}" for pair in PAIRS),
    ]
    rows.append(["the paper", "8 to 64", "", "", *(MINUS + PAPER[pair] for pair in PAIRS[:2]), "", ""])
    return markdown([*heads, "the same without the monitor's power"], rows)


def _hot_regions(references: int) -> str:
    rows = []
    for memory in HOT_MEMORIES:
        shares = HOT_SHARES if memory == HOT_MEMORIES[-1] else [1 / 3]
        for share in shares:
            row = [f"{memory:,}", f"{share:.2f}"]
            for elsewhere in (0.0, ELSEWHERE):
                program = hot_region(memory, share, references, elsewhere)
                run = compare(program, MACHINE, [SCHEMES[pair] for pair in PAIRS])
                row += [percent(run.relative(pair)) for pair in PAIRS]
            rows.append(row)
    heads = [*PAIRS, *(f"1 of {1 / ELSEWHERE:g} elsewhere: {pair}" for pair in PAIRS)]
    return markdown(["pages in memory", "hot share", *heads], rows)


def _figure6(programs: Mapping[str, ChipReferences], docs: Path) -> str:
    scheme = [SCHEMES["mrc-static"]]
    tables = []
    for field, values, head in (
        ("epoch_cycles", EPOCHS, "cycles per epoch"),
        ("chip_pages", CHIPS, "pages per chip"),
    ):
        runs = {
            name: [compare(program, replace(MACHINE, **{field: value}), scheme) for value in values]
            for name, program in programs.items()
        }
        rows = [[name, *(percent(run.relative("mrc-static")) for run in line)] for name, line in runs.items()]
        tables.append(markdown([f"{head}:", *(f"{value:,}" for value in values)], rows))
        save_figure(sweep_figure(runs), docs / "zhou2004" / f"figure6-{field.partition('_')[0]}.png")
    return "\n\n".join(tables)


def _predictive(programs: Mapping[str, ChipReferences]) -> str:
    schemes = [SCHEMES[name] for name in ("dynamic-tuned", Predictive.name, "oracle")]
    rows = []
    for name, program in programs.items():
        run = compare(program, MACHINE, schemes)
        free = compare(program, replace(MACHINE, monitor_mw=0.0), schemes)
        tuned, ours, least = run.results
        _, nap, down = tuned.scheme.after_ns
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
    return markdown([*heads, "its delay / tuned's", "oracle / tuned", "mrc-predictive / oracle"], rows)


def _other_parts(programs: Mapping[str, ChipReferences]) -> str:
    rows = []
    for part in OTHER_PARTS:
        machine = replace(MACHINE, power=find_power(part))
        for name, program in programs.items():
            run = compare(program, machine, list(SCHEMES.values()))
            ratios = [run.relative(pair) for pair in (*PAIRS, Predictive.name, "oracle")]
            rows.append([machine.power.part, name, *map(percent, ratios)])
    heads = [f"{pair} / {SCHEMES[pair].base}" for pair in (*PAIRS, Predictive.name, "oracle")]
    return markdown(["part", "program", *heads], rows)


def _of(run: EnergyRun, name: str):
    return next(result for result in run.results if result.scheme.name == name)


def _free(run: EnergyRun) -> float:
    """Return mrc-dynamic-tuned over dynamic-tuned without the monitor's power."""
    result, base = _of(run, PAIRS[-1]), run.bases[PAIRS[-1]]
    return (result.energy_mj - result.monitor_mj) * result.delay_s / base.energy_delay


def _without(run: EnergyRun, name: str) -> EnergyRun:
    return replace(run, results=[result for result in run.results if result.scheme.name != name])


if __name__ == "__main__":
    main()
