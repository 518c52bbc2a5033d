# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc allocate CURVE...`: divide a memory among processes by their miss-ratio curves."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from litemrc.api.allocation import (
    UNITS,
    AllocationResult,
    Number,
    by_curve,
    converted_note,
    curves_in,
    divided,
    of_one_page_size,
)
from litemrc.cli.shared.arguments import (
    add_output_formats,
    add_page_size_argument,
    add_plot_argument,
)
from litemrc.cli.shared.memory import memory_size
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import check_pictures, print_results
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError
from litemrc.policies.allocation.division import METHODS

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
        help=f"unit of allocation (1/{UNITS} of the memory, rounded up)",
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
    check_pictures(args.plot)
    if args.reference_rate and not args.performance:
        raise UserError(
            "--reference-rate is given without --performance",
            remedy="add --performance, or drop --reference-rate",
        )
    curves, converted = of_one_page_size(
        curves_in(args.curves, args.page_size),
        convert=args.convert,
        remedy="measure all with one --page-size, or add --convert (approximate)",
    )
    page_bytes = curves[0].page_bytes
    if converted:
        note(converted_note(converted, page_bytes))
    memory = args.memory.pages(page_bytes)
    minimums = _values("--min", args.min, lambda text: _pages(text, page_bytes))
    weights = _values("--weight", args.weight, _number)
    rates = _values("--reference-rate", args.reference_rate, _number)
    result = divided(
        curves,
        memory,
        args.delta.pages(page_bytes, "--delta") if args.delta else None,
        minimums=by_curve(curves, minimums, "--min"),
        weights=by_curve(curves, weights, "--weight"),
        reference_rates=by_curve(curves, rates, "--reference-rate"),
        performance=args.performance,
        method=args.method,
    )
    print_results(
        args,
        table=lambda: "\n".join([allocation_table(result), "", *summary(result)]),
        document=result.document,
        rows=result.rows,
    )
    if args.plot:
        result.save(args.plot)
    return 0


def _number(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


def _pages(text: str, page_bytes: int) -> int:
    return 0 if text == "0" else memory_size(text).pages(page_bytes, "--min")


def _values(
    option: str, texts: Sequence[str], parse: Callable[[str], Number]
) -> Iterator[tuple[str, Number]]:
    """Yield the names and values of a repeated option NAME=VALUE."""
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            number = parse(value)
        except (ValueError, argparse.ArgumentTypeError):
            equals = ""
        if not equals:
            what = "a number of pages or bytes with a unit" if option == "--min" else "a value of at least 0"
            raise UserError(f"must be NAME=VALUE with {what} (got {text!r})", where=option)
        yield name, number


_HEADINGS = (
    "process",
    "accesses",
    "weight",
    "guaranteed\npages",
    "allocated\npages",
    "allocated\nmemory",
    "share of\nmemory",
    "miss ratio",
    "miss ratio,\nequal shares",
    "minimum\nmiss ratio",
)


def allocation_table(result: AllocationResult) -> str:
    """Return a table with a line for each process."""
    formats = ("{}", "{:,}", "{:g}", "{:,}", "{:,}", "{}", "{:.1%}", "{:.4f}", "{:.4f}", "{:.4f}")
    rows = []
    for row in result.rows():
        row["allocated_bytes"] = size_text(row["allocated_pages"], result.page_bytes)
        rows.append([text.format(value) for text, value in zip(formats, row.values(), strict=True)])
    return text_table(_HEADINGS, rows)


def summary(result: AllocationResult) -> list[str]:
    """Return lines about the quality of an allocation and the memory that stays free; sizes in pages."""
    allocation = result.allocation
    bound = allocation.utility_bound
    if bound is None:
        quality = "distance from the optimum unknown"
    elif bound == allocation.utility:
        quality = "optimal"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} (relative) below the optimum"
    in_use = f"sum of weight x {result.utility_in_use}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {result.method}: {quality}",
        f"{allocation.free_pages:,} of {result.memory_pages:,} pages of {result.page_bytes:,} bytes stay"
        f" free; unit of allocation: {result.delta_pages:,} pages",
    ]
