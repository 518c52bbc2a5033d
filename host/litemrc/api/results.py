# SPDX-License-Identifier: BSD-2-Clause
"""What the functions of the API return: numbers with a table and a picture."""

from __future__ import annotations  # help() shows the names of types

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from litemrc.extras import require

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
_SHOWN = 10  # rows of a table in a notebook


class Result:
    """A result with a table and a picture; `rows`, `figure` and `summary` are those of its kind."""

    def rows(self) -> Sequence[Row]:
        """Return the table, a row for each line of the command's --csv: values by column."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the result in one line."""
        raise NotImplementedError

    def _figure(self) -> Figure:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas.DataFrame.

        Raises
        ------
        UserError
            pandas is not installed.
        """
        require("pandas")
        import pandas as pd

        return pd.DataFrame([dict(row) for row in self.rows()])

    def plot(self) -> Figure:
        """Return the command's picture as a figure of matplotlib.

        Raises
        ------
        UserError
            matplotlib is not installed.
        """
        require("plot")
        return self._figure()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture as PNG or SVG, by the suffix of `path`.

        Raises
        ------
        UserError
            matplotlib is not installed, another suffix, or the file cannot be written.
        """
        figure = self.plot()
        from litemrc.plots.files import save_figure

        save_figure(figure, fspath(path))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.summary())}</p>{html_table(self.rows())}"


def html_table(rows: Sequence[Row]) -> str:
    """Return the first rows as a table of HTML."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    lines = [
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row.values())}</tr>"
        for row in rows[:_SHOWN]
    ]
    left = f"<p>and {len(rows) - _SHOWN:,} rows more</p>" if len(rows) > _SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>{left}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
