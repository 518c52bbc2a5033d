"""Messages as Python records, generated, encoded, decoded and checked by the schema."""

from dataclasses import make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import cbor2

from litemrc.device.link.schema import Direction, Field, schema

_TYPES = {"UINT": int, "BOOL": bool, "TSTR": str, "BSTR": bytes, "LIST": list}


class ProtocolError(Exception):
    """Bytes that are no message of the schema, or a message that breaks it."""


class OtherVersionError(ProtocolError):
    """A hello in another version of the protocol; `version` is the device's."""

    def __init__(self, version: int) -> None:
        super().__init__(f"protocol version {version}")
        self.version = version


class Message:
    """A message: `name`, `sequence`, and the fields of its body under their names in the schema.

    Enumerated fields hold the name of the value ("workload_done"). The subclasses are made from the schema.
    """

    name: ClassVar[str]
    number: ClassVar[int]
    body: ClassVar[tuple[Field, ...]]
    sequence: int

    if TYPE_CHECKING:  # the fields come from the schema

        def __getattr__(self, field: str) -> Any: ...


class Codec:
    """Everything one end may send, as records and as CBOR.

    Attributes:
        types: the record class of each message, by its name.
        max_bytes: length of the longest message in CBOR.
    """

    def __init__(self, direction: Direction) -> None:
        self.max_bytes = direction.max_bytes
        self.types: dict[str, type[Message]] = {}
        self._by_number: dict[int, type[Message]] = {}
        self._head = len(direction.head)
        self._protocol: tuple[int, int] | None = None
        for message in direction.messages:
            body = (*direction.head, *message.fields)
            record = make_dataclass(
                message.name,
                [(f.name, str if f.choices else _TYPES[f.kind]) for f in body],
                bases=(Message,),
                namespace={"name": message.name, "number": message.number, "body": body},
                frozen=True,
            )
            self.types[message.name] = record
            self._by_number[message.number] = record
            names = [f.name for f in body]
            if "protocol" in names:
                self._protocol = (message.number, names.index("protocol"))

    def new(self, name: str, **values: Any) -> Message:
        """Make a message; `sequence` is 0 until it is sent, unless given."""
        return self.types[name](**{"sequence": 0} | values)

    def encode(self, message: Message) -> bytes:
        """Return the message in CBOR.

        Raises:
            ProtocolError: a value is not what the schema allows; the text names the field.
        """
        items = [_to_cbor(f, getattr(message, f.name)) for f in message.body]
        return cbor2.dumps([*items[: self._head], message.number, *items[self._head :]])

    def decode(self, payload: bytes) -> Message:
        """Return the message that `payload` is the one encoding of.

        Raises:
            OtherVersionError: a hello in another version of the protocol.
            ProtocolError: anything else that is not a message.
        """
        if not payload or not 0x80 <= payload[0] < 0x98:
            raise ProtocolError("not an array of fewer than 24 items")
        try:
            items = cbor2.loads(payload)
        except Exception as error:  # CBOR tags call many modules, which raise any exception
            raise ProtocolError(f"not CBOR: {error}") from error
        if len(items) <= self._head or type(items[self._head]) is not int:
            raise ProtocolError("no type number")
        number = items.pop(self._head)
        self._check_version(number, items)
        record = self._by_number.get(number)
        if record is None or len(items) != len(record.body):
            raise ProtocolError(f"no message has type {number} and {len(items)} fields")
        values = [_from_cbor(f, item) for f, item in zip(record.body, items, strict=True)]
        items.insert(self._head, number)
        # Also refuses trailing bytes, which cbor2 ignores.
        if cbor2.dumps(items) != payload:
            raise ProtocolError("not the canonical encoding")
        return record(*values)

    def _check_version(self, number: int, items: list) -> None:
        """Check the field that is the same in every version of the protocol."""
        if self._protocol is None or number != self._protocol[0] or len(items) <= self._protocol[1]:
            return
        version = items[self._protocol[1]]
        if type(version) is int and version != schema().constants["protocol_version"]:
            raise OtherVersionError(version)


def _to_cbor(field: Field, value: Any) -> Any:
    if field.choices:
        if value not in dict(field.choices):
            names = ", ".join(name for name, _ in field.choices)
            raise ProtocolError(f"{field.name}: {value!r} is none of {names}")
        return dict(field.choices)[value]
    _from_cbor(field, value)
    return value


def _from_cbor(field: Field, item: Any) -> Any:
    """Check one data item and return the value a record holds for it."""
    found, expected = type(item), _TYPES[field.kind]
    if found is not expected:  # bool is not an integer here
        raise ProtocolError(f"{field.name}: {found.__name__} instead of {expected.__name__}")
    if field.kind == "BOOL":
        return item
    size: int = item if field.kind == "UINT" else len(item.encode() if field.kind == "TSTR" else item)
    if not field.low <= size <= field.high:
        raise ProtocolError(f"{field.name}: {size} is not in {field.low}..{field.high}")
    if field.choices:
        names = [name for name, value in field.choices if value == item]
        if not names:
            raise ProtocolError(f"{field.name}: no choice {item}")
        return names[0]
    if field.item:
        for element in item:
            _from_cbor(field.item, element)
    return item


@cache
def device_messages() -> Codec:
    """What a device may send."""
    return Codec(schema().device_message)


@cache
def host_requests() -> Codec:
    """What a host may send."""
    return Codec(schema().host_request)
