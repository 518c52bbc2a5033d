# SPDX-License-Identifier: BSD-2-Clause
"""Part files in TOML, one per part: those in this folder, or a user's own.

Every field is checked: a mistyped name is an error with file and field. `README.md` in this folder describes
the fields.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from litemrc.energy.parts.part import CURRENTS, Part, Rail, RdramPart, SdramPart
from litemrc.errors import UserError

_SUFFIX = ".toml"
_TEXTS = ("kind", "part", "memory", "datasheet", "cross_check")
_SDRAM = (*_TEXTS, "megabits", "width_bits", "refi_ns", "absent", "exits", "grades")
_EXITS = ("power_down", "self_refresh")
_GRADE = ("name", "clock_mhz", "rc", "ras", "rfc", "rails")
_RDRAM = (
    *_TEXTS,
    *("active_mw", "access_ns", "standby_mw", "nap_mw", "powerdown_mw"),
    *("from_standby", "from_nap", "from_powerdown"),
)
_LESS = (  # the first current cannot exceed the second; finds swapped columns
    *(("idd6", "idd2n"), ("idd2p0", "idd2p1"), ("idd2p0", "idd2n"), ("idd2n", "idd3n"), ("idd2p1", "idd3p")),
    *(("idd3p", "idd3n"), ("idd3n", "idd0"), ("idd3n", "idd4r"), ("idd3n", "idd4w"), ("idd2n", "idd5b")),
)


def known_parts() -> list[Part]:
    """Return all parts of the shipped files, sorted by name."""
    folder = resources.files("litemrc.energy.parts")
    parts = [part for file in folder.iterdir() if file.name.endswith(_SUFFIX) for part in _read(file)]
    return sorted(parts, key=lambda part: part.name.lower())


def choose_part(name: str, dram_clock_hz: float) -> Part:
    """Return the part named by a user or device: by `find_part`, or without a grade by `part_of_module`."""
    return find_part(name) if "-" in name or _SUFFIX in name else part_of_module(name, dram_clock_hz)


def find_part(name: str) -> Part:
    """Return a part by name in `known_parts`, FILE.toml that holds one part, or FILE.toml:NAME.

    Raises
    ------
    UserError
        no such part or file, an ambiguous name, or an invalid file.
    """
    file, colon, wanted = name.rpartition(_SUFFIX)
    if colon:
        path, wanted = Path(file + _SUFFIX), wanted.removeprefix(":")
        parts, remedy = _read_path(path), f"name one: {path}:NAME"
    else:
        wanted, parts, remedy = name, known_parts(), "name one of them"
    wanted = wanted.lower()
    found = [part for part in parts if part.name.lower() == wanted]
    found = found or [part for part in parts if part.name.lower().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(
            f"no part {wanted!r} is known",
            remedy="`litemrc energy --list-parts` lists the parts; or name a part file of your own",
        )
    raise UserError(f"several parts match: {', '.join(part.name for part in found)}", remedy=remedy)


def part_of_module(module: str, dram_clock_hz: float) -> Part:
    """Return the part for chips that a board names without grade or die, such as MT41K64M16.

    It is the slowest grade with known currents that reaches the clock, of the first die in the file: IDDs of
    a much faster grade, scaled down to the clock, are too low.

    Raises
    ------
    UserError
        no part of this name is known, or none with its currents.
    """
    fitting = [part for part in known_parts() if part.name.lower().startswith(module.lower())]
    if not module or not fitting:
        raise UserError(
            f"no part {module!r} is known" if module else "the device did not report the name of its DRAM",
            remedy="choose one with --part; `litemrc energy --list-parts` lists them",
        )
    order = sorted(
        [part for part in fitting if part.complete] or fitting, key=lambda part: (_clock_hz(part), part.name)
    )
    return next((part for part in order if _clock_hz(part) >= 0.999 * dram_clock_hz), order[-1])


def _clock_hz(part: Part) -> float:
    return part.clock_mhz * 1e6 if isinstance(part, SdramPart) else 0.0


def _read_path(path: Path) -> list[Part]:
    try:
        return _read(path)
    except OSError as error:
        raise UserError(
            f"cannot read: {error.strerror}", where=str(path), remedy="name an existing part file"
        ) from error


def _read(file: Path | Traversable) -> list[Part]:
    where = str(file) if isinstance(file, Path) else file.name
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not a TOML file: {error}", where=where, remedy="correct the file") from error
    table = _Table(content, where)
    kind = table.text("kind")
    if kind == "rdram":
        return [_rdram(table)]
    if kind != "sdram":
        raise table.wrong("kind", f"is {kind!r}", "kind must be 'sdram' or 'rdram'")
    return _sdram(table)


def _sdram(table: "_Table") -> list[Part]:
    table.check_fields(_SDRAM)
    absent = table.table("absent").texts() if "absent" in table.content else {}
    grades = table.content.get("grades")
    if not isinstance(grades, list) or not grades:
        raise table.wrong("grades", "is missing", "give each speed grade as a [[grades]] table")
    return [
        _grade(table, _Table(grade, table.where, f"grades[{index}]"), absent)
        for index, grade in enumerate(grades)
    ]


def _grade(table: "_Table", grade: "_Table", absent: Mapping[str, str]) -> SdramPart:
    grade.check_fields(_GRADE)
    name = table.text("part") + grade.text("name")
    rails = grade.table("rails")
    exits = _exits(table, grade.number("clock_mhz"))
    part = SdramPart(
        name=name,
        memory=table.text("memory"),
        megabits=table.count("megabits"),
        width_bits=table.count("width_bits"),
        clock_mhz=grade.number("clock_mhz"),
        rc=grade.count("rc"),
        ras=grade.count("ras"),
        rfc=grade.count("rfc"),
        refi_ns=table.number("refi_ns"),
        rails=tuple(_rail(rails.table(each), absent) for each in rails.content),
        power_down_exit_ns=exits.get("power_down"),
        self_refresh_exit_ns=exits.get("self_refresh"),
        datasheet=table.text("datasheet"),
        cross_check=table.text("cross_check"),
    )
    if part.rc <= part.ras:
        raise grade.wrong("rc", f"is {part.rc}, ras {part.ras}", "rc must be above ras")
    if not part.rails:
        raise grade.wrong("rails", "is empty", "give at least one supply voltage")
    return part


def _exits(table: "_Table", clock_mhz: float) -> dict[str, float]:
    """Return exit times in ns: the longer of those given in ns and in clocks."""
    if "exits" not in table.content:
        return {}
    exits = table.table("exits")
    exits.check_fields(_EXITS)
    times = {}
    for name in exits.content:
        limits = exits.table(name)
        limits.check_fields(("ns", "clocks"))
        given = [limits.number("ns")] if "ns" in limits.content else []
        if "clocks" in limits.content:
            given.append(limits.count("clocks") * 1e3 / clock_mhz)
        if not given:
            raise exits.wrong(name, "is empty", "give ns, clocks or both")
        times[name] = max(given)
    return times


def _rail(rail: "_Table", absent: Mapping[str, str]) -> Rail:
    rail.check_fields(("volts", *CURRENTS, "idd6_partial"))
    currents = {name: rail.number(name) for name in CURRENTS if name in rail.content}
    for low, high in _LESS:
        if low in currents and high in currents and currents[low] > currents[high]:
            raise rail.wrong(low, f"is above {high}", "compare with the data sheet")
    partial = rail.table("idd6_partial") if "idd6_partial" in rail.content else None
    return Rail(
        volts=rail.number("volts"),
        currents=currents,
        idd6_partial={_part_of_array(partial, key): partial.number(key) for key in partial.content}
        if partial
        else {},
        where=f"{rail.where}: {rail.path}",
        absent=absent,
    )


def _part_of_array(table: "_Table", key: str) -> float:
    above, _, below = key.partition("/")
    if not (above.isdecimal() and below.isdecimal() and 0 < int(above) < int(below)):
        raise table.wrong(key, "is not a part of the array", "write a fraction, such as 1/2")
    return int(above) / int(below)


def _rdram(table: "_Table") -> RdramPart:
    table.check_fields(_RDRAM)

    def way(name: str) -> tuple[float, float]:
        way = table.table(name)
        way.check_fields(("mw", "ns"))
        return way.number("mw"), way.number("ns")

    return RdramPart(
        name=table.text("part"),
        memory=table.text("memory"),
        datasheet=table.text("datasheet"),
        cross_check=table.text("cross_check"),
        active_mw=table.number("active_mw"),
        access_ns=table.number("access_ns"),
        standby_mw=table.number("standby_mw"),
        nap_mw=table.number("nap_mw"),
        powerdown_mw=table.number("powerdown_mw"),
        from_standby=way("from_standby"),
        from_nap=way("from_nap"),
        from_powerdown=way("from_powerdown"),
    )


class _Table:
    """A TOML table; its errors name file and field."""

    def __init__(self, content: Any, where: str, path: str = "") -> None:
        self.content, self.where, self.path = content, where, path
        if not isinstance(content, dict):
            raise self.wrong("", "is not a table", "compare with another part file")

    def wrong(self, name: str, what: str, remedy: str) -> UserError:
        field = ".".join(filter(None, (self.path, name)))
        return UserError(f"{name} {what}".strip(), where=f"{self.where}: {field}", remedy=remedy)

    def check_fields(self, allowed: tuple[str, ...]) -> None:
        for name in self.content:
            if name not in allowed:
                raise self.wrong(
                    name, "is not a field of a part file", f"the fields are {', '.join(allowed)}"
                )

    def table(self, name: str) -> "_Table":
        return _Table(self._value(name), self.where, ".".join(filter(None, (self.path, name))))

    def text(self, name: str) -> str:
        value = self._value(name)
        if not isinstance(value, str):
            raise self.wrong(name, f"is {value!r}", "write a string in quotation marks")
        return value

    def texts(self) -> dict[str, str]:
        return {name: self.text(name) for name in self.content}

    def number(self, name: str) -> float:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
            raise self.wrong(name, f"is {value!r}", "write a number above 0")
        return float(value)

    def count(self, name: str) -> int:
        value = self.number(name)
        if value != int(value):
            raise self.wrong(name, f"is {value!r}", "write a whole number")
        return int(value)

    def _value(self, name: str) -> Any:
        if name not in self.content:
            raise self.wrong(name, "is missing", "take it from the data sheet")
        return self.content[name]
