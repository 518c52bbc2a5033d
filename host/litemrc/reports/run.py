# SPDX-License-Identifier: BSD-2-Clause
"""The report of a run: one self-contained HTML file."""

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

import jinja2
import numpy as np

from litemrc.checks.comparison import Comparison, ContextAccuracy
from litemrc.curves.drawing import shown_sizes
from litemrc.curves.sizes import EPSILON, size_text
from litemrc.energy.rank_energy import RankEnergy
from litemrc.epochs.accesses_text import all_accesses_text
from litemrc.epochs.table import EpochTable
from litemrc.files.outputs import check_output_path, replacing
from litemrc.plots.curves import curves_figure, epochs_figure, panels_figure
from litemrc.plots.files import inline_svg
from litemrc.plots.rank_timeline import ranks_figure
from litemrc.ranks.activity import LABELS
from litemrc.ranks.table import RankTable

LONGEST_LIST = 1000  # most rows of an epoch table that a report lists


def write_report(
    path: str | Path,
    table: EpochTable,
    *,
    title: str,
    parameters: Mapping[str, object] | None = None,
    comparison: Comparison | None = None,
    accuracy: Sequence[ContextAccuracy] = (),
    ranks: tuple[RankTable, RankEnergy] | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Write the HTML report of an epoch table: curves, counters, parameters, drops, link and verdict.

    Parameters
    ----------
    path
        the file to write, *.html.
    title
        headline of the report.
    parameters
        further rows of the parameter table, by name; those of the monitor come from `table`.
    comparison
        result of the comparison with the golden model; None: nothing was compared.
    accuracy
        exact curves beside the estimated ones, if known.
    ranks
        counters and energy of the power domains; None: the report omits them.
    texts
        further sections, such as the log of a console, by heading.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    path = check_output_path(path, (".html",))
    environment = page_environment()

    def size(pages: float, digits: int = 4) -> str:
        return size_text(pages, table.page_bytes, digits)

    environment.filters |= {
        "ratio": lambda ratio: "-" if isnan(ratio) else f"{ratio:.4f}",
        "size": size,
        "millijoules": lambda mj: f"{mj:,.{ranks[1].decimals if ranks else 0}f}",
        "words": lambda name: str(name).replace("_", " "),
    }
    template = environment.get_template("run.html.j2")
    owners = table.owners_with_data
    curves = [table.curve(owner) for owner in owners]
    page = template.render(
        title=title,
        table=table,
        total=table.curve(),
        evicting=any(curve.tail and curve.tail.evicts for curve in curves),
        epochs=len(set(table.epoch.tolist())),
        owned_curves=list(zip(owners, curves, strict=True)),
        sizes=shown_sizes(curves) if curves else [],
        epsilon=EPSILON,
        parameters={
            "engine": table.engine,
            "pages of the engine": f"{table.pages:,}",
            "recent pages": table.recent_pages,
            "sampling": f"1 page of {1 << table.scale}" if table.scale else "off",
            "page": f"{table.page_bytes:,} bytes",
            "frames": f"{table.frames:,} ({size_text(table.frames, table.page_bytes)})",
            "groups": table.groups,
            "group": f"{table.group_pages:,} pages ({size_text(table.group_pages, table.page_bytes)})",
            "contexts": table.contexts,
            **(parameters or {}),
        },
        comparison=comparison,
        accuracy=accuracy,
        ranks=ranks,
        power_states=LABELS,
        texts=texts or {},
        all_accesses=all_accesses_text(table),
        working_sets={owner: list(table.working_set(owner).values()) for owner in owners},
        rows=_rows(table),
        figures=(_figures(table, accuracy) if curves else {}) | (_ranks_figure(*ranks) if ranks else {}),
    )
    with replacing(path) as partial:
        partial.write_text(page, "utf-8")


def page_environment(package: str = "litemrc.reports") -> jinja2.Environment:
    """Return the environment of the report templates of a package; all extend `page.html.j2` of this one."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(each, "") for each in (package, "litemrc.reports")]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _rows(table: EpochTable) -> list[dict[str, int | str]]:
    """Return the rows of the table; none if there are more than `LONGEST_LIST`."""
    if table.epoch.size > LONGEST_LIST:
        return []
    table = table.together()
    names = ("epoch", "context", "accesses", "misses", "working_set_pages")
    columns = [getattr(table, name).tolist() for name in names]
    owners = np.full(table.epoch.size, "", dtype=object)
    for owner in table.owners_with_data:
        owners[table.rows_of(owner)] = table.name_of(owner)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    return [
        row | {"owner": owner or table.name_of(row["context"])}
        for row, owner in zip(rows, owners, strict=True)
    ]


def _figures(table: EpochTable, accuracy: Sequence[ContextAccuracy]) -> dict[str, str]:
    exact = {each.context: each.exact for each in accuracy}
    names = ", ".join(table.name_of(owner) for owner in table.owners_with_data)
    figures = {
        "curves": (curves_figure(table), f"Miss ratio over memory size of {names}"),
        "panels": (
            panels_figure(table, exact),
            f"Miss ratio over memory size, one panel for each of {names}",
        ),
        "epochs": (
            epochs_figure(table),
            f"Accesses, working-set sizes and miss ratios over the epochs, for {names}",
        ),
    }
    return {
        name: inline_svg(figure, name=name, description=description)
        for name, (figure, description) in figures.items()
    }


def _ranks_figure(table: RankTable, energy: RankEnergy) -> dict[str, str]:
    description = "States of each power domain over time, and its energy by component"
    return {"ranks": inline_svg(ranks_figure(table, energy), name="ranks", description=description)}
