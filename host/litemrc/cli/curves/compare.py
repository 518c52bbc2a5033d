"""`litemrc compare A B`: the difference of miss-ratio curves; exit code 1 above a tolerance, for CI."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, number
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import check_pictures, print_results
from litemrc.cli.traces.arguments import add_format_arguments
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.curves.curve import Curve
    from litemrc.curves.difference import CurveDifference

    Pair = tuple[Curve, Curve, CurveDifference]

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
    pairs = [
        (first, second, first.difference(second))
        for first, second in _matched(_curves(args, args.first), _curves(args, args.second), args)
    ]
    if any(first.page_bytes != second.page_bytes for first, second, _ in pairs):
        note("the curves have pages of different sizes: they are compared in bytes")
    above = [_is_above(args, difference) for _, _, difference in pairs]
    print_results(
        args,
        table=lambda: _table(args, pairs, above),
        document=lambda: {"curves": _rows(pairs, above), "tolerance": args.tolerance},
        rows=lambda: _rows(pairs, above),
    )
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.mrc import difference_figure

        save_figure(difference_figure(pairs, tolerance=args.tolerance), args.plot)
    return EXIT_ABOVE_TOLERANCE if any(above) else 0


def _curves(args: argparse.Namespace, path: str) -> "list[Curve]":
    """Return the curves of a file, or of a trace."""
    # Imported here: they load numpy and pyarrow.
    from litemrc.cli.curves.measuring import Measuring, measure
    from litemrc.epochs.curve_files import read_curves

    if _holds_curves(path):
        return read_curves(Path(path), args.page_size)
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


def _holds_curves(path: str) -> bool:
    suffix = Path(path).suffix.lower()
    if suffix != ".parquet":
        return suffix == ".json"
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return "hits" in pq.read_schema(path).names
    except (OSError, pa.ArrowInvalid):
        return False  # the reader of traces says what is wrong


def _matched(
    firsts: "Sequence[Curve]", seconds: "Sequence[Curve]", args: argparse.Namespace
) -> "list[tuple[Curve, Curve]]":
    """Return pairs of curves: the only two, or those of equal names.

    Raises:
        UserError: a curve without counterpart, or two of one name.
    """
    if len(firsts) == len(seconds) == 1:
        return [(firsts[0], seconds[0])]
    for curves, others, path, other_path in (
        (firsts, seconds, args.first, args.second),
        (seconds, firsts, args.second, args.first),
    ):
        names = [curve.name for curve in curves]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UserError(
                f"several curves are named {', '.join(map(repr, twice))}", where=path, remedy="rename them"
            )
        if missing := sorted(set(names) - {other.name for other in others}):
            raise UserError(
                f"has no curve named {', '.join(map(repr, missing))}, as {path} has",
                where=other_path,
                remedy="compare files with curves of equal names, or with one curve each",
            )
    by_name = {curve.name: curve for curve in seconds}
    return [(curve, by_name[curve.name]) for curve in firsts]


def _is_above(args: argparse.Namespace, difference: "CurveDifference") -> bool:
    found = difference.mean if args.mean else difference.largest
    return args.tolerance is not None and found > args.tolerance


def _rows(pairs: "Sequence[Pair]", above: Sequence[bool]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for (first, second, difference), is_above in zip(pairs, above, strict=True):
        at = difference.memory_bytes.tolist().index(difference.largest_at_bytes)
        rows.append(
            {
                "name": first.name,
                "other_name": second.name,
                "sizes": int(difference.memory_bytes.size),
                "mean_difference": difference.mean,
                "largest_difference": difference.largest,
                "largest_at_bytes": difference.largest_at_bytes,
                "miss_ratio": float(difference.miss_ratios[0, at]),
                "other_miss_ratio": float(difference.miss_ratios[1, at]),
                "above_tolerance": is_above,
            }
        )
    return rows


def _table(args: argparse.Namespace, pairs: "Sequence[Pair]", above: Sequence[bool]) -> str:
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
    for row in _rows(pairs, above):
        bytes_at = int(str(row["largest_at_bytes"]))
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
    if args.tolerance is not None:
        what = "mean" if args.mean else "largest"
        failed = [str(row["name"]) for row in _rows(pairs, above) if row["above_tolerance"]]
        verdict = f"above it: {', '.join(failed)}" if failed else "none is above it"
        lines += ["", f"tolerance of the {what} difference {args.tolerance:g}: {verdict}"]
    return "\n".join(lines)
