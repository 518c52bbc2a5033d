# SPDX-License-Identifier: BSD-2-Clause
"""Values of messages: checked by the schema, and turned into data items of CBOR and back."""

from collections.abc import Callable
from dataclasses import field as dataclass_field
from dataclasses import make_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from litemrc.device.link.schema import Field
from litemrc.device.link.schema import Message as MessageSchema

TYPES = {"UINT": int, "BITS": int, "BOOL": bool, "TSTR": str, "BSTR": bytes, "LIST": list}
_LEFT_OUT: dict[str, Callable[[], Any]] = {**TYPES, "BITS": frozenset}  # make what an absent option is


class ProtocolError(Exception):
    """Bytes that are no message of the schema, or a message that breaks it."""


def to_cbor(field: Field, value: Any) -> Any:
    """Return the data item of a record's value.

    Raises
    ------
    ProtocolError
        the schema does not allow the value; the text names the field.
    """
    if field.kind == "BITS":
        unknown = set(value) - dict(field.choices).keys()
        if unknown:
            raise ProtocolError(f"{field.name}: no bit is named {', '.join(sorted(unknown))}")
        return sum(1 << bit for name, bit in field.choices if name in value)
    if field.choices:
        if value not in dict(field.choices):
            names = ", ".join(name for name, _ in field.choices)
            raise ProtocolError(f"{field.name}: {value!r} is none of {names}")
        return dict(field.choices)[value]
    from_cbor(field, value)
    return value


def from_cbor(field: Field, item: Any) -> Any:
    """Check one data item and return the value a record holds for it.

    Raises
    ------
    ProtocolError
        the schema does not allow the item; the text names the field.
    """
    found, expected = type(item), TYPES[field.kind]
    if found is not expected:  # bool is not an integer here
        raise ProtocolError(f"{field.name}: {found.__name__} instead of {expected.__name__}")
    if field.kind == "BOOL":
        return item
    size: int = item if field.kind in ("UINT", "BITS") else len(item)
    if field.kind == "TSTR" and not item.isascii():
        size = _utf8_bytes(field, item)
    if not field.low <= size <= field.high:
        raise ProtocolError(f"{field.name}: {size} is not in {field.low}..{field.high}")
    if field.kind == "BITS":
        return frozenset(name for name, bit in field.choices if item >> bit & 1)
    if field.choices:
        names = [name for name, value in field.choices if value == item]
        if not names:
            raise ProtocolError(f"{field.name}: no choice {item}")
        return names[0]
    if field.item and not _are_integers(field.item, item):
        for element in item:
            from_cbor(field.item, element)
    return item


def _utf8_bytes(field: Field, text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise ProtocolError(f"{field.name}: character {error.start} is half of a surrogate pair") from None


def _are_integers(field: Field, items: list) -> bool:
    """Check a list of integers at once: an epoch has hundreds, and most messages are epochs."""
    if field.kind != "UINT" or field.choices or not items:
        return False
    return set(map(type, items)) == {int} and field.low <= min(items) and max(items) <= field.high


def unknown_bits(field: Field, item: Any) -> int:
    """Count the bits of a data item of a field of bits that have no name."""
    known = sum(1 << bit for _, bit in field.choices)
    return (item & ~known).bit_count()


class Message:
    """A message: `name`, `sequence`, and the fields and options of its body under their names in the schema.

    Enumerated fields hold the name of the value ("workload_done"), fields of bits the names of those set;
    each bit is also an attribute ("hello.page_bitmap"). The subclasses are made from the schema.

    Attributes
    ----------
    skipped
        options and bits of a later version that it was received with.
    """

    name: ClassVar[str]
    number: ClassVar[int]
    body: ClassVar[tuple[Field, ...]]
    sequence: int
    skipped: int

    if TYPE_CHECKING:  # the fields come from the schema

        def __getattr__(self, field: str) -> Any: ...


def record_of(head: tuple[Field, ...], message: MessageSchema) -> type[Message]:
    """Make the record class of a message; options that are not given are 0, empty or false."""
    body = (*head, *message.fields, *message.options)
    bits = {name: _bit(f.name, name) for f in body if f.kind == "BITS" for name, _ in f.choices}

    def member(f: Field) -> tuple:
        kind = frozenset if f.kind == "BITS" else str if f.choices else TYPES[f.kind]
        absent = () if f.key is None else (dataclass_field(default_factory=_LEFT_OUT[f.kind]),)
        return (f.name, kind, *absent)

    return make_dataclass(
        message.name,
        [*map(member, body), ("skipped", int, dataclass_field(default=0, compare=False, repr=False))],
        bases=(Message,),
        namespace={"name": message.name, "number": message.number, "body": body, **bits},
        frozen=True,
    )


def _bit(field: str, name: str) -> property:
    return property(lambda message: name in getattr(message, field))
