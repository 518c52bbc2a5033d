"""`litemrc simulate energy TRACE`: energy and delay of power-management schemes for memory chips."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

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
from litemrc_studies.zhou2004.command.energy_table import run_json, run_rows, run_table
from litemrc_studies.zhou2004.machine.chip_references import PLACEMENTS, ChipReferences, read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, EnergyRun, compare
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

    Raises:
        UserError: a part or a threshold is wrong.
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

        from litemrc_studies.zhou2004.plots.energy import bars_figure
        from litemrc_studies.zhou2004.plots.energy_sweep import sweep_figure

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
