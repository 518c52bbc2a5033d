# SPDX-License-Identifier: BSD-2-Clause
"""Fills the tables of memory energy in zhou2004/page.md: part of `make results-zhou2004`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from litemrc.plots.files import save_figure
from litemrc_studies.shared.chip_power import ChipPower, find_power
from litemrc_studies.zhou2004.machine.chips import NAP_SWEEP, POWERDOWN_SWEEP, ChipMachine, EnergyRun, compare
from litemrc_studies.zhou2004.plots.energy import bars_figure, sweep_figure
from litemrc_studies.zhou2004.policies import DYNAMIC_NAP_NS, SCHEMES
from litemrc_studies.zhou2004.results.energy_programs import (
    CAPTURED,
    GAP,
    MEMORY,
    SEED,
    captured,
    figure5_programs,
    hot_region,
    phased_programs,
)
from litemrc_studies.zhou2004.results.energy_sweeps import (
    CHIPS,
    EPOCHS,
    TUNED_PAIRS,
    Sweep,
    choices_table,
    far_share,
    grid_table,
    hot_region_table,
    over_chips,
    over_epochs,
    parts_table,
    powerdown_table,
    predictive_table,
    sweep_table,
)

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser, percent

MACHINE = ChipMachine(find_power("rdram"))
MINUS = "\N{MINUS SIGN}"
# Section 5.2.1: ED is "42-58% smaller" than that of "original static", "27-42%" than of "original dynamic".
PAPER_RANGES = {"mrc-static": (0.42, 0.58), "mrc-dynamic-nap": (0.27, 0.42)}
GRID_SWEEPS = 6  # of tests/data/traces/README.md
DYNAMIC = ("dynamic-nap", "dynamic-tuned")
PAPERS = ("bzip2", "gcc")  # programs of figure 6


def main() -> None:
    parser = page_parser(__doc__, "zhou2004")
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    parser.add_argument(
        "--references", type=int, default=500_000, help="of a generated program (%(default)s)"
    )
    args = parser.parse_args()
    page, pictures = args.docs / "page.md", args.docs / "pictures"
    of_captured = captured(args.traces)
    programs = of_captured | figure5_programs(args.references)
    print("figure 5", flush=True)
    runs = {name: compare(program, MACHINE, list(SCHEMES.values())) for name, program in programs.items()}
    shown = {name: _without(run, "always-on") for name, run in runs.items()}
    save_figure(bars_figure(shown, known=PAPER_RANGES), pictures / "figure5.png")
    tables = {
        "table4": _table4(MACHINE.power),
        "energy-parameters": _parameters(args.references),
        "figure5": _figure5(runs),
        "hot-regions": hot_region_table(args.references, MACHINE),
        "energy-choices": choices_table({name: of_captured[name] for name in PAPERS}, MACHINE),
        "powerdown": powerdown_table(of_captured, MACHINE),
    }
    print("figure 6", flush=True)
    epochs = over_epochs(of_captured | {"moving third": programs["moving third"]}, MACHINE)
    chips = over_chips(of_captured | {"moving third": programs["moving third"]}, MACHINE)
    ends = [(32, end) for end in PAPER_RANGES["mrc-static"]]
    default = [(MACHINE.epoch_cycles, end) for end in PAPER_RANGES["mrc-static"]]
    save_figure(sweep_figure(_only(epochs, *PAPERS, "grid"), known=default), pictures / "figure6-epoch.png")
    save_figure(sweep_figure(_only(chips, *PAPERS), over="chips", known=ends), pictures / "figure6-chip.png")
    tables |= {
        "figure6-epoch": sweep_table("cycles", EPOCHS, epochs),
        "figure6-chip": sweep_table("chips", CHIPS, chips),
        "figure6-grid": grid_table(of_captured["grid"], MACHINE),
    }
    print("beyond the paper", flush=True)
    predictive, reached = predictive_table(of_captured | phased_programs(args.references), MACHINE)
    tables |= {
        "predictive": predictive,
        "energy-parts": parts_table(of_captured, MACHINE),
    }
    fill_tables(page, tables)
    static, dynamic, tuned = (
        _range(runs[name].relative(pair) for name in of_captured) for pair in TUNED_PAIRS
    )
    hot = hot_region(8_192, 1 / 3, args.references, 0.0)
    sweep_s = _of(runs["grid"], "static-nap").delay_s / GRID_SWEEPS
    values = {
        "energy": f"static {static}, dynamic-nap {dynamic}, dynamic-tuned {tuned}",
        "energy-static": static,
        "energy-dynamic": dynamic,
        "energy-tuned": tuned,
        "tuned-loss": _range(run.relative("mrc-dynamic-tuned") for run in runs.values()),
        "hot-third": percent(compare(hot, MACHINE, [SCHEMES["mrc-static"]]).relative("mrc-static")),
        "predictive-reached": reached,
        "figure5": "; ".join(_both(name, runs[name]) for name in PAPERS) + " (static, dynamic-nap)",
        "epoch": f"{_ends(epochs, 'mrc-static')}, static",
        "figure6": f"{_ends(epochs, 'mrc-dynamic-nap')}, dynamic-nap",
        "chip": f"{_ends(chips, 'mrc-static')}, static",
        "grid-far": f"{100 * far_share(of_captured['grid'], 512):.2f} %",
        "grid-sweep": f"{sweep_s * MACHINE.clock_hz / 1e6:.1f} M",
    }
    fill_values(page, values)


def _only(sweep: Sweep, *names: str) -> dict[str, Sequence[EnergyRun]]:
    return {name: sweep[name] for name in names}


def _range(ratios: Iterable[float]) -> str:
    low, *_, high = sorted(ratios, key=lambda ratio: abs(ratio - 1))
    return f"{percent(low)} to {percent(high)}"


def _both(name: str, run: EnergyRun) -> str:
    return f"{name} {percent(run.relative(TUNED_PAIRS[0]))} and {percent(run.relative(TUNED_PAIRS[1]))}"


def _ends(sweep: Sweep, scheme: str) -> str:
    """Return the saving at the first and at the last value of a sweep, for the paper's programs."""
    texts = [
        f"{name} {percent(sweep[name][0].relative(scheme))} to {percent(sweep[name][-1].relative(scheme))}"
        for name in PAPERS
    ]
    return ", ".join(texts)


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
        ("captured programs", f"{', '.join(CAPTURED)}, after the paper's caches: tests/data/traces"),
        ("generated programs", f"{references:,} references, {GAP} cycles between them, seed {SEED}"),
        (
            "hot third",
            f"{MEMORY:,} pages touched once, then a third at random; moving: shifted by a sixth, 5 times",
        ),
    ]
    return markdown(["", ""], rows)


