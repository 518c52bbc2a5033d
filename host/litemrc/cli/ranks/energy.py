# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc energy FILE`: the energy that the power domains of a rank table consumed, by component."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_epoch_range_arguments, add_output_formats, add_plot_argument
from litemrc.cli.shared.messages import warning
from litemrc.cli.shared.results import check_pictures, print_results
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.ranks.table import RankTable

_EPILOG = """\
Energies follow Micron's technical note TN-41-01: the cycles in each state and the commands, times the
currents of the part's data sheet, scaled to clock and supply. They cover the cores of the chips; the energy
of data pins and terminations depends on the board. Data sheets give maximum currents; chips consume less.

The part is the one that the device reports, in the slowest speed grade that reaches its clock. --part selects
another: a name of --list-parts, with or without its grade, or a part file of your own, FILE.toml.

--json prints one object: part, datasheet, clock_hz, dram_clock_hz, chips, virtual, seconds, domains, total.
Each domain has energy_mj, components_mj, mean_mw, always_awake_mj, saving, residency, wake_ups.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc energy`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="rank table (Parquet)")
    parser.add_argument("--part", metavar="NAME", help="DRAM part: a name of --list-parts, or FILE.toml")
    parser.add_argument("--list-parts", action="store_true", help="list the known parts and exit")
    add_epoch_range_arguments(parser)
    parser.add_argument(
        "--fast-exit", action="store_true", help="the DLL stays on in power-down (LiteDRAM turns it off)"
    )
    parser.add_argument(
        "--partial-as-whole",
        action="store_true",
        help="charge partial-array self-refresh like full self-refresh if its current is unknown",
    )
    add_output_formats(parser)
    add_plot_argument(parser, "the states over time, and the energies")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc energy`."""
    # Imported here: these take long to load.
    from litemrc.cli.ranks.energy_tables import energy_json, energy_rows, energy_table, part_rows, parts_table
    from litemrc.energy.parts.files import choose_part, known_parts
    from litemrc.energy.rank_energy import rank_energy
    from litemrc.ranks.files import read_ranks

    if args.list_parts:
        parts = known_parts()
        print_results(
            args,
            table=lambda: parts_table(parts),
            document=lambda: {"parts": list(part_rows(parts))},
            rows=lambda: part_rows(parts),
        )
        return 0
    if not args.file:
        raise UserError("no rank table is given", remedy="litemrc energy FILE.parquet, or --list-parts")
    check_pictures(args.plot)
    table = read_ranks(args.file)
    if not table.epoch.size:
        raise UserError("the rank table has no epoch", where=str(args.file), remedy="collect more epochs")
    table = _selected(table, args)
    part = choose_part(args.part or table.part, table.clock_hz * table.phases)
    report = rank_energy(table, part, fast_exit=args.fast_exit, partial_as_whole=args.partial_as_whole)
    if table.overflow.any():
        warning("a 32-bit counter saturated: the energy is too low")
    if table.interrupted:
        warning("the collection was interrupted before its end")
    print_results(
        args,
        table=lambda: energy_table(report),
        document=lambda: energy_json(report),
        rows=lambda: energy_rows(report),
    )
    if args.plot:
        from litemrc.plots.files import save_figure
        from litemrc.plots.rank_timeline import ranks_figure

        save_figure(ranks_figure(table, report), args.plot)
    return 0


def _selected(table: "RankTable", args: argparse.Namespace) -> "RankTable":
    """Return the epochs of --from and --to."""
    last = args.last_epoch
    try:
        return table.between(args.first_epoch, None if last is None else last + 1)
    except UserError as error:
        raise UserError(error.what, where=str(args.file), remedy=error.remedy) from None
