# SPDX-License-Identifier: BSD-2-Clause
"""Structures, enumerations and constants of records and messages, read from the firmware's headers.

`litemrc_uapi.h` and `litemrc_protocol.h` are the only definition of what a device sends. They are written
in a small part of C: members of fixed sizes, and a comment names the enumeration of a member's values.
(pycparser would read all of C, in 0.3 s at each start.)
"""

import re
import struct
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import takewhile
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np  # it takes long to load

_HEADERS = ("litemrc_uapi.h", "litemrc_protocol.h")
_INSTALLED = Path(__file__).parent
_IN_REPOSITORY = Path(__file__).parents[4] / "firmware" / "include"

_CODES = {"__u16": ("H", 2), "__u32": ("I", 4), "__aligned_u64": ("Q", 8)}
_DEFINE = re.compile(r"^#define (LITEMRC_\w+) (0x[0-9a-fA-F]+|\d+)\b", re.MULTILINE)
_ENUM = re.compile(r"\benum litemrc_(\w+) \{(.*?)\};", re.DOTALL)
_STRUCT = re.compile(r"^struct litemrc_(\w+) \{(.*?)^\};", re.DOTALL | re.MULTILINE)
_MEMBER = re.compile(
    r"^\t(__\w+|char) (\w+)((?:\[\w+\])*);(?:\t+/\* (?:(bits): )?(?:enum litemrc_(\w+)|(bool)))?", re.M
)


@dataclass(frozen=True)
class Member:
    """A member of a structure.

    Attributes
    ----------
    kind
        int, bool, choice, bits, text, bytes, ints or texts; record: of an epoch's message.
    size
        bytes of a number, or of a text.
    shape
        of an array of them; empty: it is one.
    choices
        numbers of the values, or of the bits, by their names.
    """

    name: str
    kind: str
    size: int = 4
    shape: tuple[int, ...] = ()
    choices: dict[str, int] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """It is of chars; else of numbers."""
        return self.kind in ("text", "bytes", "texts")

    @property
    def items(self) -> int:
        """Numbers or texts in it."""
        return prod(self.shape)

    @property
    def most(self) -> int:
        """The largest value; most bytes or items."""
        if self.shape:
            return self.items
        return self.size if self.is_text else 1 if self.kind == "bool" else (1 << 8 * self.size) - 1

    @property
    def names(self) -> dict[int, str]:
        """The choices by their numbers."""
        return {number: name for name, number in self.choices.items()}


@dataclass(frozen=True)
class Structure:
    """A structure: its members, and its layout, which is that of C."""

    name: str
    members: tuple[Member, ...]

    @cached_property
    def dtype(self) -> "np.dtype":
        """Of an array of them."""
        import numpy as np

        kinds = {2: "<u2", 4: "<u4", 8: "<u8"}
        fields = [(m.name, f"S{m.size}" if m.is_text else kinds[m.size], m.shape) for m in self.members]
        return np.dtype(fields, align=True)

    @cached_property
    def packing(self) -> struct.Struct:
        """Of the numbers and texts of all members, one after another."""
        codes = {size: code for code, size in _CODES.values()}
        layout, at, widest = "<", 0, 1
        for member in self.members:
            width = 1 if member.is_text else member.size
            gap = -at % width
            layout += f"{gap}x" + f"{member.size}s" * member.items * member.is_text
            layout += "" if member.is_text else f"{member.items}{codes[member.size]}"
            at += gap + member.size * member.items
            widest = max(widest, width)
        return struct.Struct(f"{layout}{-at % widest}x")


@dataclass(frozen=True)
class Schema:
    """What the headers declare; names lack the prefix LITEMRC_ and what members of an enumeration share.

    Attributes
    ----------
    constants
        by name in small letters: protocol_version, abi_version ...
    enums
        name of each value to its number, by the enumeration.
    structs
        by name.
    """

    constants: dict[str, int]
    enums: dict[str, dict[str, int]]
    structs: dict[str, Structure]


@cache
def schema() -> Schema:
    """Return the schema of this package, or of the repository it is run from."""
    folder = _INSTALLED if (_INSTALLED / _HEADERS[0]).exists() else _IN_REPOSITORY
    return read_schema("".join((folder / name).read_text("utf-8") for name in _HEADERS))


def read_schema(text: str) -> Schema:
    """Return the schema that headers declare.

    Raises
    ------
    ValueError
        a structure is not written in the part of C that is read here.
    """
    constants = {
        name.removeprefix("LITEMRC_").lower(): int(value, 0) for name, value in _DEFINE.findall(text)
    }
    enums = {name: _values(name, body) for name, body in _ENUM.findall(text)}
    structs = {name: _structure(name, body, enums, constants) for name, body in _STRUCT.findall(text)}
    return Schema(constants, enums, structs)


def version_text(version: int) -> str:
    """Return a `protocol_version` as people write it: "2.0" for 2000; those before 1.0 are plain numbers."""
    major, minor = divmod(version, 1000)
    return f"{major}.{minor}" if major else str(minor)


def _values(enum: str, body: str) -> dict[str, int]:
    found = re.findall(r"LITEMRC_(\w+) = (\d+)", re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL))
    prefix = f"{enum.upper()}_"
    if not all(name.startswith(prefix) for name, _ in found):
        words = [name.split("_") for name, _ in found]
        shared = takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
        prefix = "".join(f"{column[0]}_" for column in shared)
    return {name.removeprefix(prefix).lower(): int(value) for name, value in found}


def _structure(
    name: str, body: str, enums: dict[str, dict[str, int]], constants: dict[str, int]
) -> Structure:
    found = _MEMBER.findall(body)
    if len(found) != len(re.findall(r";", re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL))):
        raise ValueError(f"struct litemrc_{name}: a member is not of the form `__u32 name[count];`")
    all_names = {member for _, member, *_ in found}
    members = []
    for of, member, dimensions, bits, of_enum, truth in found:
        counts = [size.removeprefix("LITEMRC_").lower() for size in re.findall(r"\w+", dimensions)]
        sizes = [constants[count] if count in constants else int(count) for count in counts]
        size = sizes.pop() if of == "char" else _CODES[of][1]
        if of == "char":
            kind = "texts" if sizes else "bytes" if f"{member}_bytes" in all_names else "text"
        elif of_enum and not sizes:
            # Of masters a device may have more than are named: they stay a number.
            kind = "choice" if not bits else "bits" if name == "hello" else "int"
        else:
            kind = "ints" if sizes else "bool" if truth else "int"
        choices = enums[of_enum] if kind in ("choice", "bits") else {}
        members.append(Member(member, kind, size, tuple(sizes), choices))
    return Structure(name, tuple(members))
