"""Messages as Python records, made from the schema."""

from collections.abc import Callable
from dataclasses import field as dataclass_field
from dataclasses import make_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from litemrc.device.link.schema import Field
from litemrc.device.link.schema import Message as MessageSchema
from litemrc.device.link.values import TYPES

_LEFT_OUT: dict[str, Callable[[], Any]] = {**TYPES, "BITS": frozenset}  # make what an absent option is


class Message:
    """A message: `name`, `sequence`, and the fields and options of its body under their names in the schema.

    Enumerated fields hold the name of the value ("workload_done"), fields of bits the names of those set;
    each bit is also an attribute ("hello.page_bitmap"). The subclasses are made from the schema.

    Attributes:
        skipped: options and bits of a later version that it was received with.
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
