# SPDX-License-Identifier: BSD-2-Clause
"""All points of a sweep file, each checked before the first one runs: command line, files that it reads."""

import argparse
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import reported
from litemrc.cluster.build import native_build
from litemrc.errors import UserError

from litemrc_studies.shared.scenarios import scenario_path
from litemrc_studies.sweeps.batch import build
from litemrc_studies.sweeps.command.machines import SET, TRACE, check_name, check_point, parameters_of
from litemrc_studies.sweeps.point import Input, Point, input_of
from litemrc_studies.sweeps.ranges import Scalar, Value
from litemrc_studies.sweeps.sweep_file import Grid, Sweep

FILES = ("trace", "scenario", "costs", "part")
"""Parameters that name files."""
_GENERATED, _URL = "gen:", "://"


def arguments_of(machine: str, values: Mapping[str, Value], folder: Path) -> tuple[str, ...]:
    """Return the arguments of a machine's command.

    Parameters
    ----------
    values
        of parameters that `check_name` accepts.
    folder
        that of the sweep file; paths are relative to it.

    Raises
    ------
    UserError
        a value has no place in a command line.
    """
    known = parameters_of(machine)
    query = {name.removeprefix(TRACE): value for name, value in values.items() if name.startswith(TRACE)}
    if query and "trace" not in values:
        raise UserError(f"{TRACE}{next(iter(query))}: there is no trace", remedy="give trace, a gen: URL")
    positional: list[str] = []
    options: list[str] = []
    for name, value in values.items():
        if name.startswith(SET):
            options += ["--set", f"{name.removeprefix(SET)}={_toml(value)}"]
        elif not name.startswith(TRACE):
            words = [_word(name, part) for part in parts_of(value)] if known[name].nargs != 0 else []
            if name in FILES:
                words = [path_of(name, word, folder) for word in words]
            if name == "trace" and query:
                words = [_with_query(word, query) for word in words]
            if known[name].option_strings:
                options += _option(known[name], name, value, words)
            else:
                positional += words
    return (*positional, *options)


def parts_of(value: Value) -> list[Scalar]:
    """Return the parts of a value: its own, or itself."""
    return value if isinstance(value, list) else [value]


def path_of(name: str, text: str, folder: Path) -> str:
    """Return an absolute path; URLs, shipped scenarios and names of parts stay as they are.

    Raises
    ------
    UserError
        the path is that of standard input.
    """
    if text == "-":
        raise UserError(f"{name}: standard input cannot be read by each point", remedy="save it in a file")
    named = name in ("scenario", "part") and not (folder / text).exists()
    return text if named or text.startswith(_GENERATED) or _URL in text else str((folder / text).absolute())


def _option(action: argparse.Action, name: str, value: Value, words: list[str]) -> list[str]:
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UserError(f"{name}: is {value!r}", remedy="give true or false")
        return [f"--{name}"] if value else []
    if isinstance(action, argparse._AppendAction):
        return [f"--{name}={word}" for word in words]
    return [f"--{name}={','.join(words)}"]


def _with_query(trace: str, query: Mapping[str, Value]) -> str:
    """Return the URL of a generated trace with parameters replaced or added."""
    if not trace.startswith(_GENERATED):
        name = f"{TRACE}{next(iter(query))}"
        raise UserError(f"{name}: {trace} is no generated trace", remedy="give a gen: URL as trace")
    program, _, parts = trace.partition("?")
    kept = [part for part in parts.split("&") if part and part.partition("=")[0] not in query]
    added = [
        urlencode({name: _word(TRACE + name, part)})
        for name, value in query.items()
        for part in parts_of(value)
    ]
    return f"{program}?{'&'.join([*kept, *added])}"


def _word(name: str, value: Scalar) -> str:
    if isinstance(value, bool) or value == "":
        raise UserError(f"{name}: is {value!r}", remedy="give a number or a text")
    return str(value)


