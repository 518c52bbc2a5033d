# SPDX-License-Identifier: BSD-2-Clause
"""The messages of the serial link, read from the one schema file that the firmware's codec is compiled from.

Type numbers, field order, names and limits come from `litemrc.cddl`; none is repeated here. zcbor parses the
file; this module turns its syntax tree into plain records, which `protocol.py` checks messages against and
`firmware/link/limits.py` sizes the C buffers by.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

_INSTALLED = Path(__file__).with_name("litemrc.cddl")
_IN_REPOSITORY = Path(__file__).parents[4] / "firmware" / "include" / "litemrc.cddl"


@dataclass(frozen=True)
class Field:
    """One data item of a message body.

    `kind` is the CDDL type: "UINT", "BOOL", "TSTR", "BSTR" or "LIST"; "BITS" is an integer whose bits have
    names. `low` and `high` bound an integer's value, a string's length in bytes or a list's number of items;
    `choices` names the only values of an integer, or its bits; `item` is what a list repeats; `key` is that
    of an option, which is left out when it is 0, empty or false.
    """

    name: str
    kind: str
    low: int = 0
    high: int = 0
    choices: tuple[tuple[str, int], ...] = ()
    item: "Field | None" = None
    key: int | None = None


@dataclass(frozen=True)
class Message:
    """One message: its name, its type number, the fields that follow it, and the options behind them.

    `later` is how many options of a later version are skipped; None: the message has no map of options.
    """

    name: str
    number: int
    fields: tuple[Field, ...]
    options: tuple[Field, ...] = ()
    later: int | None = None


@dataclass(frozen=True)
class Direction:
    """Everything one end may send: messages that open with the fields of `head`, then the type number."""

    name: str
    head: tuple[Field, ...]
    messages: tuple[Message, ...]

    @property
    def max_bytes(self) -> int:
        """Length in bytes of the longest message of this version in CBOR."""
        head = 1 + sum(map(_field_bytes, self.head))  # below 24 items an array's header is one byte
        return head + max(map(_message_bytes, self.messages))


@dataclass(frozen=True)
class Schema:
    """The whole schema: named constants, and what either end may send.

    `later_message_bytes` and `later_request_bytes` among the constants are how much longer than
    `max_bytes` a message of a later minor version may be.
    """

    constants: dict[str, int]
    device_message: Direction
    host_request: Direction


@cache
def schema() -> Schema:
    """Return the schema of this package, or of the repository it is run from."""
    return read_schema(_INSTALLED if _INSTALLED.exists() else _IN_REPOSITORY)


def version_text(version: int) -> str:
    """Return a `protocol_version` as people write it: "1.0" for 1000; those before 1.0 are plain numbers."""
    major, minor = divmod(version, 1000)
    return f"{major}.{minor}" if major else str(minor)


def read_schema(path: Path) -> Schema:
    """Return the schema in a file.

    Raises
    ------
    ValueError
        the link has no use for a type of the file, or the numbers of options have gaps.
    """
    import zcbor  # takes a tenth of a second; most commands use no device

    types = zcbor.DataTranslator.from_cddl(path.read_text(encoding="utf-8"), 0).my_types
    constants = {name: t.value for name, t in types.items() if _is_literal(t) and not name.endswith("_body")}
    return Schema(constants, _direction("device_message", types), _direction("host_request", types))


def _direction(name: str, types: dict) -> Direction:
    *head, union = types[name].value
    messages = []
    for choice in union.value:
        body = types[choice.value]
        number, *fields = [body] if _is_literal(body) else body.value  # one item: no group to zcbor
        options = fields.pop() if fields and _resolved(fields[-1], types).type == "MAP" else None
        messages.append(
            Message(
                choice.label,
                number.value,
                tuple(_field(f, types) for f in fields),
                *(_options(choice.label, _resolved(options, types).value, types) if options else ()),
            )
        )
    return Direction(name, tuple(_field(f, types) for f in head), tuple(messages))


def _options(message: str, members: list, types: dict) -> tuple[tuple[Field, ...], int]:
    """Return the options of a map, and how many others it may have."""
    *known, later = members
    options = tuple(replace(_field(node, types), key=node.key.value) for node in known)
    if [o.key for o in options] != list(range(1, len(options) + 1)) or later.key.min_value != len(
        options
    ) + 1:
        raise ValueError(f"litemrc.cddl: options of {message}: keys must be 1, 2, 3 ... without a gap")
    return options, later.max_qty


def _resolved(node, types: dict):
    while node.type == "OTHER":
        node = types[node.value]
    return node


def _field(node, types: dict) -> Field:
    name, kind = node.label, _resolved(node, types)
    if node.type == "OTHER" and node.value.endswith("_bits"):
        prefix = node.value.removesuffix("bits")
        bits = tuple(
            (n.removeprefix(prefix), t.value)
            for n, t in types.items()
            if n.startswith(prefix) and _is_literal(t)
        )
        return Field(name, "BITS", 0, kind.max_value, bits)
    if kind.type == "UNION":
        choices = tuple((c.label, c.value) for c in kind.value)
        values = [value for _, value in choices]
        return Field(name, "UINT", min(values), max(values), choices)
    if kind.type == "UINT":
        return Field(name, "UINT", kind.min_value or 0, kind.max_value)
    if kind.type in ("TSTR", "BSTR"):
        return Field(name, kind.type, kind.min_size or 0, kind.max_size)
    if kind.type == "LIST":
        (item,) = kind.value
        return Field(name, "LIST", item.min_qty, item.max_qty, item=_field(item, types))
    if kind.type == "BOOL":
        return Field(name, "BOOL")
    raise ValueError(f"litemrc.cddl: field {name}: the link has no use for the CDDL type {kind.type}")


def _is_literal(node) -> bool:
    return node.type == "UINT" and node.value is not None


def _integer_bytes(value: int) -> int:
    """Length of an integer, or of the header of a string or list that long, in CBOR (RFC 8949, section 3)."""
    return 1 if value < 24 else 1 + next(size for size in (1, 2, 4, 8) if value < 256**size)


def _message_bytes(message: Message) -> int:
    """Length in bytes of the longest message of a type, without the head."""
    fixed = _integer_bytes(message.number) + sum(map(_field_bytes, message.fields))
    if message.later is None:
        return fixed
    keys = sum(_integer_bytes(option.key or 0) for option in message.options)
    return fixed + _integer_bytes(len(message.options)) + keys + sum(map(_field_bytes, message.options))


def _field_bytes(field: Field) -> int:
    """Length in bytes of the longest value of a field in CBOR."""
    if field.kind == "BOOL":
        return 1
    body = 0 if field.kind in ("UINT", "BITS") else field.high
    if field.item:
        body *= _field_bytes(field.item)
    return _integer_bytes(field.high) + body
