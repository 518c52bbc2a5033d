"""`litemrc allocate CURVE...`: divide a memory among processes by their miss-ratio curves."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from litemrc.cli.shared.arguments import (
    add_output_formats,
    add_page_size_argument,
    add_plot_argument,
)
from litemrc.cli.shared.memory import memory_size
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import check_pictures, print_results
from litemrc.curves.curve import Curve
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError, choose_from
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import METHODS, Allocation, allocate

_HEADINGS = {
    "process": "process",
    "accesses": "accesses",
    "weight": "weight",
    "guaranteed_pages": "guaranteed\npages",
    "allocated_pages": "allocated\npages",
    "allocated_bytes": "allocated\nmemory",
    "share_of_memory": "share of\nmemory",
    "miss_ratio": "miss ratio",
    "miss_ratio_equal_shares": "miss ratio,\nequal shares",
    "minimum_miss_ratio": "minimum\nmiss ratio",
}
_EPILOG = """\
A CURVE is one of: a Parquet file of `litemrc collect` or `litemrc demo` (each process or context in it takes
part); a JSON file {"name", "page_bytes", "accesses", "sizes_pages", "miss_ratio"}; the output of `litemrc mrc
--json` or `litemrc curve --context C --json`. NAME is the name in the printed table; a process may also be
named by its program or pid, a context by its number.

All curves must have one page size. With --convert, curves of smaller pages are converted to the largest page
size: sizes are scaled in bytes, miss ratios are unchanged. This is approximate, since larger pages have other
misses. --page-size gives the page size of JSON files that do not contain it. --memory, --delta and --min take
pages, or bytes with a unit: 16M.

hull     steepest gradient on the concave hulls of the hit curves, repaired where a step does not fit; reports
         a bound on its distance from the optimum
greedy   gives each unit to the process that gains most from it (Zhou et al., ASPLOS 2004, section 4.1.2);
         misses gains that need several units at once, such as a whole loop
optimal  exact, by dynamic programming

--performance maximizes hits instead of hit ratios: the hit ratio times the reference rate. The reference
rate is the number of accesses of the curve, which assumes equal measuring times, or the value of
--reference-rate, in accesses per any common unit of time. Without --performance a process with few references
counts like others.

Memory that improves no miss ratio stays free, and so does the remainder of the last unit.

