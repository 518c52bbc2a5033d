# SPDX-License-Identifier: BSD-2-Clause
"""Intents of an application for its colors, in the syntax of Jantz et al. 2013, section 4.1.

    INTENT MEM-INTENSITY
    INTENT MEM-CAPACITY
    MEM-INTENSITY RED 0 //hot pages
    MEM-CAPACITY RED 5 //hint- 5% of RSS

A line `INTENT NAME` declares an intent; a line `NAME COLOR VALUE` sets it for a color; `//` begins a comment.
The first two intents are the paper's. The others give names to the uses of colors in its sections 6 and 8.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from litemrc.errors import UserError


@dataclass(frozen=True)
class IntentKind:
    """An intent that can be declared.

    Attributes
    ----------
    attribute
        the attribute of `ColorIntent` that it sets.
    lowest, highest
        range of its values.
    meaning
        of the values, for messages.
    """

    attribute: str
    lowest: int
    highest: int
    meaning: str


INTENTS: dict[str, IntentKind] = {
    "MEM-INTENSITY": IntentKind("intensity", 0, 1, "0 hot pages, 1 cold pages"),
    "MEM-CAPACITY": IntentKind("capacity_percent", 0, 100, "percent of the resident set"),
    "MEM-AFFINITY": IntentKind("node", 0, 1023, "node whose trays back the pages (section 6)"),
    "MEM-RECYCLE": IntentKind("recycle", 0, 1, "1 reclaims pages from the same color only (8.2)"),
    "MEM-ISOLATION": IntentKind("isolation", 0, 1, "1 gives the color its own trays (8.3)"),
}
HOT, COLD = 0, 1
_COLOR = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DECLARATION = "INTENT"


@dataclass(frozen=True)
class ColorIntent:
    """The intents for the pages of a color; None: not stated.

    Attributes
    ----------
    color
        its name.
    intensity
        0 hot, 1 cold.
    capacity_percent
        share of the resident set.
    node
        NUMA node whose trays back the pages.
    recycle
        1: pages are recycled within the color.
    isolation
        1: on trays that serve no other color.
    where
        file and line of the color's first statement.
    """

    color: str
    intensity: int | None = None
    capacity_percent: int | None = None
    node: int | None = None
    recycle: int | None = None
    isolation: int | None = None
    where: str = field(default="", compare=False)

    @property
    def isolated(self) -> bool:
        return self.isolation == 1

    @property
    def recycled_locally(self) -> bool:
        return self.recycle == 1


def parse_intents(text: str, name: str = "intents") -> dict[str, ColorIntent]:
    """Return the colors of an intents file, in its order.

    Parameters
    ----------
    name
        of the text, for NAME:LINE in errors.

    Raises
    ------
    UserError
        a malformed line; an intent that is unknown, not declared or declared twice; an intent
        stated twice for a color; a value out of range; capacities of more than 100 % in total.
    """
    declared: dict[str, int] = {}
    colors: dict[str, ColorIntent] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("//")[0].split()
        where = f"{name}:{number}"
        if not words:
            continue
        if words[0] == _DECLARATION:
            _declare(words, declared, number, where)
        else:
            intent, color, value = _statement(words, declared, where)
            known = colors.get(color, ColorIntent(color, where=where))
            attribute = INTENTS[intent].attribute
            if (before := getattr(known, attribute)) is not None:
                raise UserError(
                    f"{intent} of {color} is stated twice; it was {before} before",
                    where=where,
                    remedy="remove one line, or use another color for the other pages",
                )
            change: dict[str, Any] = {attribute: value}
            colors[color] = replace(known, **change)
            _check_capacities(colors, where)
    return colors


def intents_text(colors: Mapping[str, ColorIntent]) -> str:
    """Return the text that `parse_intents` reads as these colors."""
    said = [
        (name, intent.color, value)
        for name, kind in INTENTS.items()
        for intent in colors.values()
        if (value := getattr(intent, kind.attribute)) is not None
    ]
    lines = [f"{_DECLARATION} {name}" for name in dict.fromkeys(name for name, _, _ in said)]
    return "\n".join([*lines, *(f"{name} {color} {value}" for name, color, value in said), ""])


def _declare(words: list[str], declared: dict[str, int], number: int, where: str) -> None:
    if len(words) != 2:
        raise UserError(
            f"{len(words) - 1} words after {_DECLARATION}, expected 1",
            where=where,
            remedy=f"write {_DECLARATION} NAME",
        )
    intent = words[1]
    if intent not in INTENTS:
        raise UserError(f"unknown intent {intent!r}", where=where, remedy=f"use one of {', '.join(INTENTS)}")
    if intent in declared:
        raise UserError(
            f"{intent} is declared twice, first in line {declared[intent]}",
            where=where,
            remedy="remove this line",
        )
    declared[intent] = number


def _statement(words: list[str], declared: Mapping[str, int], where: str) -> tuple[str, str, int]:
    intent = words[0]
    if intent not in INTENTS:
        known = ", ".join((_DECLARATION, *INTENTS))
        raise UserError(
            f"unknown intent {intent!r}", where=where, remedy=f"begin the line with one of {known}"
        )
    if intent not in declared:
        raise UserError(
            f"{intent} is not declared", where=where, remedy=f"add {_DECLARATION} {intent} above this line"
        )
    if len(words) != 3:
        raise UserError(
            f"{len(words) - 1} words after {intent}, expected 2",
            where=where,
            remedy=f"write {intent} COLOR VALUE, with comments after //",
        )
    color, text = words[1:]
    if not _COLOR.fullmatch(color):
        raise UserError(
            f"{color!r} is not a color name",
            where=where,
            remedy="use a letter, then letters, digits, - and _",
        )
    kind = INTENTS[intent]
    if not (text.isascii() and text.isdigit()) or not kind.lowest <= int(text) <= kind.highest:
        raise UserError(
            f"{intent} of {color} cannot be {text!r}",
            where=where,
            remedy=f"give a whole number from {kind.lowest} to {kind.highest}: {kind.meaning}",
        )
    return intent, color, int(text)


def _check_capacities(colors: Mapping[str, ColorIntent], where: str) -> None:
    total = sum(intent.capacity_percent or 0 for intent in colors.values())
    if total > 100:
        raise UserError(
            f"the capacities sum to {total} % of the resident set", where=where, remedy="give at most 100 %"
        )
