# SPDX-License-Identifier: BSD-2-Clause
"""The values of a parameter in a sweep file: one, a list, or a range { from, to, steps, scale }."""

from typing import Any

from litemrc.files.toml_table import TomlTable

Scalar = bool | int | float | str
Value = Scalar | list[Scalar]
"""A list is one value with several parts, such as two policies that one point compares."""

MOST_VALUES = 1_000_000
_RANGE = ("from", "to", "steps", "step", "scale")
_SCALES = ("linear", "log")
_LISTED = 'a list of values, or a range such as { from = 1, to = 64, steps = 7, scale = "log" }'


def is_range(content: Any) -> bool:
    """Return whether a TOML value is a range, and no table of parameters."""
    return isinstance(content, dict) and ("from" in content or "to" in content)


def values_of(table: TomlTable, key: str) -> list[Value]:
    """Return the values of a parameter of a grid.

    Raises
    ------
    UserError
        they are no list and no range, or there is none; with file and line.
    """
    content = table.content[key]
    if is_range(content):
        return _range(table.table(key))
    if not isinstance(content, list):
        raise table.wrong(key, f"is {content!r}", f"{_LISTED}; a fixed value belongs in [fixed]")
    if not content:
        raise table.wrong(key, "has no values", _LISTED)
    return [checked(table, key, value) for value in content]


def checked(table: TomlTable, key: str, value: Any) -> Value:
    """Return a value that an option can have.

    Raises
    ------
    UserError
        it is something else, such as a date; with file and line.
    """
    parts = value if isinstance(value, list) else [value]
    if not parts or not all(isinstance(part, bool | int | float | str) for part in parts):
        raise table.wrong(
            key, f"has the value {value!r}", "a number, a text, true, false, or a list of these"
        )
    return value  # type: ignore[no-any-return]


def _range(table: TomlTable) -> list[Value]:
    table.check_keys(_RANGE)
    first, last = (_number(table, key) for key in ("from", "to"))
    scale = table.text("scale", _SCALES[0], of=_SCALES)
    whole = isinstance(first, int) and isinstance(last, int)
    if table.has("steps"):
        if table.has("step"):
            raise table.wrong("step", "stands beside steps", "one of the two")
        steps = table.count("steps", lowest=2, highest=MOST_VALUES)
        if scale == "log" and (first <= 0 or last <= 0):
            raise table.wrong("scale", f"is log, and the range is {first} to {last}", "a range above 0")
        parts = [number / (steps - 1) for number in range(steps)]
        if scale == "log":
            found = [first * (last / first) ** part for part in parts]
        else:
            found = [first + (last - first) * part for part in parts]
    else:
        if scale == "log":
            raise table.wrong("steps", "is missing", "the number of values of a range with scale log")
        if not table.has("step") and not whole:
            raise table.wrong("steps", "is missing", "steps, the number of values, or step, their distance")
        step = _number(table, "step") if table.has("step") else 1
        if step <= 0 or last < first or (last - first) / step >= MOST_VALUES:
            raise table.wrong(
                None, f"{first} to {last} by {step}", f"a step above 0, and 1 to {MOST_VALUES:,} values"
            )
        whole = whole and isinstance(step, int)
        # The last value counts though its sum has rounding errors.
        found = [first + step * number for number in range(int((last - first) / step * (1 + 1e-12)) + 1)]
    if whole:
        return list(dict.fromkeys(round(value) for value in found))
    return [float(f"{value:.12g}") for value in found]  # 0.3, and not 0.30000000000000004


def _number(table: TomlTable, key: str) -> int | float:
    value = table.content.get(key)
    right = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53
    if not right:
        what = f"is {value!r}" if table.has(key) else "is missing"
        raise table.wrong(key, what, "a number")
    return value  # type: ignore[return-value]
