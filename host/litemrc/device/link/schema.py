"""The messages of the serial link, read from the one schema file that the firmware's codec is compiled from.

Type numbers, field order, names and limits come from `litemrc.cddl`; none is repeated here. zcbor parses the
file; this module turns its syntax tree into plain records, which `protocol.py` checks messages against and
`firmware/link/limits.py` sizes the C buffers by.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_INSTALLED = Path(__file__).with_name("litemrc.cddl")
_IN_REPOSITORY = Path(__file__).parents[4] / "firmware" / "include" / "litemrc.cddl"


@dataclass(frozen=True)
class Field:
    """One data item of a message body.

    `kind` is the CDDL type: "UINT", "BOOL", "TSTR", "BSTR" or "LIST". `low` and `high` bound an integer's
    value, a string's length in bytes or a list's number of items; `choices` names the only values of an
    integer; `item` is what a list repeats.
    """

    name: str
    kind: str
    low: int = 0
    high: int = 0
    choices: tuple[tuple[str, int], ...] = ()
    item: "Field | None" = None


@dataclass(frozen=True)
class Message:
    """One message: its name, its type number, and the fields that follow the type number."""

    name: str
    number: int
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Direction:
    """Everything one end may send: messages that open with the fields of `head`, then the type number."""

    name: str
    head: tuple[Field, ...]
    messages: tuple[Message, ...]

    @property
    def max_bytes(self) -> int:
        """Length in bytes of the longest message in CBOR."""
        head = 1 + sum(map(_field_bytes, self.head))  # below 24 items an array's header is one byte
        return head + max(_integer_bytes(m.number) + sum(map(_field_bytes, m.fields)) for m in self.messages)


@dataclass(frozen=True)
class Schema:
    """The whole schema: named constants, and what either end may send."""

    constants: dict[str, int]
    device_message: Direction
    host_request: Direction


@cache
def schema() -> Schema:
    """Return the schema of this package, or of the repository it is run from."""
    import zcbor  # takes a tenth of a second; most commands use no device

    path = _INSTALLED if _INSTALLED.exists() else _IN_REPOSITORY
    types = zcbor.DataTranslator.from_cddl(path.read_text(encoding="utf-8"), 0).my_types
    constants = {name: t.value for name, t in types.items() if _is_literal(t) and not name.endswith("_body")}
    return Schema(constants, _direction("device_message", types), _direction("host_request", types))


def _direction(name: str, types: dict) -> Direction:
    *head, union = types[name].value
    messages = []
    for choice in union.value:
        body = types[choice.value]
        number, *fields = [body] if _is_literal(body) else body.value  # one item: no group to zcbor
        messages.append(Message(choice.label, number.value, tuple(_field(f, types) for f in fields)))
    return Direction(name, tuple(_field(f, types) for f in head), tuple(messages))


def _field(node, types: dict) -> Field:
    name, kind = node.label, node
    while kind.type == "OTHER":
        kind = types[kind.value]
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


def _field_bytes(field: Field) -> int:
    """Length in bytes of the longest value of a field in CBOR."""
    if field.kind == "BOOL":
        return 1
    body = 0 if field.kind == "UINT" else field.high
    if field.item:
        body *= _field_bytes(field.item)
    return _integer_bytes(field.high) + body
