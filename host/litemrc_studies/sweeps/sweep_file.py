# SPDX-License-Identifier: BSD-2-Clause
"""Reads sweep files: a command, fixed arguments, and grids of parameters; sweeps/README.md has the keys."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from litemrc.files.toml_table import KeyPath, TomlTable, line_of

from litemrc_studies.sweeps.ranges import Value, checked, is_range, values_of

MOST_POINTS = 1_000_000
_TOP = ("title", "command", "fixed", "grid", "show", "plot")
_PLOT = ("x", "y", "lines", "panels")
_ZIP = "zip"


@dataclass(frozen=True)
class Grid:
    """Values of parameters, combined each with each.

    Attributes
    ----------
    axes
        for each axis the values of its parameters: one, or several that advance together.
    paths
        of each parameter, the keys that lead to it in the file.
    """

    axes: tuple[Mapping[str, list[Value]], ...]
    paths: Mapping[str, KeyPath]

    @property
    def size(self) -> int:
        """The number of its points."""
        return math.prod(len(next(iter(axis.values()))) for axis in self.axes)

    def points(self) -> Iterator[dict[str, Value]]:
        """Yield the parameters of each point; those of the last axis change first."""
        rows = [
            [dict(zip(axis, values, strict=True)) for values in zip(*axis.values(), strict=True)]
            for axis in self.axes
        ]
        for parts in product(*rows):
            point: dict[str, Value] = {}
            for part in parts:
                point |= part
            yield point


@dataclass(frozen=True)
class Sweep:
    """The contents of a sweep file.

    Attributes
    ----------
    path, text
        of the file.
    title
        what the sweep is about; may be empty.
    command
        whose arguments are swept.
    fixed
        arguments of all points.
    grids
        one after the other.
    show
        columns of results that are shown; empty: as many as there is room for.
    plot
        columns of a picture: x, y, and perhaps lines and panels; empty: none is described.
    """

    path: Path
    text: str
    title: str
    command: str
    fixed: Mapping[str, Value]
    fixed_paths: Mapping[str, KeyPath]
    grids: tuple[Grid, ...]
    show: tuple[str, ...]
    plot: Mapping[str, str]

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters of all grids."""
        return list(dict.fromkeys(name for grid in self.grids for name in grid.paths))

    @property
    def varying(self) -> list[str]:
        """The names of the parameters that have several values, or not the same in all grids."""
        values: dict[str, set[str]] = {}
        for grid in self.grids:
            for axis in grid.axes:
                for name, each in axis.items():
                    values.setdefault(name, set()).update(map(str, each))
        everywhere = [name for name in values if all(name in grid.paths for grid in self.grids)]
        return [name for name in values if len(values[name]) > 1 or name not in everywhere]

    def place(self, name: str, grid: Grid | None = None) -> str:
        """Return file and line of a parameter; in one grid, or in any, or of a fixed argument."""
        grids = self.grids if grid is None else (grid,)
        paths = [each.paths[name] for each in grids if name in each.paths]
        path = paths[0] if paths else self.fixed_paths.get(name)
        line = line_of(self.text, path) if path else None
        return f"{self.path}:{line or 1}"


def read_sweep(path: str | Path, commands: Mapping[str, Any]) -> Sweep:
    """Read a sweep file.

    Parameters
    ----------
    commands
        those that can be swept, by name.

    Raises
    ------
    UserError
        the file cannot be read, or a key is wrong; with file and line.
    """
    top = TomlTable.read(path)
    top.check_keys(_TOP)
    command = top.text("command", of=commands)
    fixed_table = top.table("fixed")
    fixed = {
        name: checked(table, key, table.content[key])
        for name, table, key in _leaves(fixed_table, ranges=False)
    }
    paths = {name: (*table.path, key) for name, table, key in _leaves(fixed_table, ranges=False)}
    if isinstance(top.content.get("grid"), list):
        tables = top.tables("grid")
    else:
        tables = [top.table("grid")] if top.has("grid") else []
    grids = tuple(_grid(table, fixed) for table in tables)
    if not grids:
        raise top.wrong("grid", "is missing", "a table [grid] with the parameters to sweep")
    points = sum(grid.size for grid in grids)
    if points > MOST_POINTS:
        raise top.wrong("grid", f"has {points:,} points", f"at most {MOST_POINTS:,}")
    show = top.content.get("show", [])
    if not isinstance(show, list) or not all(isinstance(name, str) for name in show):
        raise top.wrong("show", f"is {show!r}", "a list of names of columns")
    title = top.text("title") if top.has("title") else ""
    return Sweep(Path(path), top.file[1], title, command, fixed, paths, grids, tuple(show), _plot(top))


def _plot(top: TomlTable) -> dict[str, str]:
    if not top.has("plot"):
        return {}
    table = top.table("plot")
    table.check_keys(_PLOT)
    return {key: table.text(key) for key in _PLOT if key in _PLOT[:2] or table.has(key)}


def _grid(table: TomlTable, fixed: Mapping[str, Value]) -> Grid:
    values: dict[str, list[Value]] = {}
    paths: dict[str, KeyPath] = {}
    for name, holder, key in _leaves(table, ranges=True):
        if name == _ZIP:
            continue
        if name in fixed:
            raise holder.wrong(key, "is also in [fixed]", "one of the two")
        values[name], paths[name] = values_of(holder, key), (*holder.path, key)
    if not values:
        raise table.wrong(None, "has no parameters", "a list of values for each parameter")
    axes: list[dict[str, list[Value]]] = []
    grouped = {name: group for group in _zipped(table, values) for name in group}
    for name in values:
        group = grouped.get(name, [name])
        if name == next(each for each in values if each in group):
            axes.append({each: values[each] for each in group})
    return Grid(tuple(axes), paths)


def _zipped(table: TomlTable, values: Mapping[str, list[Value]]) -> list[list[str]]:
    """Return the groups of parameters that advance together."""
    groups = table.content.get(_ZIP, [])
    if groups and isinstance(groups, list) and all(isinstance(each, str) for each in groups):
        groups = [groups]
    expected = 'names of this grid that advance together, such as [["memory", "seed"]]'
    seen: set[str] = set()
    if not isinstance(groups, list):
        raise table.wrong(_ZIP, f"is {groups!r}", expected)
    for group in groups:
        if not isinstance(group, list) or len(group) < 2 or not all(isinstance(each, str) for each in group):
            raise table.wrong(_ZIP, f"has {group!r}", expected)
        for name in group:
            if name not in values or name in seen:
                what = f"{name!r} stands there twice" if name in seen else f"{name!r} is none of this grid"
                raise table.wrong(_ZIP, what, expected)
            seen.add(name)
        lengths = {name: len(values[name]) for name in group}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise table.wrong(_ZIP, f"{counts} values", "as many of each")
    return groups


def _leaves(table: TomlTable, *, ranges: bool, prefix: str = "") -> Iterator[tuple[str, TomlTable, str]]:
    """Yield dotted name, table and key of each parameter; tables of parameters may be nested.

    Raises
    ------
    UserError
        a table has no keys, or is a range where there is none.
    """
    for key, content in table.content.items():
        name = prefix + key
        if isinstance(content, dict) and not (ranges and is_range(content)):
            if is_range(content):
                raise table.wrong(key, "is a range", "one value; ranges belong in [grid]")
            if not content:
                raise table.wrong(key, "has no keys", "a value")
            yield from _leaves(table.table(key), ranges=ranges, prefix=f"{name}.")
        else:
            yield name, table, key
