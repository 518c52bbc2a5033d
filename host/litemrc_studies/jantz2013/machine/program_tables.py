# SPDX-License-Identifier: BSD-2-Clause
"""Reads the tables [[process]] of a scenario: ranges, colors, limits."""

from collections.abc import Callable, Mapping

from litemrc.errors import UserError
from litemrc.files.toml_table import TomlTable

from litemrc_studies.jantz2013.machine.hardware import LINE_NS, LINES, PAGES_OF_MIB
from litemrc_studies.jantz2013.machine.workloads.programs import PATTERNS, Program, Programs, Range
from litemrc_studies.jantz2013.policies.color_ranges import ColorRanges
from litemrc_studies.jantz2013.policies.intents import ColorIntent
from litemrc_studies.jantz2013.policies.trays import check_trays

_PROCESS = ("name", "gap_ns", "line_ns", "intents", "trays", "range", "paint")
_RANGE = ("name", "mib", "pattern", "alpha", "weight", "reads", "writes", "load", "file", "color")
_PAINT = ("color", "begin_mib", "end_mib")
Intents = Callable[[TomlTable], Mapping[str, ColorIntent]]


def read_programs(top: TomlTable, trays: int, intents: Intents) -> Programs:
    """Read the processes of a scenario.

    Parameters
    ----------
    trays
        number of trays of the machine.
    intents
        reads the intents file of a table.

    Raises
    ------
    UserError
        a table has an error; with file and line.
    """
    tables = top.tables("process")
    if not tables:
        raise top.wrong("process", "there is none", "at least one [[process]]")
    return Programs(tuple(_program(table, trays, intents) for table in tables), top.count("visits"))


def _program(table: TomlTable, trays: int, intents: Intents) -> Program:
    table.check_keys(_PROCESS)
    ranges = table.tables("range")
    if not ranges:
        raise table.wrong("range", "there is none", "at least one [[process.range]]")
    known = intents(table) if table.has("intents") else {}
    colors = ColorRanges()
    begin, read = 0, []
    for each in ranges:
        each.check_keys(_RANGE)
        read.append(_range(each))
        if each.has("color"):
            _paint(each, colors, begin, begin + read[-1].pages, known)
        begin += read[-1].pages
    for each in table.tables("paint"):
        each.check_keys(_PAINT)
        first, last = (each.count(key, lowest=0) * PAGES_OF_MIB for key in ("begin_mib", "end_mib"))
        _paint(each, colors, first, last, known)
    if sum(each.weight for each in read) <= 0:
        raise table.wrong("range", "no range has a weight", "a weight above 0")
    return Program(
        name=table.text("name"),
        ranges=tuple(read),
        gap_ns=table.number("gap_ns", 500.0),
        line_ns=table.number("line_ns", LINE_NS),
        intents=known,
        colors=tuple(colors),
        trays=_trays(table, trays) if table.has("trays") else None,
    )


def _range(table: TomlTable) -> Range:
    reads = table.count("reads", 1, lowest=0, highest=LINES)
    writes = table.count("writes", 0, lowest=0, highest=LINES)
    if not reads + writes:
        raise table.wrong("reads", "a visit has no lines", "reads or writes above 0")
    return Range(
        name=table.text("name"),
        pages=table.count("mib") * PAGES_OF_MIB,
        pattern=table.text("pattern", "uniform", of=PATTERNS),
        alpha=table.number("alpha", 0.8),
        weight=table.number("weight", 1.0),
        reads=reads,
        writes=writes,
        load=table.flag("load", True),
        file=table.flag("file", False),
    )


def _paint(
    table: TomlTable, colors: ColorRanges, begin: int, end: int, known: Mapping[str, ColorIntent]
) -> None:
    color = table.text("color")
    if color not in known:
        raise table.wrong(
            "color",
            f"color {color} has no intent",
            f"one of {', '.join(known)}" if known else "an intents file of the process with this color",
        )
    try:
        colors.paint(begin, end, color, over=False)
    except UserError as error:
        raise table.wrong("color", error.what, error.remedy) from error


def _trays(table: TomlTable, count: int) -> tuple[int, ...]:
    given = table.content["trays"]
    if not isinstance(given, list) or not all(
        isinstance(tray, int) and not isinstance(tray, bool) for tray in given
    ):
        raise table.wrong("trays", f"is {given!r}", "a list of tray numbers, such as [0, 1]")
    try:
        return check_trays(given, count, "memnice")
    except UserError as error:
        raise table.wrong("trays", error.what, error.remedy) from error
