"""`litemrc allocate CURVE...`: a memory divided among processes by their miss ratio curves."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.plain_text import plain_text
from litemrc.curves.files import NamedCurve, read_curves
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import METHODS, Allocation, allocate

_EPILOG = """\
A CURVE is a Parquet file of `litemrc collect` or `litemrc demo` (each process in it, or context, is one that
wants memory), or a JSON file {"name", "accesses", "sizes_pages", "miss_ratio"}, or what `litemrc mrc --json`
and `litemrc curve --context C --json` print. NAME is the name in the table below; of a process, also its
program's name or its pid, of a context its number.

hull     steepest gradient on the concave hulls of the hit curves, and repaired where a step does not fit;
         tells how far from the optimum it may be
greedy   unit by unit to whom it gains most (Zhou et al., ASPLOS 2004, section 4.1.2); blind for what only
         several units together would gain, as the whole of a loop
optimal  exact, by dynamic programming

--performance counts hits instead of the hit ratio: the hit ratio times the reference rate, which is the
accesses of the curve, as if all were measured over the same time, or what --rate says, in accesses per any
time that is the same for all. Without it a process that seldom refers to memory counts as much as others.

Memory from which nobody would gain stays free, and so does what is left of a delta.

--json prints one object: allocation_pages, predicted_miss_ratio (by name), utility, utility_bound (no
division has more; null with greedy), utility_in_use, free_pages, memory_pages, delta_pages, method.
"""
_UNITS = 4096  # of memory, if --delta does not say


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc allocate`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("curves", metavar="CURVE", nargs="+", type=Path, help="file of miss ratio curves")
    parser.add_argument("--memory", metavar="PAGES", type=positive, required=True, help="pages to divide")
    parser.add_argument(
        "--delta", metavar="PAGES", type=positive, help=f"unit of memory (1/{_UNITS} of it, rounded up)"
    )
    for option, value, purpose in (
        ("--min", "PAGES", "memory it gets in any case (0), rounded up to units"),
        ("--weight", "W", "how much its utility counts (1)"),
        ("--rate", "R", "its reference rate, for --performance"),
    ):
        parser.add_argument(option, metavar=f"NAME={value}", action="append", default=[], help=purpose)
    parser.add_argument(
        "--performance", action="store_true", help="utility is hit ratio times reference rate"
    )
    parser.add_argument("--method", choices=METHODS, default="hull", help="see below (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw curves and allocated sizes, .png or .svg"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc allocate`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    if args.rate and not args.performance:
        raise UserError("--rate belongs to --performance", remedy="give that too, or leave it out")
    demands = _demands(args, [curve for path in args.curves for curve in read_curves(path)])
    delta = args.delta or -(-args.memory // _UNITS)
    allocation = allocate(demands, args.memory, delta_pages=delta, method=args.method)
    if args.plot:
        # Only now: matplotlib takes long to load.
        from litemrc.plots.allocation import allocation_figure
        from litemrc.plots.files import save_figure

        save_figure(allocation_figure(demands, allocation), args.plot)
    if args.json:
        described = {
            "allocation_pages": allocation.pages,
            "utility": allocation.utility,
            "predicted_miss_ratio": allocation.miss_ratio,
            "utility_bound": allocation.utility_bound,
            "utility_in_use": _utility_in_use(args),
            "free_pages": allocation.free_pages,
            "memory_pages": args.memory,
            "delta_pages": delta,
            "method": args.method,
        }
        print(json.dumps(described, allow_nan=False))
    else:
        print(_table(demands, allocation, args.memory), end="\n\n")
        print("\n".join(_summary(args, allocation, delta)))
    return 0


def _utility_in_use(args: argparse.Namespace) -> str:
    return "hit ratio x reference rate" if args.performance else "hit ratio"


def _demands(args: argparse.Namespace, curves: Sequence[NamedCurve]) -> list[Demand]:
    minimums = _by_curve(curves, "--min", args.min)
    weights = _by_curve(curves, "--weight", args.weight)
    rates = _by_curve(curves, "--rate", args.rate)
    demands = []
    for curve in curves:
        minimum = minimums.get(curve.name, 0.0)
        if not minimum.is_integer():
            raise UserError(f"--min {curve.name}={minimum:g} is no whole number of pages", where="--min")
        try:
            demand = Demand(
                curve.name,
                curve.sizes_pages,
                curve.miss_ratio,
                curve.accesses,
                weight=weights.get(curve.name, 1.0),
                minimum_pages=int(minimum),
                reference_rate=rates.get(curve.name, float(curve.accesses)) if args.performance else None,
            )
        except UserError as error:
            raise UserError(error.what, where=f"{curve.path}, {error.where}", remedy=error.remedy) from error
        demands.append(demand)
    return demands


def _by_curve(curves: Sequence[NamedCurve], option: str, texts: Sequence[str]) -> dict[str, float]:
    """Values of a repeated option NAME=VALUE, by the name of the curve it means."""
    values: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not 0 <= number < float("inf"):
            raise UserError(f"{text!r} is not NAME=VALUE with a number from 0 on", where=option)
        meant = [curve.name for curve in curves if curve.name == name]
        meant = meant or [curve.name for curve in curves if name in curve.aliases]
        if len(meant) != 1:
            there = ", ".join(repr(curve.name) for curve in curves)
            what = f"{len(meant)} curves are called {name!r}" if meant else f"no curve is called {name!r}"
            raise UserError(what, where=option, remedy=f"the curves: {there}")
        if meant[0] in values:
            raise UserError(f"{option} of {meant[0]!r} is given twice", where=option, remedy="give it once")
        values[meant[0]] = number
    return values


def _table(demands: Sequence[Demand], allocation: Allocation, memory: int) -> str:
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    rows.add_column("process", vertical="bottom")
    headings = (
        "accesses",
        "weight",
        "minimum",
        "pages",
        "of memory",
        "miss ratio",
        "in equal\nparts",
        "at best",
    )
    for heading in headings:
        rows.add_column(heading, justify="right", vertical="bottom")
    for demand in demands:
        pages = allocation.pages[demand.name]
        rows.add_row(
            demand.name,
            f"{demand.accesses:,}",
            f"{demand.weight:g}",
            f"{demand.minimum_pages:,}",
            f"{pages:,}",
            f"{pages / memory:.1%}",
            f"{allocation.miss_ratio[demand.name]:.4f}",
            f"{demand.miss_ratio_at(memory // len(demands)):.4f}",
            f"{demand.miss_ratio[-1]:.4f}",
        )
    return plain_text(rows)


def _summary(args: argparse.Namespace, allocation: Allocation, delta: int) -> list[str]:
    bound = allocation.utility_bound
    if bound is None:
        quality = "how far from the optimum is not known"
    elif bound == allocation.utility:
        quality = "the optimum"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} of it below the optimum"
    in_use = f"sum of weight x {_utility_in_use(args)}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {args.method}: {quality}",
        f"{allocation.free_pages:,} of {args.memory:,} pages stay free; units of {delta:,}",
    ]
