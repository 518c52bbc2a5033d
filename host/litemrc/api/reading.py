# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.read`: curves from files."""

from __future__ import annotations  # help() shows the names of types

from os import PathLike
from pathlib import Path

from litemrc.curves.curve import Curves
from litemrc.epochs.curve_files import read_curves


def read(path: str | PathLike[str], page_bytes: int | None = None, *, tail: bool = True) -> Curves:
    """Read all curves in a file.

    Parameters
    ----------
    path
        a Parquet file of `litemrc collect` or `litemrc demo`, with a curve for each process or context
        that has data; or JSON of `litemrc mrc --json` or `litemrc curve --json`.
    page_bytes
        page size of JSON that does not contain it; None: such a file is refused.
    tail
        with refaults of evicted pages, which extend a curve beyond the memory that was resident
        (`Curve.tail`); false: curves of the hardware's counters alone.

    Raises
    ------
    UserError
        no such file, a file of another kind, damaged, without data, without a page size or with
        another one; JSON with refaults, which cannot be left out.
    """
    return Curves(read_curves(Path(path), page_bytes, tail=tail))
