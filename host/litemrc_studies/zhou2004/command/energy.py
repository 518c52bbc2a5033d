# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate energy TRACE`: energy and delay of power-management schemes for memory chips."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from litemrc.cli.shared.arguments import (
    add_output_formats,
    add_plot_argument,
    each_once,
    names_of,
    number,
    positive,
)
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import reported, shown
from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.cli.traces.arguments import FORMATS_HELP, add_input_arguments, opened
from litemrc.errors import UserError

from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import PLACEMENTS, ChipReferences, read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, EnergyRun, SchemeResult, compare
from litemrc_studies.zhou2004.policies import SCHEMES, Scheme, Thresholds

_EPILOG = f"""\
always-on          idle chips stay in active (DDR3: active standby)
static-nap         idle chips enter nap (power-down) at once
dynamic-nap        standby at once, nap after --nap-after; no powerdown (self-refresh)
dynamic-tuned      dynamic-nap with powerdown; a sweep over this trace chooses both thresholds
mrc-static, mrc-dynamic-nap, mrc-dynamic-tuned
                   the same, but chips that hold none of the top N_mrc pages enter powerdown at once
mrc-predictive     thresholds learned from idle times; chips wake ahead of the predicted next access
oracle             knows the future: no scheme takes less energy or time

Zhou et al. 2004, section 5; chip_energy.md describes the model. One blocking CPU; the times of a trace
are in cycles; the memory holds all pages of the trace. Lists of --chip-pages and --epoch-cycles make a sweep.

--json prints {{"results": [{{"scheme", "energy_mj", "delay_s", "energy_delay", "relative_to"}} ...]}};
relative_to is {{"scheme", "energy", "delay", "energy_delay"}}: the scheme it extends, or --base. Other keys:
chip_pages, epoch_cycles, thresholds_ns, swept, monitor_mj, working_pages, and by chip: chip_energy_mj,
chip_waking_s, waited_s (in each state), wakes (from each state), accesses.

{FORMATS_HELP}
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate energy`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_input_arguments(parser)
    parser.add_argument(
        "--scheme",
        metavar="NAME,...",
        type=names_of("scheme", SCHEMES),
        default=list(SCHEMES),
        help="schemes listed below (default: all)",
    )
    parser.add_argument(
        "--base",
        metavar="NAME",
        choices=list(SCHEMES),
        help="compare all schemes with this one (default: see below)",
    )
    parser.add_argument(
        "--part",
        metavar="PART",
        default="rdram",
        help="rdram, lpddr3, ddr3-PART, a name of `litemrc energy --list-parts`, or FILE.toml (%(default)s)",
    )
    parser.add_argument(
        "--chip-pages", metavar="N,...", type=each_once(positive), default=[64], help="pages per chip (64)"
    )
    parser.add_argument(
        "--epoch-cycles",
        metavar="N,...",
        type=each_once(positive),
        default=[10_000],
        help="cycles per epoch (10000)",
    )
    parser.add_argument(
        "--clock-mhz", metavar="MHZ", type=positive, default=600, help="processor clock (%(default)s)"
    )
    parser.add_argument(
        "--gap",
        metavar="CYCLES",
        type=positive,
        default=100,
        help="cycles before each reference of a trace without times (%(default)s)",
    )
    parser.add_argument(
        "--placement",
        choices=PLACEMENTS,
        default=PLACEMENTS[0],
        help="placement of pages on chips (%(default)s)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=positive, default=1, help="seed of the random placement (%(default)s)"
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        type=lambda text: number(text, 1),
        default=0.01,
        help="N_mrc: smallest size within E of the minimum miss ratio (%(default)s)",
    )
    parser.add_argument(
        "--monitor-mw",
        metavar="MW",
        type=lambda text: number(text, 1e9),
        default=20.0,
        help="power of the monitor, charged to schemes that use it (%(default)g)",
    )
    parser.add_argument(
        "--nap-after",
        metavar="NS",
        type=positive,
        help="nap threshold of dynamic schemes (100; tuned: by sweep)",
    )
    parser.add_argument(
        "--powerdown-after",
        metavar="NS",
        type=positive,
        help="powerdown threshold of tuned schemes; with --nap-after it replaces the sweep",
    )
    add_output_formats(parser)
    add_plot_argument(parser, "energy x delay, or the sweep")


def prepare(args: argparse.Namespace) -> tuple[ChipMachine, dict[str, Scheme]]:
    """Return the machine, and all schemes with the thresholds given.

    Raises
    ------
    UserError
        a part or a threshold is wrong.
    """
    schemes = {name: _with_thresholds(scheme, args) for name, scheme in SCHEMES.items()}
    machine = ChipMachine(
        power=find_power(args.part),
        clock_hz=args.clock_mhz * 1e6,
        epsilon=args.epsilon,
        monitor_mw=args.monitor_mw,
        placement=args.placement,
        seed=args.seed,
    )
    return machine, schemes


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate energy`."""
    check_pictures(args.plot)
    machine, bases = prepare(args)
    schemes, base = [bases[name] for name in args.scheme], bases[args.base] if args.base else None
    with opened(args) as trace, closing(shown(trace, "reading")) as chunks:
        references = read_references(trace, chunks, args.gap)
    for text in trace.notes:
        note(text)
    machines = [
        replace(machine, chip_pages=chip_pages, epoch_cycles=epoch_cycles)
        for chip_pages in args.chip_pages
        for epoch_cycles in args.epoch_cycles
    ]
    runs, stopped = until_stopped(_sweep(references, machines, schemes, base, bases))
    print_results(
        args,
        table=lambda: run_table(references, runs),
        document=lambda: run_json(references, runs),
        rows=lambda: run_rows(runs),
        stopped=stopped,
    )
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure

        from litemrc_studies.zhou2004.plots.energy import bars_figure, sweep_figure

        draw = bars_figure if len(runs) == 1 else sweep_figure
        save_figure(draw(runs, title=Path(args.trace).name), args.plot)
    if stopped:
        raise stopped
    return 0


