# SPDX-License-Identifier: BSD-2-Clause
"""What `litemrc sweep` prints: the first rows of its table, or all as JSON or CSV."""

import io
import json
import math
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from litemrc.cli.shared.messages import warning
from litemrc.cli.shared.results import csv_text
from litemrc.texts import printable

from litemrc_studies.sweeps.sweep_file import Sweep
from litemrc_studies.sweeps.table import ERROR, RESULT, SECONDS, TableSummary, read_rows

SHOWN_ROWS = 20
_WIDTH = 110  # without a terminal
_FAILURES = 5


def sweep_table(sweep: Sweep, out: Path, summary: TableSummary) -> str:
    """Return the first rows, with the parameters that vary and the results that there is room for."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    rows = list(read_rows(out, SHOWN_ROWS))
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    names = _columns(sweep, summary, rows, width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        text = any(isinstance(row[name], str) for row in rows)
        table.add_column(name, justify="left" if text else "right", no_wrap=name != ERROR)
    for row in rows:
        table.add_row(*(_shown(row[name]) for name in names))
    console = Console(file=io.StringIO(), width=width, color_system=None, markup=False)
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [_head(sweep, out, summary), *(line.rstrip() for line in text.splitlines())]
    hidden = len(summary.parameters) + len(summary.results) - len([name for name in names if name != ERROR])
    more = [f"{summary.rows - len(rows):,} more rows"] * (summary.rows > len(rows))
    more += [f"{hidden} more columns"] * (hidden > 0)
    if more:
        lines.append(f"{' and '.join(more)} in {out}")
    return "\n".join([*lines, *_failures(out, summary)])


def sweep_json(sweep: Sweep, out: Path, summary: TableSummary, *, interrupted: bool) -> Iterator[str]:
    """Yield the object of --json in pieces."""
    facts = {
        "title": sweep.title,
        "command": sweep.command,
        "out": str(out),
        "points": summary.points,
        "done": summary.done,
        "failed": summary.failed,
        "parameters": summary.parameters,
        "interrupted": interrupted,
    }
    yield json.dumps(facts)[:-1] + ', "results": ['
    for number, row in enumerate(read_rows(out)):
        yield ", " * (number > 0) + json.dumps({name: _finite(value) for name, value in row.items()})
    yield "]}\n"


def sweep_csv(out: Path) -> Iterator[str]:
    """Yield the table as CSV in pieces."""
    rows = read_rows(out)
    header = True
    while some := list(islice(rows, 4096)):
        text = csv_text(some)
        yield (text if header else text.partition("\n")[2]) + "\n"
        header = False


def _columns(sweep: Sweep, summary: TableSummary, rows: Sequence[dict[str, Any]], width: int) -> list[str]:
    """Return the columns to show: what varies, then what `show` names or there is room for."""
    names = [name for name in sweep.varying if any(row[name] is not None for row in rows)]
    known = {*summary.parameters, *summary.results, SECONDS}
    for name in sweep.show:
        if name not in known:
            warning(f"show: no column is named {name!r}; there are {', '.join(sorted(known))}")
    failed = [ERROR] if any(row[ERROR] for row in rows) else []
    if sweep.show:
        return [*names, *(name for name in sweep.show if name in known and name not in names), *failed]
    room = width - sum(_width(name, rows) for name in names) - (40 if failed else 0)
    for name in summary.results:
        # The parameter policy, if it has one part, shows what result_policy does.
        parameter = name.removeprefix(RESULT) if name.startswith(RESULT) else None
        if all(row[name] is None or (parameter and row[name] == row[parameter]) for row in rows):
            continue
        room -= _width(name, rows)
        if room < 0:
            break
        names.append(name)
    return [*names, *failed]


def _width(name: str, rows: Iterable[dict[str, Any]]) -> int:
    return 2 + max(len(name), *(len(_shown(row[name])) for row in rows), 0)


def _head(sweep: Sweep, out: Path, summary: TableSummary) -> str:
    done = "" if summary.done == summary.points else f"{summary.done:,} of "
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    title = sweep.title or sweep.path.stem
    return (
        f"{title}: {done}{summary.points:,} points of {sweep.command}{failed}; {summary.rows:,} rows in {out}"
    )


def _failures(out: Path, summary: TableSummary) -> list[str]:
    if not summary.failed:
        return []
    found = list(islice((row for row in read_rows(out) if row[ERROR]), _FAILURES))
    lines = [f"failed: point {row['point']}, {_parameters(row, summary)}: {row[ERROR]}" for row in found]
    more = summary.failed - len(found)
    return lines + [f"failed: {more:,} more; column {ERROR} has the reasons"] * (more > 0)


def _parameters(row: dict[str, Any], summary: TableSummary) -> str:
    return ", ".join(f"{name}={row[name]}" for name in summary.parameters if row[name] is not None)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.5g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value))


def _finite(value: Any) -> Any:
    """Return None for numbers that JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
