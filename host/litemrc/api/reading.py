"""`litemrc.read`: curves from files."""

from os import PathLike
from pathlib import Path

from litemrc.curves.curves import Curves
from litemrc.epochs.curve_files import read_curves


def read(path: str | PathLike[str]) -> Curves:
    """Read all curves in a file.

    Parameters:
        path: a Parquet file of `litemrc collect` or `litemrc demo`, with a curve for each process or context
            that has data; or JSON of `litemrc mrc --json` or `litemrc curve --json`, with one curve.

    Raises:
        UserError: no such file, a file of another kind, damaged or without data.
    """
    return Curves(read_curves(Path(path)))
