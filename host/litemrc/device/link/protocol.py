# SPDX-License-Identifier: BSD-2-Clause
"""The codec of each end: messages as records, encoded, decoded and checked by the schema."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import cbor2

from litemrc.device.link.cbor import CBORError, read_array
from litemrc.device.link.schema import Direction, Field, schema
from litemrc.device.link.values import Message, ProtocolError, from_cbor, record_of, to_cbor, unknown_bits

_MESSAGE_DEPTH = 2  # its array, and its map of options

__all__ = [
    "Codec",
    "LaterVersionError",
    "Message",
    "OtherVersionError",
    "ProtocolError",
    "device_messages",
    "host_requests",
]


class LaterVersionError(ProtocolError):
    """What a later minor version of the protocol added, in well-formed CBOR.

    Attributes
    ----------
    sequence
        the message's number.
    error
        what a device answers it by: "unknown" message, or "bad_argument" for an unknown option.
    """

    def __init__(self, what: str, sequence: int, error: str) -> None:
        super().__init__(what)
        self.sequence, self.error = sequence, error


class OtherVersionError(ProtocolError):
    """A hello in another major version of the protocol; `version` is the device's."""

    def __init__(self, version: int) -> None:
        super().__init__(f"protocol version {version}")
        self.version = version


class Codec:
    """Everything one end may send, as records and as CBOR.

    Attributes
    ----------
    types
        the record class of each message, by its name.
    max_bytes
        length of the longest message in CBOR.
    max_received_bytes
        the same, of later minor versions.

    Parameters
    ----------
    later_bytes
        that options of later versions add.
    skips
        options of later versions are skipped; else a message that has one is refused.
    """

    def __init__(self, direction: Direction, later_bytes: int, *, skips: bool) -> None:
        self.max_bytes = direction.max_bytes
        self.max_received_bytes = direction.max_bytes + later_bytes
        self._skips = skips
        self._deepest = _MESSAGE_DEPTH + schema().constants["later_depth"]
        self.types: dict[str, type[Message]] = {}
        self._by_number: dict[int, _Known] = {}
        self._head = len(direction.head)
        self._protocol: tuple[int, int] | None = None
        for message in direction.messages:
            record = record_of(direction.head, message)
            self.types[message.name] = record
            self._by_number[message.number] = _Known(
                record, (*direction.head, *message.fields), message.options, message.later
            )
            names = [f.name for f in record.body]
            if "protocol" in names:
                self._protocol = (message.number, names.index("protocol"))

    def new(self, name: str, **values: Any) -> Message:
        """Make a message; `sequence` is 0 until it is sent, unless given.

        Options that are not given are 0, empty or false; bits may be given by their names.
        """
        for f in self.types[name].body:
            if f.kind == "BITS":
                named = {bit for bit, _ in f.choices if values.pop(bit, False)}
                values[f.name] = frozenset(values.get(f.name, ())) | named
        return self.types[name](**{"sequence": 0} | values)

    def encode(self, message: Message) -> bytes:
        """Return the message in CBOR.

        Raises
        ------
        ProtocolError
            a value is not what the schema allows; the text names the field.
        """
        known = self._by_number[message.number]
        of_all = [(f, to_cbor(f, getattr(message, f.name))) for f in message.body]
        items = [item for f, item in of_all if f.key is None]
        items.insert(self._head, message.number)
        if known.later is not None:
            items.append({f.key: item for f, item in of_all if f.key is not None and item})
        return cbor2.dumps(items)

    def decode(self, payload: bytes) -> Message:
        """Return the message that `payload` is the one encoding of.

        Raises
        ------
        OtherVersionError
            a hello in another major version of the protocol.
        LaterVersionError
            a message of a later minor version, or with options of one if none are skipped.
        ProtocolError
            anything else that is not a message.
        """
        if len(payload) > self.max_received_bytes:
            raise ProtocolError(
                f"{len(payload)} bytes, more than the {self.max_received_bytes} of any message"
            )
        if not payload or not 0x80 <= payload[0] < 0x98:
            raise ProtocolError("not an array of fewer than 24 items")
        items: list[Any] = []
        try:
            read_array(payload, items, self._deepest)
        except CBORError as error:
            if len(items) > self._head:  # another major version may be written otherwise behind its number
                self._check_version(items.pop(self._head), items)
            what = "not CBOR of a message" if error.canonical else "not the canonical encoding"
            raise ProtocolError(f"{what}: {error}") from None
        if len(items) <= self._head or type(items[self._head]) is not int:
            raise ProtocolError("no type number")
        number = items.pop(self._head)
        self._check_version(number, items)
        known = self._by_number.get(number)
        if known is None:
            raise self._unknown_type(number, items)
        options = known.split(items)
        if options is None or len(items) != len(known.fixed):
            raise ProtocolError(f"message {number} has other fields or options")
        values = {f.name: from_cbor(f, item) for f, item in zip(known.fixed, items, strict=True)}
        if options:
            values |= {f.name: from_cbor(f, options.pop(f.key)) for f in known.options if f.key in options}
        if options and not self._skips:
            what = f"{known.record.name}: options {', '.join(map(str, options))} are not known here"
            raise LaterVersionError(what, values["sequence"], "bad_argument")
        bits = sum(
            unknown_bits(f, item) for f, item in zip(known.fixed, items, strict=True) if f.kind == "BITS"
        )
        values["skipped"] = len(options) + bits
        return known.record(**values)

    def _unknown_type(self, number: int, items: list) -> ProtocolError:
        what = f"no message has type {number}"
        if number >= 0 and self._head == 1 and type(items[0]) is int and 0 <= items[0] < 2**32:
            return LaterVersionError(what, items[0], "unknown")
        return ProtocolError(what)

    def _check_version(self, number: Any, items: list) -> None:
        """Check the major version, in the field that is the same in every version of the protocol."""
        if self._protocol is None or type(number) is not int or number != self._protocol[0]:
            return
        version = items[self._protocol[1]] if len(items) > self._protocol[1] else None
        if type(version) is not int or not 0 <= version < 2**32:
            return
        if version // 1000 != schema().constants["protocol_version"] // 1000:
            raise OtherVersionError(version)


@dataclass(frozen=True)
class _Known:
    """What the codec looks up by a type number."""

    record: type[Message]
    fixed: tuple[Field, ...]
    options: tuple[Field, ...]
    later: int | None

    def split(self, items: list) -> dict[int, Any] | None:
        """Remove the options from the end of `items` and return them; None if they break a rule."""
        if self.later is None:
            return {}
        options = items.pop() if items else None
        if type(options) is not dict:
            return None
        if not options:
            return options
        keys = list(options)
        if any(type(key) is not int or not 1 <= key < 2**16 for key in keys) or keys != sorted(keys):
            return None
        if len(keys) - sum(key <= len(self.options) for key in keys) > self.later:
            return None
        return options


@cache
def device_messages() -> Codec:
    """What a device may send."""
    return Codec(schema().device_message, schema().constants["later_message_bytes"], skips=True)


@cache
def host_requests() -> Codec:
    """What a host may send."""
    return Codec(schema().host_request, schema().constants["later_request_bytes"], skips=False)
