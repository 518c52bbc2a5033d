"""Intents: what an application says of its colors, in the syntax of Jantz et al. 2013, section 4.1.

    INTENT MEM-INTENSITY
    INTENT MEM-CAPACITY
    MEM-INTENSITY RED 0 //hot pages
    MEM-CAPACITY RED 5 //hint- 5% of RSS

A line `INTENT NAME` says that an intent is used, a line `NAME COLOR VALUE` what it says of a color; behind
`//` is a comment. The first two intents are the paper's; the others name in the same way what its sections 6
and 8 do with colors.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from litemrc.errors import UserError


@dataclass(frozen=True)
class IntentKind:
    """An intent that can be declared.

    Attributes:
        attribute: of `ColorIntent`, that it sets.
        lowest, highest: its values.
        meaning: of them, for people.
    """

    attribute: str
    lowest: int
    highest: int
    meaning: str


INTENTS: dict[str, IntentKind] = {
    "MEM-INTENSITY": IntentKind("intensity", 0, 1, "0 hot pages, 1 cold pages"),
    "MEM-CAPACITY": IntentKind("capacity_percent", 0, 100, "percent of the resident set"),
    "MEM-AFFINITY": IntentKind("node", 0, 1023, "node whose trays back the pages (section 6)"),
    "MEM-RECYCLE": IntentKind("recycle", 0, 1, "1 takes pages for new ones from the color alone (8.2)"),
    "MEM-ISOLATION": IntentKind("isolation", 0, 1, "1 trays that serve no other color (8.3)"),
}
HOT, COLD = 0, 1
_COLOR = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DECLARATION = "INTENT"


@dataclass(frozen=True)
class ColorIntent:
    """What is intended with the pages of a color; None: nothing was said.

    Attributes:
        color: its name.
        intensity: 0 hot, 1 cold.
        capacity_percent: share of the resident set.
        node: whose trays are to back the pages.
        recycle: 1: pages are recycled within the color.
        isolation: 1: on trays that serve no other color.
        where: file and line that named the color first.
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
    """The colors that a text tells of, in its order.

    Parameters:
        name: of the text in errors, as NAME:LINE.

    Raises:
        UserError: a line that is neither a declaration nor a statement; an intent that is not known, not
            declared or declared twice; an intent said twice of a color; a value that is none; capacities of
            more than 100 % together.
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
                    f"{intent} of {color} is said twice, {before} before",
                    where=where,
                    remedy="say it once, or give the other pages another color",
                )
            colors[color] = replace(known, **{attribute: value})
            _check_capacities(colors, where)
    return colors


def intents_text(colors: Mapping[str, ColorIntent]) -> str:
    """The text that `parse_intents` reads as these colors."""
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
            f"{len(words) - 1} words behind {_DECLARATION}", where=where, remedy=f"write {_DECLARATION} NAME"
        )
    intent = words[1]
    if intent not in INTENTS:
        raise UserError(f"no intent {intent!r}", where=where, remedy=f"they are {', '.join(INTENTS)}")
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
        raise UserError(f"no intent {intent!r}", where=where, remedy=f"a line begins with one of {known}")
    if intent not in declared:
        raise UserError(
            f"{intent} is not declared", where=where, remedy=f"put {_DECLARATION} {intent} above this line"
        )
    if len(words) != 3:
        raise UserError(
            f"{len(words) - 1} words behind {intent}",
            where=where,
            remedy=f"write {intent} COLOR VALUE, and comments behind //",
        )
    color, text = words[1:]
    if not _COLOR.fullmatch(color):
        raise UserError(
            f"{color!r} is no name of a color",
            where=where,
            remedy="a letter, then letters, digits, - and _",
        )
    kind = INTENTS[intent]
    if not (text.isascii() and text.isdigit()) or not kind.lowest <= int(text) <= kind.highest:
        raise UserError(
            f"{intent} of {color} cannot be {text!r}",
            where=where,
            remedy=f"a whole number from {kind.lowest} to {kind.highest}: {kind.meaning}",
        )
    return intent, color, int(text)


def _check_capacities(colors: Mapping[str, ColorIntent], where: str) -> None:
    total = sum(intent.capacity_percent or 0 for intent in colors.values())
    if total > 100:
        raise UserError(
            f"the colors have {total} % of the resident set together", where=where, remedy="at most 100 %"
        )