--json prints one object: allocation_pages, predicted_miss_ratio (by name), utility, utility_bound (upper
bound over all divisions; null with greedy), utility_in_use, free_pages, memory_pages, delta_pages,
page_bytes, method. --csv prints a row for each process.
"""
_UNITS = 4096  # that the memory is divided into by default


def allocation_row(
    demand: Demand, allocation: Allocation, memory: int, page_bytes: int, processes: int
) -> dict[str, object]:
    """Return the values of a process by column."""
    pages = allocation.pages[demand.name]
    values = (
        demand.name,
        demand.accesses,
        demand.weight,
        demand.minimum_pages,
        pages,
        pages * page_bytes,
        pages / memory,
        allocation.miss_ratio[demand.name],
        demand.miss_ratio_at(memory // processes),
        float(demand.miss_ratio[-1]),
    )
    return dict(zip(_HEADINGS, values, strict=True))


def allocation_table(demands: Sequence[Demand], allocation: Allocation, memory: int, page_bytes: int) -> str:
    """Return a table with a line for each process."""
    formats = ("{}", "{:,}", "{:g}", "{:,}", "{:,}", "{}", "{:.1%}", "{:.4f}", "{:.4f}", "{:.4f}")
    rows = []
    for demand in demands:
        row = allocation_row(demand, allocation, memory, page_bytes, len(demands))
        row["allocated_bytes"] = size_text(allocation.pages[demand.name], page_bytes)
        rows.append([text.format(value) for text, value in zip(formats, row.values(), strict=True)])
    return text_table(list(_HEADINGS.values()), rows)


def summary(
    allocation: Allocation, *, memory: int, delta: int, page_bytes: int, utility: str, method: str
) -> list[str]:
    """Return lines about the quality of an allocation and the memory that stays free; sizes in pages."""
    bound = allocation.utility_bound
    if bound is None:
        quality = "distance from the optimum unknown"
    elif bound == allocation.utility:
        quality = "optimal"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} (relative) below the optimum"
    in_use = f"sum of weight x {utility}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {method}: {quality}",
        f"{allocation.free_pages:,} of {memory:,} pages of {page_bytes:,} bytes stay free;"
        f" unit of allocation: {delta:,} pages",
    ]


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc allocate`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("curves", metavar="CURVE", nargs="+", type=Path, help="file of miss-ratio curves")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory_size,
        required=True,
        help="memory to divide: pages, or bytes with a unit such as 16M",
    )
    parser.add_argument(
        "--delta",
        metavar="SIZE",
        type=memory_size,
        help=f"unit of allocation (1/{_UNITS} of the memory, rounded up)",
    )
    for option, value, purpose in (
        ("--min", "SIZE", "guaranteed memory (0), rounded up to units"),
        ("--weight", "W", "weight of its utility (1)"),
        ("--reference-rate", "R", "reference rate, for --performance"),
    ):
        parser.add_argument(option, metavar=f"NAME={value}", action="append", default=[], help=purpose)
    parser.add_argument("--performance", action="store_true", help="maximize hit ratio times reference rate")
    parser.add_argument("--method", choices=METHODS, default="hull", help="see below (%(default)s)")
    add_page_size_argument(parser, "that of the files; for JSON without one", of_file=True)
    parser.add_argument(
        "--convert", action="store_true", help="convert curves of smaller pages to the largest page size"
    )
    add_output_formats(parser)
    add_plot_argument(parser, "curves and allocated sizes")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc allocate`."""
    from litemrc.epochs.curve_files import read_curves  # pyarrow takes long to load

    check_pictures(args.plot)
    if args.reference_rate and not args.performance:
        raise UserError(
            "--reference-rate is given without --performance",
            remedy="add --performance, or drop --reference-rate",
        )
    read = [curve for path in args.curves for curve in read_curves(path, args.page_size)]
    curves = _one_page_size(read, convert=args.convert)
    page_bytes = curves[0].page_bytes
    memory = args.memory.pages(page_bytes)
    demands = _demands(args, curves)
    utility = "hit ratio x reference rate" if args.performance else "hit ratio"
    delta = args.delta.pages(page_bytes, "--delta") if args.delta else -(-memory // _UNITS)
    allocation = allocate(demands, memory, delta_pages=delta, method=args.method)
    print_results(
        args,
        table=lambda: "\n".join(
            [
                allocation_table(demands, allocation, memory, page_bytes),
                "",
                *summary(
                    allocation,
                    memory=memory,
                    delta=delta,
                    page_bytes=page_bytes,
                    utility=utility,
                    method=args.method,
                ),
            ]
        ),
        document=lambda: {
            "allocation_pages": allocation.pages,
            "utility": allocation.utility,
            "predicted_miss_ratio": allocation.miss_ratio,
            "utility_bound": allocation.utility_bound,
            "utility_in_use": utility,
            "free_pages": allocation.free_pages,
            "memory_pages": memory,
            "delta_pages": delta,
            "page_bytes": page_bytes,
            "method": args.method,
        },
        rows=lambda: [
            allocation_row(demand, allocation, memory, page_bytes, len(demands)) for demand in demands
        ],
    )
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.mrc import allocation_figure

        save_figure(allocation_figure(curves, allocation), args.plot)
    return 0


def _one_page_size(curves: Sequence[Curve], *, convert: bool) -> list[Curve]:
    """Return the curves in pages of one size.

    Raises:
        UserError: they differ in it, and `convert` is not set.
    """
    largest = max(curve.page_bytes for curve in curves)
    smaller = [curve for curve in curves if curve.page_bytes < largest]
    if smaller and not convert:
        listed = ", ".join(f"{curve.name}: {curve.page_bytes} bytes" for curve in curves)
        raise UserError(
            "the curves have pages of different sizes",
            where=listed,
            remedy="measure all with one --page-size, or add --convert (approximate)",
        )
    if smaller:
        names = ", ".join(curve.name for curve in smaller)
        note(
            f"{names}: converted to pages of {largest} bytes; sizes are scaled, miss ratios are unchanged and"
            " therefore approximate"
        )
    return [curve.resized(largest) if curve in smaller else curve for curve in curves]


def _demands(args: argparse.Namespace, curves: Sequence[Curve]) -> list[Demand]:
    minimums = _by_curve(curves, "--min", args.min, lambda text: _pages(text, curves[0].page_bytes))
    weights = _by_curve(curves, "--weight", args.weight, _number)
    rates = _by_curve(curves, "--reference-rate", args.reference_rate, _number)
    demands = []
    for curve in curves:
        demand = Demand(
            curve.name,
            curve.sizes_pages,
            curve.miss_ratio,
            curve.accesses,
            weight=weights.get(curve.name, 1.0),
            minimum_pages=int(minimums.get(curve.name, 0)),
            reference_rate=rates.get(curve.name, float(curve.accesses)) if args.performance else None,
        )
        demands.append(demand)
    return demands


def _number(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


def _pages(text: str, page_bytes: int) -> int:
    return 0 if text == "0" else memory_size(text).pages(page_bytes, "--min")


def _by_curve(
    curves: Sequence[Curve], option: str, texts: Sequence[str], parse: Callable[[str], float]
) -> dict[str, float]:
    """Return the values of a repeated option NAME=VALUE by the name of the curve that NAME stands for."""
    values: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            number = parse(value)
        except (ValueError, argparse.ArgumentTypeError):
            number = -1
        if not equals or number < 0:
            what = (
                "a number of pages or bytes with a unit" if parse is not _number else "a value of at least 0"
            )
            raise UserError(f"must be NAME=VALUE with {what} (got {text!r})", where=option)
        meant = [curve.name for curve in curves if curve.name == name]
        meant = meant or [curve.name for curve in curves if name in curve.aliases]
        if len(meant) != 1:
            what = f"{len(meant)} curves are named {name!r}" if meant else f"no curve is named {name!r}"
            raise UserError(what, where=option, remedy=choose_from(name, [curve.name for curve in curves]))
        if meant[0] in values:
            raise UserError(f"{option} of {meant[0]!r} is given twice", where=option, remedy="give it once")
        values[meant[0]] = number
    return values
