# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.compare`: the difference of miss-ratio curves."""

from __future__ import annotations  # help() shows the names of types

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.api.engines import EngineChoice
from litemrc.api.measuring import mrc_by_context
from litemrc.api.results import Result
from litemrc.api.sources import Source
from litemrc.curves.curve import Curve, CurveDifference, Curves
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pair = tuple[Curve, Curve, CurveDifference]


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Result):
    """Curves of two sources, compared in pairs.

    Attributes
    ----------
    pairs
        first curve, second curve, their difference.
    tolerance
        of the largest difference, or of the mean one; None: none.
    mean
        whether the tolerance is of the mean absolute difference.
    """

    pairs: tuple[Pair, ...]
    tolerance: float | None = None
    mean: bool = False

    @property
    def largest(self) -> float:
        """Largest absolute difference of all pairs."""
        return max(difference.largest for _, _, difference in self.pairs)

    @property
    def above_tolerance(self) -> list[str]:
        """Names of the first curves of the pairs whose difference is above the tolerance."""
        return [row["name"] for row in self.rows() if row["above_tolerance"]]

    def document(self) -> dict[str, Any]:
        """Return the object of `litemrc compare --json`."""
        return {"curves": self.rows(), "tolerance": self.tolerance}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair; miss ratios are those at the largest difference."""
        rows = []
        for first, second, difference in self.pairs:
            at = difference.memory_bytes.tolist().index(difference.largest_at_bytes)
            found = difference.mean if self.mean else difference.largest
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
                    "above_tolerance": self.tolerance is not None and found > self.tolerance,
                }
            )
        return rows

    def summary(self) -> str:
        """Return the largest difference in one line."""
        first, _, most = max(self.pairs, key=lambda pair: pair[2].largest)
        where = f"at {size_text(most.largest_at_bytes, 1)}"
        pairs = f" of {first.name!r}, of {len(self.pairs)} pairs" if len(self.pairs) > 1 else ""
        verdict = "" if self.tolerance is None else f"; {len(self.above_tolerance)} above {self.tolerance:g}"
        return f"largest difference {most.largest:.4g} {where}{pairs}{verdict}"

    def _figure(self) -> Figure:
        from litemrc.plots.mrc import difference_figure

        return difference_figure(self.pairs, tolerance=self.tolerance)


def compare(
    a: Curve | Curves | Source,
    b: Curve | Curves | Source,
    *,
    tolerance: float | None = None,
    mean: bool = False,
    engine: str | EngineChoice = "exact",
    page_bytes: int | None = None,
) -> ComparisonResult:
    """Compare the miss-ratio curves of two sources, as `litemrc compare` does.

    Two curves are compared if each source has one; otherwise curves of equal names. Curves of different page
    sizes are compared in bytes.

    Parameters
    ----------
    a, b
        `Curve`, `Curves`, a file of curves, or a trace as in `litemrc.mrc`, which is measured.
    tolerance
        of the largest absolute difference of miss ratios, 0 to 1; see `above_tolerance`.
    mean
        the tolerance is of the mean absolute difference.
    engine
        that measures traces, as in `litemrc.mrc`.
    page_bytes
        as in `litemrc.mrc` and `litemrc.read`.

    Raises
    ------
    UserError
        a curve without counterpart, no size in common, a tolerance out of range, or a source that
        cannot be read.
    """
    if tolerance is not None and not 0 <= tolerance <= 1:
        raise UserError(f"the tolerance must be 0 to 1 (got {tolerance})", remedy="give a miss ratio")
    if mean and tolerance is None:
        raise UserError("mean is given without tolerance", where="litemrc.compare", remedy="give tolerance")

    def curves(source: Curve | Curves | Source) -> list[Curve]:
        if isinstance(source, Curve):
            return [source]
        if isinstance(source, Curves):
            return list(source.values())
        if isinstance(source, str | PathLike) and holds_curves(source):
            return stored_curves(source, page_bytes)
        return list(mrc_by_context(source, engine, page_bytes).values())

    names = [
        fspath(each) if isinstance(each, str | PathLike) else name for each, name in ((a, "a"), (b, "b"))
    ]
    return compared(curves(a), curves(b), names[0], names[1], tolerance=tolerance, mean=mean)


def compared(
    firsts: Sequence[Curve],
    seconds: Sequence[Curve],
    first_name: str,
    second_name: str,
    *,
    tolerance: float | None,
    mean: bool,
) -> ComparisonResult:
    """Compare curves in pairs; the names are those of their sources, for messages.

    Raises
    ------
    UserError
        a curve without counterpart, or two of one name; no size in common.
    """
    pairs = _matched(firsts, seconds, first_name, second_name)
    return ComparisonResult(
        tuple((first, second, first.difference(second)) for first, second in pairs), tolerance, mean
    )


def holds_curves(path: str | PathLike[str]) -> bool:
    """Return whether a file holds curves: JSON, or Parquet with hit counters."""
    suffix = Path(path).suffix.lower()
    if suffix != ".parquet":
        return suffix == ".json"
    import pyarrow as pa

    from litemrc.files.parquet import open_parquet

    try:
        with open_parquet(path) as file:
            return "hits" in file.schema_arrow.names
    except (OSError, pa.ArrowInvalid):
        return False  # the reader of traces says what is wrong


def stored_curves(path: str | PathLike[str], page_bytes: int | None) -> list[Curve]:
    """Return the curves in a file.

    Raises
    ------
    UserError
        as `litemrc.read`.
    """
    from litemrc.epochs.curve_files import read_curves  # pyarrow takes long to load

    return read_curves(Path(path), page_bytes)


def _matched(
    firsts: Sequence[Curve], seconds: Sequence[Curve], first_name: str, second_name: str
) -> list[tuple[Curve, Curve]]:
    if len(firsts) == len(seconds) == 1:
        return [(firsts[0], seconds[0])]
    for curves, others, path, other_path in (
        (firsts, seconds, first_name, second_name),
        (seconds, firsts, second_name, first_name),
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
