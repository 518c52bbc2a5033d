"""KEY=VALUE: values that replace those of a TOML file, or are added to it."""

import tomllib
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from litemrc.errors import UserError, choose_from

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Change:
    """A value in place of that of a file.

    Attributes:
        text: KEY=VALUE, as given.
        keys: the parts of KEY; of an array of tables, a number from 0 or the `name` of one.
        value: as TOML has it.
    """

    text: str
    keys: tuple[str, ...]
    value: Any

    @property
    def place(self) -> str:
        """Where the value stands, for messages."""
        return f"--set {self.text}"


def parse_change(text: str) -> Change:
    """Parse KEY=VALUE; KEY is dotted, VALUE is a TOML value, or a text without quotation marks.

    Raises:
        UserError: there is no =, or KEY is no TOML key.
    """
    key, equals, value = text.partition("=")
    try:
        parsed = tomllib.loads(f"{key} = 0") if equals and key.strip() and "\n" not in key else {}
    except tomllib.TOMLDecodeError:
        parsed = {}
    keys = []
    while isinstance(parsed, dict) and len(parsed) == 1:
        ((name, parsed),) = parsed.items()
        keys.append(name)
    if not keys or parsed != 0:
        raise UserError(f"must be KEY=VALUE, such as mrc.epoch=512 (got {text!r})", where="--set")
    try:
        document = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        document = {"value": value}
    return Change(text, tuple(keys), document["value"] if len(document) == 1 else value)


def apply_changes(
    content: dict[str, Any], changes: Sequence[Change]
) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Return a file's content with the changes, and for each changed key the place of its value.

    Raises:
        UserError: a key leads into something that is no table, or to a table that is not there.
    """
    content, places = deepcopy(content), {}
    for change in changes:
        at: Any = content
        path: list[str | int] = []
        for key in change.keys[:-1]:
            at = _step(at, key, path, change)
        if not isinstance(at, dict):
            raise _no_table(path, change)
        at[change.keys[-1]] = deepcopy(change.value)
        places[(*path, change.keys[-1])] = change.place
    return content, places


def _step(at: Any, key: str, path: list[str | int], change: Change) -> Any:
    """Return the table of a key, and append the key, or the number of the table, to `path`."""
    if isinstance(at, dict):
        path.append(key)
        return at.setdefault(key, {})
    if not isinstance(at, list) or not all(isinstance(each, dict) for each in at):
        raise _no_table(path, change)
    names = [str(each.get("name", number)) for number, each in enumerate(at)]
    if key in names:
        number = names.index(key)
    elif key.isascii() and key.isdigit() and int(key) < len(at):
        number = int(key)
    else:
        dotted = ".".join(map(str, path))
        raise UserError(
            f"{dotted}: none is named {key!r}", where=change.place, remedy=choose_from(key, names)
        )
    path.append(number)
    return at[number]


def _no_table(path: list[str | int], change: Change) -> UserError:
    dotted = ".".join(map(str, path))
    return UserError(f"{dotted} has no keys: it is no table", where=change.place, remedy="give another key")
