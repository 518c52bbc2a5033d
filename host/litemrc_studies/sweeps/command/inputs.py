"""The files that a point reads: named by its parameters, or by texts in its scenario."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from litemrc_studies.shared.scenarios import scenario_path
from litemrc_studies.sweeps.command.arguments import FILES, parts_of, path_of
from litemrc_studies.sweeps.command.machines import SET
from litemrc_studies.sweeps.inputs import Input, input_of
from litemrc_studies.sweeps.ranges import Value


def inputs_of(values: Mapping[str, Value], folder: Path) -> Iterator[Input]:
    """Yield the files that a point reads, each once; a file that is not there is the command's to report.

    Parameters:
        values: of its parameters.
        folder: that of the sweep file.
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
