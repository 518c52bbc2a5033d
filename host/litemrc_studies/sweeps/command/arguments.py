"""The command line of a point: parameters become options, --set KEY=VALUE, and queries of trace URLs."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from litemrc.errors import UserError

from litemrc_studies.sweeps.command.machines import SET, TRACE, parameters_of
from litemrc_studies.sweeps.ranges import Scalar, Value

FILES = ("trace", "scenario", "costs", "part")
"""Parameters that name files."""
_GENERATED, _URL = "gen:", "://"


def arguments_of(machine: str, values: Mapping[str, Value], folder: Path) -> tuple[str, ...]:
    """Return the arguments of a machine's command.

    Parameters:
        values: of parameters that `check_name` accepts.
        folder: that of the sweep file; paths are relative to it.

    Raises:
        UserError: a value has no place in a command line.
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

    Raises:
        UserError: the path is that of standard input.
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
