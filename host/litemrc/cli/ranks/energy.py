"""`litemrc energy FILE`: what the power domains of a rank table consumed, by component."""

import argparse
import json
import sys
from pathlib import Path

from litemrc.cli.ranks.energy_tables import energy_json, energy_table, parts_table
from litemrc.cli.shared.arguments import epoch_range
from litemrc.energy.parts.files import choose_part, known_parts
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.ranks.energy import rank_energy
from litemrc.ranks.files import read_ranks
from litemrc.ranks.table import RankTable

_EPILOG = """\
Energies follow Micron's technical note TN-41-01: clocks in each state, and commands, times the currents of
the part's data sheet, scaled to the clock and supply. They are those of the chips' cores; what the data pins
and terminations draw depends on the board. Data sheets give the highest currents: most chips take less.

The part is the one the device named, in the slowest grade that reaches its clock. --part chooses another: a
name of --list-parts, the same without its grade, or a part file of your own, FILE.toml.

--json prints one object: part, datasheet, clock_hz, dram_clock_hz, chips, virtual, seconds, domains, total.
Each domain has energy_mj, components_mj, mean_mw, always_awake_mj, saving, residency, wake_ups.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc energy`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="rank table (Parquet)")
    parser.add_argument("--part", metavar="NAME", help="the chips: a name of --list-parts, or FILE.toml")
    parser.add_argument("--list-parts", action="store_true", help="list the parts that are known, and end")
    parser.add_argument(
        "--epochs",
        metavar="A:B",
        type=epoch_range,
        help="only epochs A up to, not including, B; either may be left out",
    )
    parser.add_argument(
        "--fast-exit", action="store_true", help="the DLL stays on in power-down (LiteDRAM leaves it off)"
    )
    parser.add_argument(
        "--partial-as-whole",
        action="store_true",
        help="charge self-refresh of a part of the array as that of all, where no current is known",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="OUT", type=Path, help="draw the timeline into OUT.png or OUT.svg")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc energy`."""
    if args.list_parts:
        print(parts_table(known_parts()))
        return 0
    if not args.file:
        raise UserError("no rank table is named", remedy="litemrc energy FILE.parquet, or --list-parts")
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    table = read_ranks(args.file)
    if not table.epoch.size:
        raise UserError("the rank table has no epoch", where=str(args.file), remedy="collect more epochs")
    if args.epochs:
        table = _select(table, args.epochs, args.file)
    part = choose_part(args.part or table.part, table.clock_hz * table.phases)
    report = rank_energy(table, part, fast_exit=args.fast_exit, partial_as_whole=args.partial_as_whole)
    if args.plot:
        # Only now: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.ranks import ranks_figure

        save_figure(ranks_figure(table, report), args.plot)
    if table.overflow.any():
        print("litemrc: warning: a 32-bit counter reached its end: the energy is too low", file=sys.stderr)
    if table.interrupted:
        print("litemrc: warning: the collection was interrupted before its end", file=sys.stderr)
    if args.json:
        print(json.dumps(energy_json(report), allow_nan=False))
        return 0
    print(energy_table(report))
    if args.plot:
        print(f"\ndrawn in {args.plot}")
    return 0


def _select(table: RankTable, epochs: tuple[int | None, int | None], path: Path) -> RankTable:
    try:
        return table.between(*epochs)
    except UserError as error:
        raise UserError(error.what, where=str(path), remedy=error.remedy) from None
