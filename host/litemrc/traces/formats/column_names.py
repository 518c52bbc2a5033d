# SPDX-License-Identifier: BSD-2-Clause
"""Which columns of a text or CSV trace hold what: `--column address=addr:hex,write=rw,time=1`."""

from collections.abc import Sequence
from dataclasses import dataclass

from litemrc.errors import UserError

# What a column can hold, and the names that are recognised in a header.
ROLES = {
    "page": ("page", "object", "obj_id", "object_id", "key"),
    "address": ("address", "addr"),
    "time": ("time", "timestamp"),
    "write": ("write", "rw", "op"),
    "context": ("context", "pid", "tid"),
    "size": ("size",),
}
_MOST_SHOWN, _LONGEST_SHOWN = 20, 40
SYNTAX = "ROLE[=NAME][:hex|:word],..., with a role of " + ", ".join(ROLES)


@dataclass(frozen=True)
class Column:
    """A column of a trace.

    Attributes
    ----------
    name
        in the header, or its number from 1; "" if not given.
    is_hex
        its numbers are hexadecimal, with or without 0x.
    is_word
        of pages: they are names of objects, any words.
    """

    name: str = ""
    is_hex: bool = False
    is_word: bool = False


def parse_columns(text: str) -> dict[str, Column]:
    """Parse `--column`: the column of each role.

    Raises
    ------
    UserError
        another syntax, an unknown role or a role given twice.
    """
    found: dict[str, Column] = {}
    for item in text.split(","):
        plain, colon, form = item.partition(":")
        role, equals, name = (word.strip() for word in plain.partition("="))
        form = form.strip()
        forms = ("hex", "word") if role == "page" else ("hex",)
        if role not in ROLES or (equals and not name) or (colon and form not in forms):
            raise UserError(f"{item!r} names no column", remedy=f"write {SYNTAX}")
        if role in found:
            raise UserError(f"{role} is given twice", remedy="give it once")
        found[role] = Column(name, form == "hex", form == "word")
    if "page" in found and "address" in found:
        raise UserError("page and address are both given", remedy="give one of the two")
    return found


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= _LONGEST_SHOWN


def are_numbers(columns: dict[str, Column]) -> bool:
    """Return whether columns are given by number, so that the file has no header."""
    return any(_is_number(column.name) for column in columns.values())


def places(columns: dict[str, Column], header: Sequence[str] | int, where: str) -> dict[str, int]:
    """Return the index of each role's column.

    Parameters
    ----------
    columns
        as given; a role without a name has one of `ROLES`.
    header
        the names, or the number of columns of a file without names.

    Raises
    ------
    UserError
        a column that is not there, or neither page nor address.
    """
    if isinstance(header, int):
        return _numbered(columns, header, where)
    names = [name.strip().lower() for name in header]
    found: dict[str, int] = {}
    for role, usual in ROLES.items():
        given = columns.get(role, Column())
        wanted = (given.name.lower(),) if given.name else usual
        index = next((names.index(name) for name in wanted if name in names), None)
        if index is not None:
            found[role] = index
        elif role in columns:
            raise UserError(
                f"no column {' or '.join(wanted)} among {_listed(names)}",
                where=where,
                remedy=f"name the column: --column {role}=NAME",
            )
    for role, other in (("page", "address"), ("address", "page")):
        if role in columns:
            found.pop(other, None)
    if "page" in found:
        found.pop("address", None)
    if not found.keys() & {"page", "address"}:
        if any(name[:1].isdigit() for name in names):
            raise UserError(
                f"the first line holds numbers, not names of columns: {_listed(names)}",
                where=where,
                remedy="for a file without a header give numbers of columns, from 1: --column page=2, or"
                " address=2,time=1",
            )
        raise UserError(
            f"no column page or address among {_listed(names)}",
            where=where,
            remedy="name it: --column page=NAME or --column address=NAME",
        )
    return found


def _listed(names: Sequence[str]) -> str:
    """Return the names for a message; there may be thousands, and long ones."""
    shown = [name[:_LONGEST_SHOWN] for name in names[:_MOST_SHOWN]]
    return ", ".join(shown) + (", ..." if len(names) > _MOST_SHOWN else "")


_FORMS: dict[int, tuple[str, ...]] = {
    1: ("page",),
    3: ("time", "page", "write"),
    4: ("time", "page", "write", "context"),
}


def _numbered(columns: dict[str, Column], count: int, where: str) -> dict[str, int]:
    if not any(
        column.name for column in columns.values()
    ):  # --column address: the page's column has addresses
        form = _FORMS.get(count)
        if form is None:
            raise UserError(
                f"a line of {count} words does not show which one is the address",
                where=where,
                remedy="give the number of each column: --column address=2,write=3",
            )
        kind = "address" if "address" in columns else "page"
        return {kind if role == "page" else role: index for index, role in enumerate(form)}
    found = {}
    for role, column in columns.items():
        if not _is_number(column.name) or not 1 <= int(column.name) <= count:
            raise UserError(
                f"no column {column.name or role} in a line of {count} columns without names",
                where=where,
                remedy=f"give a number from 1 to {count}: --column {role}=1",
            )
        found[role] = int(column.name) - 1
    if not found.keys() & {"page", "address"}:
        raise UserError(
            "neither page nor address is given", where="--column", remedy="add page=N or address=N"
        )
    return found