def _toml(value: Value) -> str:
    """Return a value as TOML; its texts are those of JSON, but for DEL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def inputs_of(values: Mapping[str, Value], folder: Path) -> Iterator[Input]:
    """Yield the files that a point reads, each once; a file that is not there is the command's to report.

    Parameters
    ----------
    values
        of its parameters.
    folder
        that of the sweep file.
    """
    paths: dict[str, None] = {}
    for name in FILES:
        for part in parts_of(values.get(name, [])):
            path = path_of(name, str(part), folder)
            # Only trays has scenarios in a folder of their own; no name is in both places.
            paths[str(scenario_path(path, "trays")) if name == "scenario" else path] = None
            if name == "scenario":
                changes = [value for key, value in values.items() if key.startswith(SET)]
                paths |= dict.fromkeys(_files_within(Path(next(reversed(paths))), changes))
    yield from filter(None, map(input_of, paths))


def _files_within(scenario: Path, changes: list[Value]) -> Iterator[str]:
    """Yield the files that texts in a scenario, or in changes of it, name relative to its folder."""
    contents: list[Any] = [*_texts(scenario)]
    contents += [part for change in changes for part in parts_of(change) if isinstance(part, str)]
    for text in contents:
        path = scenario.parent / text
        if len(text) < 4096 and "\n" not in text and input_of(str(path)):
            yield str(path)


def _texts(scenario: Path) -> tuple[str, ...]:
    found = input_of(str(scenario))
    return _texts_in(found.path, found.digest) if found else ()


@lru_cache(maxsize=256)
def _texts_in(path: str, digest: str) -> tuple[str, ...]:
    """Return all texts in a TOML file; `digest` tells its contents apart."""
    try:
        contents: list[Any] = [tomllib.loads(Path(path).read_text("utf-8"))]
    except (OSError, ValueError):
        return ()  # the command reports it
    texts: dict[str, None] = {}
    while contents:
        content = contents.pop()
        if isinstance(content, str):
            texts[content] = None
        elif isinstance(content, dict | list):
            contents += content.values() if isinstance(content, dict) else content
    return tuple(texts)


def points_of(sweep: Sweep) -> list[tuple[str, Point]]:
    """Return the points of a sweep, each once, with their keys.

    Raises
    ------
    UserError
        a parameter is unknown, or the command would refuse a point; with the line of the sweep
        file, and the point.
    """
    for name in (*sweep.fixed, *sweep.parameters):
        try:
            check_name(sweep.command, name)
        except UserError as error:
            raise UserError(error.what, where=sweep.place(name), remedy=error.remedy) from error
    # Of this machine: workers compare their sources with `build`, and may have other processors.
    code = f"{build()} {native_build('litemrc.native._core', 'litemrc_studies._core')} {sweep.command}"
    points: dict[str, tuple[str, Point]] = {}
    total = sum(grid.size for grid in sweep.grids)
    seen = 0

    def state() -> tuple[str, float]:
        return f"{seen:,} of {total:,} points", seen / total

    with closing(reported(_parameters(sweep), "checking", state)) as each:
        for grid, parameters in each:
            point = _point(sweep, grid, len(points), parameters)
            points.setdefault(repr(point.arguments), (point.key(code), point))
            seen += 1
    if seen > len(points):
        note(f"{seen - len(points):,} points are given more than once; each runs once")
    return list(points.values())


def _parameters(sweep: Sweep) -> Iterator[tuple[Grid, dict[str, Value]]]:
    return ((grid, parameters) for grid in sweep.grids for parameters in grid.points())


def _point(sweep: Sweep, grid: Grid, number: int, parameters: dict[str, Value]) -> Point:
    values = {**sweep.fixed, **parameters}
    folder = sweep.path.parent
    try:
        arguments = arguments_of(sweep.command, values, folder)
        check_point(sweep.command, arguments)
    except UserError as error:
        name = _blamed(error, values)
        place = sweep.place(name, grid if name in grid.paths else None) if name else str(sweep.path)
        shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
        further = f"; {error.where}" if error.where and not error.where.startswith("--set") else ""
        raise UserError(
            error.what, where=f"{place}, point {number}: {shown}{further}", remedy=error.remedy
        ) from error
    return Point(number, parameters, arguments, tuple(inputs_of(values, folder)))


def _blamed(error: UserError, values: Mapping[str, Value]) -> str | None:
    """Return the parameter that an error is about; None: it does not say."""
    for name in values:
        change = f"--set {name.removeprefix(SET)}="
        option = error.where in (name, f"--{name}") or error.what.startswith((f"{name}:", f"--{name} "))
        if option or (name.startswith(SET) and error.where.startswith(change)):
            return name
    return None
