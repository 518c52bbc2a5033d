# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc compare A B`: the difference of miss-ratio curves; exit code 1 above a tolerance, for CI."""

import argparse
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, number
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import check_pictures, print_results
from litemrc.cli.traces.arguments import add_format_arguments
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.api.comparing import ComparisonResult
    from litemrc.curves.curve import Curve

EXIT_ABOVE_TOLERANCE = 1
_EPILOG = """\
A and B are files of curves: Parquet of `litemrc collect` or `litemrc demo`, JSON of `litemrc mrc` or `litemrc
curve` (names end in .json). Or they are traces, files or URLs gen:..., which are measured exactly. If each
has one curve, these two are compared; otherwise curves of equal names, and each curve needs its counterpart.

Differences are taken at all sizes of both curves, from where both begin, at multiples of both resolutions. In
the mean absolute difference a size weighs as much as the memory from it to the next size, so that equal steps
of memory count the same; the last size weighs nothing. Curves of different page sizes are compared in bytes.

Exit code 0: every largest difference (with --mean: every mean) is at most the tolerance, or none is given.
1: a difference is above it. 2: bad input.

  litemrc mrc app.parquet --json > baseline.json         # once, kept in the repository
  litemrc compare baseline.json app.parquet --tolerance 0.02     # in CI

--json prints one object: curves (name, other_name, sizes, mean_difference, largest_difference,
largest_at_bytes, miss_ratio, other_miss_ratio: those at the largest difference; above_tolerance), tolerance.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc compare`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("first", metavar="A", help="file of curves, or trace")
    parser.add_argument("second", metavar="B", help="file of curves, or trace")
    parser.add_argument(
        "--tolerance",
        metavar="T",
        type=lambda text: number(text, 1),
        help="exit with code 1 if a miss ratio differs by more, 0 to 1",
    )
    parser.add_argument(
        "--mean", action="store_true", help="the tolerance is of the mean absolute difference"
    )
    add_format_arguments(parser)
    add_output_formats(parser)
    add_plot_argument(parser, "both curves and their difference")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc compare`."""
    check_pictures(args.plot)
    if args.mean and args.tolerance is None:
        raise UserError("--mean is given without --tolerance", where="--mean", remedy="add --tolerance T")
    if args.first == args.second == "-":
        raise UserError("stdin can be read only once", where="-", remedy="name - once")
    from litemrc.api.comparing import compared  # loads numpy

    result = compared(
        _curves(args, args.first),
        _curves(args, args.second),
        args.first,
        args.second,
        tolerance=args.tolerance,
        mean=args.mean,
    )
    if any(first.page_bytes != second.page_bytes for first, second, _ in result.pairs):
        note("the curves have pages of different sizes: they are compared in bytes")
    print_results(args, table=lambda: _table(result), document=result.document, rows=result.rows)
    if args.plot:
        result.save(args.plot)
    return EXIT_ABOVE_TOLERANCE if result.above_tolerance else 0


def _curves(args: argparse.Namespace, path: str) -> "list[Curve]":
    """Return the curves of a file, or of a trace."""
    # Imported here: they load numpy and pyarrow.
    from litemrc.api.comparing import holds_curves, stored_curves
    from litemrc.cli.curves.measuring import Measuring, measure

    if holds_curves(path):
        return stored_curves(path, args.page_size)
    measured = measure(
        Measuring(
            args.format,
            args.page_size,
            columns=args.columns,
            bounded=args.bounded,
            sort=args.sort,
        ),
        [path],
    )
    if measured.stopped:
        raise measured.stopped
    for text in measured.notes:
        note(text)
    return measured.curves


def _table(result: "ComparisonResult") -> str:
    headings = (
        "curve",
        "sizes",
        "mean absolute\ndifference",
        "largest\ndifference",
        "at memory\nsize",
        "miss ratio\nof A",
        "miss ratio\nof B",
    )
    rows = []
    for row in result.rows():
        bytes_at = row["largest_at_bytes"]
        names = row["name"] if row["name"] == row["other_name"] else f"{row['name']} - {row['other_name']}"
        rows.append(
            (
                str(names),
                f"{row['sizes']:,}",
                f"{row['mean_difference']:.6f}",
                f"{row['largest_difference']:.6f}",
                size_text(bytes_at, 1),
                f"{row['miss_ratio']:.6f}",
                f"{row['other_miss_ratio']:.6f}",
            )
        )
    lines = [text_table(headings, rows)]
    if result.tolerance is not None:
        what = "mean" if result.mean else "largest"
        failed = result.above_tolerance
        verdict = f"above it: {', '.join(failed)}" if failed else "none is above it"
        lines += ["", f"tolerance of the {what} difference {result.tolerance:g}: {verdict}"]
    return "\n".join(lines)