def _figure5(runs: Mapping[str, EnergyRun]) -> str:
    rows = []
    for name, run in runs.items():
        static = _of(run, "static-nap")
        cells = [name, f"{run.chips}", f"{static.energy_mj:.1f}", f"{static.delay_s * 1e3:.1f}"]
        cells += [percent(_of(run, name).energy_delay / static.energy_delay) for name in DYNAMIC]
        rows.append([*cells, *(percent(run.relative(pair)) for pair in TUNED_PAIRS), percent(_free(run))])
    heads = [
        "program",
        "chips",
        "static-nap: mJ",
        "ms",
        *(f"{name} / static-nap" for name in DYNAMIC),
        *(f"{pair} / {SCHEMES[pair].base}" for pair in TUNED_PAIRS),
    ]
    paper = [f"{MINUS}{100 * low:.0f} to {100 * high:.0f} %" for low, high in PAPER_RANGES.values()]
    rows.append(["the paper", "8 to 64", "", "", "below 0", "", *paper, "", ""])
    return markdown([*heads, "the same without the monitor's power"], rows)


def _of(run: EnergyRun, name: str):
    return next(result for result in run.results if result.scheme.name == name)


def _free(run: EnergyRun) -> float:
    """Return mrc-dynamic-tuned over dynamic-tuned without the monitor's power."""
    result, base = _of(run, TUNED_PAIRS[-1]), run.bases[TUNED_PAIRS[-1]]
    return (result.energy_mj - result.monitor_mj) * result.delay_s / base.energy_delay


def _without(run: EnergyRun, name: str) -> EnergyRun:
    return replace(run, results=[result for result in run.results if result.scheme.name != name])


if __name__ == "__main__":
    main()