def _sweep(
    references: ChipReferences,
    machines: Sequence[ChipMachine],
    schemes: Sequence[Scheme],
    base: Scheme | None,
    bases: dict[str, Scheme],
) -> Iterator[EnergyRun]:
    done = 0

    def state() -> tuple[str, float]:
        return f"{done} of {len(machines)} machines", done / len(machines)

    with closing(reported(machines, "simulating", state)) as each:
        for machine in each:
            run = compare(references, machine, schemes, bases, base)
            done += 1
            yield run


def _with_thresholds(scheme: Scheme, args: argparse.Namespace) -> Scheme:
    """Return a dynamic scheme with the thresholds given; other schemes are returned unchanged."""
    nap, powerdown = args.nap_after, args.powerdown_after
    if powerdown is not None and nap is None:
        raise UserError(
            "--powerdown-after is given without --nap-after",
            remedy="add --nap-after, which replaces the sweep",
        )
    if not isinstance(scheme, Thresholds) or nap is None or scheme.after_ns[0] is None:
        return scheme
    if scheme.tuned:
        return scheme.with_thresholds(nap, powerdown) if powerdown is not None else scheme
    return scheme.with_thresholds(nap, None)


def run_table(references: ChipReferences, runs: Sequence[EnergyRun]) -> str:
    """Return a table for each machine with a line for each scheme."""
    gap = references.stated_gap
    times = "times from the trace, in cycles" if gap is None else f"{gap} cycles between references (--gap)"
    machine = runs[0].machine
    lines = [
        f"{references.trace}: {len(references):,} references to {references.footprint_pages:,} pages;"
        f" {times}",
        f"chips of {machine.power.part}, {machine.placement} placement, {machine.clock_hz / 1e6:g} MHz;"
        f" schemes marked * include a monitor of {machine.monitor_mw:g} mW",
    ]
    for run in runs:
        lines += ["", *_machine_lines(run)]
    return "\n".join(lines)


