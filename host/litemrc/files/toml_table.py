# SPDX-License-Identifier: BSD-2-Clause
"""TOML files in which every key is checked; errors name the key and the line.

KEY=VALUE on a command line replaces values of a file, or is added to them.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from litemrc.errors import UserError, choose_from

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Change:
    """A value in place of that of a file.

    Attributes
    ----------
    text
        KEY=VALUE, as given.
    keys
        the parts of KEY; of an array of tables, a number from 0 or the `name` of one.
    value
        as TOML has it.
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

    Raises
    ------
    UserError
        there is no =, or KEY is no TOML key.
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

    Raises
    ------
    UserError
        a key leads into something that is no table, or to a table that is not there.
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


class TomlTable:
    """A table of a TOML file; `used` by name, whatever was not asked for is a mistake.

    Parameters
    ----------
    content
        of the table.
    file
        of which it is, with its text.
    path
        keys and numbers that lead to it.
    changed
        where the values of keys stand that are not those of the file.
    """

    def __init__(
        self,
        content: dict[str, Any],
        file: "tuple[str, str]",
        path: KeyPath = (),
        changed: Mapping[KeyPath, str] | None = None,
    ) -> None:
        self.content, self.file, self.path = content, file, path
        self._changed = changed or {}

    @classmethod
    def read(cls, path: str | Path, changes: Sequence[Change] = ()) -> "TomlTable":
        """The file as a table, with changes.

        Raises
        ------
        UserError
            no such file, it is no TOML, or a change does not fit it.
        """
        try:
            text = Path(path).read_text("utf-8")
        except OSError as error:
            raise UserError(
                f"cannot read: {error.strerror}", where=str(path), remedy="name a file that is there"
            ) from error
        except UnicodeDecodeError as error:
            raise UserError(f"not UTF-8: {error}", where=str(path), remedy="mend it there") from error
        try:
            content, places = apply_changes(tomllib.loads(text), changes)
            return cls(content, (str(path), text), changed=places)
        except tomllib.TOMLDecodeError as error:
            line = _first_broken_line(text)
            raise UserError(f"not TOML: {error}", where=f"{path}:{line}", remedy="mend it there") from error

    def wrong(self, key: str | None, what: str, expected: str) -> UserError:
        """An error about a key, or the table itself."""
        path = self.path if key is None else (*self.path, key)
        place = next((place for keys, place in self._changed.items() if path[: len(keys)] == keys), None)
        line = line_of(self.file[1], path)
        if line is None:
            line = line_of(self.file[1], self.path) or 1
        name = ".".join(str(part) for part in path if isinstance(part, str))
        return UserError(
            f"{name}: {what}" if name else what,
            where=place or f"{self.file[0]}:{line}",
            remedy=f"expected {expected}",
        )

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse keys that are not known."""
        for key in self.content:
            if key not in known:
                raise self.wrong(key, "no such key here", f"one of {', '.join(known)}")

    def has(self, key: str) -> bool:
        return key in self.content

    def table(self, key: str) -> "TomlTable":
        """The table of a key; empty if it is missing."""
        value = self.content.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"is {value!r}", f"a table [{key}]")
        return TomlTable(value, self.file, (*self.path, key), self._changed)

    def tables(self, key: str) -> "list[TomlTable]":
        """The tables [[key]]; none if it is missing."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(key, f"is {value!r}", f"tables [[{key}]]")
        paths = [(*self.path, key, number) for number in range(len(value))]
        return [
            TomlTable(each, self.file, path, self._changed) for path, each in zip(paths, value, strict=True)
        ]

    def text(self, key: str, default: str | None = None, *, of: Collection[str] = ()) -> str:
        """A text, of those if some are given."""
        value = self._value(key, default, "a text")
        expected = f"one of {', '.join(of)}" if of else "a text, in quotation marks"
        if not isinstance(value, str) or (of and value not in of) or not value:
            raise self.wrong(key, f"is {value!r}", expected)
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.content.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, f"is {value!r}", "true or false")
        return value

    def number(self, key: str, default: float | None = None, *, above: float | None = None) -> float:
        """A number from 0 on, or above `above`."""
        expected = "a number from 0 on" if above is None else f"a number above {above:g}"
        value = self._value(key, default, expected)
        lowest = 0 if above is None else above
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not right or not lowest <= value < 2**53 or value == above:
            raise self.wrong(key, f"is {value!r}", expected)
        return value

    def count(
        self, key: str, default: int | None = None, *, lowest: int = 1, highest: int | None = None
    ) -> int:
        """A whole number."""
        expected = f"a whole number from {lowest} {'on' if highest is None else f'to {highest}'}"
        most = 2**53 if highest is None else highest
        value = self._value(key, default, expected)
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= most:
            raise self.wrong(key, f"is {value!r}", expected)
        return value

    def _value(self, key: str, default: Any, expected: str) -> Any:
        if key in self.content:
            return self.content[key]
        if default is None:
            raise self.wrong(key, "is missing", expected)
        return default


def line_of(text: str, path: KeyPath) -> int | None:
    """Return the line, from 1, of the statement that first gives a key; None if there is none.

    The parser gives no positions, so prefixes of the file are parsed: the shortest valid prefix that has the
    key ends with its statement, which begins after the next shorter valid prefix.
    """
    return next((begin for begin, _, content in _statements(text) if _holds(content, path)), None)


def _statements(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the first and last line of each statement and the contents of the file up to it."""
    begin = 1
    for end, prefix in enumerate(accumulate(text.splitlines(keepends=True)), 1):
        try:
            content = tomllib.loads(prefix)
        except tomllib.TOMLDecodeError:
            continue
        yield begin, end, content
        begin = end + 1


def _holds(content: Any, path: KeyPath) -> bool:
    for key in path:
        if isinstance(content, list):
            if not isinstance(key, int) or key >= len(content):
                return False
        elif not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True


def _first_broken_line(text: str) -> int:
    """Return the line of the first statement that is not valid TOML."""
    return 1 + max((end for _, end, _ in _statements(text)), default=0)
