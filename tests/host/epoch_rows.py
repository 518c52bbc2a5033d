# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of epoch tables share: the parameters of a small monitor, and rows."""

from collections.abc import Iterable
from types import SimpleNamespace

from litemrc.epochs.columns import COLUMNS, Rows, make_rows

PARAMETERS = {
    "page_bytes": 4096,
    "frames": 64,
    "engine": "group_stack",
    "pages": 64,
    "groups": 4,
    "contexts": 8,
    "recent_pages": 4,
}


def row(**counters: object) -> Rows:
    """One row with these counters, and 0 in other columns, so that every page takes part by default."""
    lists = (len(counters.get(name, ())) for name in ("hits", "tail"))
    return make_rows({name: [value] for name, value in counters.items()}, 1, *lists)


def changed(rows: Rows, **columns: object) -> Rows:
    """A copy of rows with other values in these columns."""
    rows = rows.copy()
    for name, values in columns.items():
        rows[name] = values
    return rows


def each_row(parts: Iterable[Rows]) -> list[SimpleNamespace]:
    """The rows of all parts, with their columns as attributes, in Python's numbers."""
    return [
        SimpleNamespace(**{name: rows[name][place].tolist() for name in COLUMNS})
        for rows in parts
        for place in range(rows.size)
    ]