def _machine_lines(run: EnergyRun) -> list[str]:
    machine = run.machine
    lines = [
        f"{run.chips} chips of {machine.chip_pages} pages, epochs of {machine.epoch_cycles:,} cycles",
        f"{'':<18} {'':>11} {'':>10} {'energy x':>10} {'relative to base:':>24}",
        f"{'scheme':<18} {'energy, mJ':>11} {'delay, s':>10} {'delay,mJ s':>10} {'product':>8} {'energy':>7}"
        f" {'delay':>7}  base",
    ]
    for result in run.results:
        base = run.bases[result.scheme.name]
        name = result.scheme.name + ("*" if result.scheme.monitored else "")
        lines.append(
            f"{name:<18} {result.energy_mj:>11.3f} {result.delay_s:>10.5f} {result.energy_delay:>10.4f}"
            f" {result.energy_delay / base.energy_delay:>8.3f} {result.energy_mj / base.energy_mj:>7.3f}"
            f" {result.delay_s / base.delay_s:>7.3f}  {base.scheme.name}{_remark(result)}"
        )
    return lines


def _remark(result: SchemeResult) -> str:
    remarks = []
    if isinstance(result.scheme, Thresholds) and result.scheme.after_ns[0] is not None:
        _, nap, powerdown = result.scheme.after_ns
        thresholds = f"nap after {nap} ns" + (
            "" if powerdown is None else f", powerdown after {powerdown} ns"
        )
        remarks.append(thresholds + (" (sweep)" if result.swept else ""))
    if result.mean_working_pages is not None:
        remarks.append(f"N_mrc {result.mean_working_pages:,.0f} pages")
    return "; " + ", ".join(remarks) if remarks else ""


def run_json(references: ChipReferences, runs: Sequence[EnergyRun]) -> dict[str, Any]:
    """Return what --json prints."""
    machine = runs[0].machine
    return {
        "trace": references.trace,
        "references": len(references),
        "footprint_pages": references.footprint_pages,
        "gap_cycles": references.stated_gap,
        "part": machine.power.part,
        "states": list(machine.power.states),
        "placement": machine.placement,
        "seed": machine.seed,
        "clock_hz": machine.clock_hz,
        "epsilon": machine.epsilon,
        "monitor_mw": machine.monitor_mw,
        "results": [_result_json(run, result) for run in runs for result in run.results],
    }


def run_rows(runs: Sequence[EnergyRun]) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each scheme in each machine."""
    for run in runs:
        for result in run.results:
            row = _result_json(run, result)
            base, thresholds = row["relative_to"], row["thresholds_ns"] or [None] * 3
            yield {
                "scheme": row["scheme"],
                "chip_pages": row["chip_pages"],
                "epoch_cycles": row["epoch_cycles"],
                "chips": row["chips"],
                "energy_mj": row["energy_mj"],
                "delay_s": row["delay_s"],
                "energy_delay_mj_s": row["energy_delay"],
                "base": base["scheme"],
                "energy_over_base": base["energy"],
                "delay_over_base": base["delay"],
                "energy_delay_over_base": base["energy_delay"],
                "nap_after_ns": thresholds[1],
                "powerdown_after_ns": thresholds[2],
                "monitor_mj": row["monitor_mj"],
                "working_pages": row["working_pages"],
            }


def _result_json(run: EnergyRun, result: SchemeResult) -> dict[str, Any]:
    base, scheme = run.bases[result.scheme.name], result.scheme
    return {
        "scheme": scheme.name,
        "energy_mj": result.energy_mj,
        "delay_s": result.delay_s,
        "energy_delay": result.energy_delay,
        "relative_to": {
            "scheme": base.scheme.name,
            "energy": result.energy_mj / base.energy_mj,
            "delay": result.delay_s / base.delay_s,
            "energy_delay": result.energy_delay / base.energy_delay,
        },
        "chip_pages": run.machine.chip_pages,
        "epoch_cycles": run.machine.epoch_cycles,
        "chips": run.chips,
        "thresholds_ns": list(scheme.after_ns) if isinstance(scheme, Thresholds) else None,
        "swept": result.swept,
        "monitor_mj": result.monitor_mj,
        "working_pages": result.mean_working_pages,
        "chip_energy_mj": result.chip_mj.tolist(),
        "chip_waking_s": result.chip_waking_s.tolist(),
        "waited_s": result.waited_s.tolist(),
        "wakes": result.wakes.tolist(),
        "accesses": result.accesses.tolist(),
    }
