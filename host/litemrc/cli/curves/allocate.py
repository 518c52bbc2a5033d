"""`litemrc allocate CURVE...`: divide a memory among processes by their miss-ratio curves."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import METHODS, Allocation, allocate

_EPILOG = """\
A CURVE is one of: a Parquet file of `litemrc collect` or `litemrc demo` (each process or context in it takes
part); a JSON file {"name", "accesses", "sizes_pages", "miss_ratio"}; the output of `litemrc mrc --json` or
`litemrc curve --context C --json`. NAME is the name in the printed table; a process may also be named by its
program or pid, a context by its number.

hull     steepest gradient on the concave hulls of the hit curves, repaired where a step does not fit; reports
         a bound on its distance from the optimum
greedy   gives each unit to the process that gains most from it (Zhou et al., ASPLOS 2004, section 4.1.2);
         misses gains that need several units at once, such as a whole loop
optimal  exact, by dynamic programming

--performance maximizes hits instead of hit ratios: the hit ratio times the reference rate. The reference
rate is the number of accesses of the curve, which assumes equal measuring times, or the value of --rate, in
accesses per any common unit of time. Without --performance a process with few references counts like others.

Memory that improves no miss ratio stays free, and so does the remainder of the last unit.

--json prints one object: allocation_pages, predicted_miss_ratio (by name), utility, utility_bound (upper
bound over all divisions; null with greedy), utility_in_use, free_pages, memory_pages, delta_pages, method.
"""
_UNITS = 4096  # that the memory is divided into by default


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc allocate`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("curves", metavar="CURVE", nargs="+", type=Path, help="file of miss-ratio curves")
    parser.add_argument("--memory", metavar="PAGES", type=positive, required=True, help="pages to divide")
    parser.add_argument(
        "--delta",
        metavar="PAGES",
        type=positive,
        help=f"unit of allocation (1/{_UNITS} of the memory, rounded up)",
    )
    for option, value, purpose in (
        ("--min", "PAGES", "guaranteed memory (0), rounded up to units"),
        ("--weight", "W", "weight of its utility (1)"),
        ("--rate", "R", "reference rate, for --performance"),
    ):
        parser.add_argument(option, metavar=f"NAME={value}", action="append", default=[], help=purpose)
    parser.add_argument("--performance", action="store_true", help="maximize hit ratio times reference rate")
    parser.add_argument("--method", choices=METHODS, default="hull", help="see below (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="plot curves and allocated sizes, .png or .svg"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc allocate`."""
    from litemrc.epochs.curve_files import read_curves  # pyarrow takes long to load

    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    if args.rate and not args.performance:
        raise UserError("--rate is given without --performance", remedy="add --performance, or drop --rate")
    demands = _demands(args, [curve for path in args.curves for curve in read_curves(path)])
    delta = args.delta or -(-args.memory // _UNITS)
    allocation = allocate(demands, args.memory, delta_pages=delta, method=args.method)
    if args.plot:
        # Imported here: matplotlib takes long to load.
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


def _demands(args: argparse.Namespace, curves: Sequence[Curve]) -> list[Demand]:
    minimums = _by_curve(curves, "--min", args.min)
    weights = _by_curve(curves, "--weight", args.weight)
    rates = _by_curve(curves, "--rate", args.rate)
    demands = []
    for curve in curves:
        minimum = minimums.get(curve.name, 0.0)
        if not minimum.is_integer():
            raise UserError(f"--min {curve.name}={minimum:g} is not a whole number of pages", where="--min")
        demand = Demand(
            curve.name,
            curve.sizes_pages,
            curve.miss_ratio,
            curve.accesses,
            weight=weights.get(curve.name, 1.0),
            minimum_pages=int(minimum),
            reference_rate=rates.get(curve.name, float(curve.accesses)) if args.performance else None,
        )
        demands.append(demand)
    return demands


def _by_curve(curves: Sequence[Curve], option: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the values of a repeated option NAME=VALUE by the name of the curve that NAME stands for."""
    values: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not 0 <= number < float("inf"):
            raise UserError(f"must be NAME=VALUE with a value of at least 0 (got {text!r})", where=option)
        meant = [curve.name for curve in curves if curve.name == name]
        meant = meant or [curve.name for curve in curves if name in curve.aliases]
        if len(meant) != 1:
            listed = ", ".join(repr(curve.name) for curve in curves)
            what = f"{len(meant)} curves are named {name!r}" if meant else f"no curve is named {name!r}"
            raise UserError(what, where=option, remedy=f"choose from {listed}")
        if meant[0] in values:
            raise UserError(f"{option} of {meant[0]!r} is given twice", where=option, remedy="give it once")
        values[meant[0]] = number
    return values


def _table(demands: Sequence[Demand], allocation: Allocation, memory: int) -> str:
    headings = (
        "process",
        "accesses",
        "weight",
        "guaranteed\npages",
        "allocated\npages",
        "share of\nmemory",
        "miss ratio",
        "miss ratio,\nequal shares",
        "minimum\nmiss ratio",
    )
    rows = [
        (
            demand.name,
            f"{demand.accesses:,}",
            f"{demand.weight:g}",
            f"{demand.minimum_pages:,}",
            f"{allocation.pages[demand.name]:,}",
            f"{allocation.pages[demand.name] / memory:.1%}",
            f"{allocation.miss_ratio[demand.name]:.4f}",
            f"{demand.miss_ratio_at(memory // len(demands)):.4f}",
            f"{demand.miss_ratio[-1]:.4f}",
        )
        for demand in demands
    ]
    return text_table(headings, rows)


def _summary(args: argparse.Namespace, allocation: Allocation, delta: int) -> list[str]:
    bound = allocation.utility_bound
    if bound is None:
        quality = "distance from the optimum unknown"
    elif bound == allocation.utility:
        quality = "optimal"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} (relative) below the optimum"
    in_use = f"sum of weight x {_utility_in_use(args)}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {args.method}: {quality}",
        f"{allocation.free_pages:,} of {args.memory:,} pages stay free; unit of allocation: {delta:,} pages",
    ]
