# SPDX-License-Identifier: BSD-2-Clause
"""The codec of each end: messages as records, packed into the structures of the headers and back."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from litemrc.device.link.schema import Member, Structure, schema

_HEAD = struct.Struct("<II")  # struct litemrc_message
_MOST_RECORD_BYTES = 16 << 20  # 2^24 frames, and 256 contexts with the largest counts
_OLD_ARRAY = range(0x80, 0x98)  # first byte of a message of versions before 2.0, an array of CBOR
_OLD_HELLO = 65
_COUNTS = ("_count", "_bytes")  # behind the name of a member: another one that counts its items


class ProtocolError(Exception):
    """Bytes that are no message, or a message that cannot be packed; the text names the field."""


class LaterVersionError(ProtocolError):
    """What a later minor version of the protocol added.

    Attributes
    ----------
    sequence
        the message's number.
    error
        what a device answers it by: "unknown" message, or "bad_argument" for an unknown part.
    """

    def __init__(self, what: str, sequence: int, error: str) -> None:
        super().__init__(what)
        self.sequence, self.error = sequence, error


class OtherVersionError(ProtocolError):
    """A hello in another major version of the protocol.

    Attributes
    ----------
    version
        the device's; a host does not send its own: 1000.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"protocol version {version}")
        self.version = version


class OldHelloError(ProtocolError):
    """The hello of a device of this major version to a host of one before 2.0."""


class Message:
    """A message: `name`, `sequence`, and the fields of its body under their names in the headers.

    Enumerated fields hold the name of the value ("workload_done"), fields of bits the names of those set;
    each bit is also an attribute ("hello.page_bitmap") unless a field has its name. The subclasses
    are made from the headers.

    Attributes
    ----------
    skipped
        parts and bits of a later version that it was received with.
    """

    name: ClassVar[str]
    number: ClassVar[int]
    body: ClassVar[tuple[Member, ...]]
    sequence: int
    skipped: int

    if TYPE_CHECKING:  # the fields come from the headers

        def __init__(self, **fields: Any) -> None: ...

        def __getattr__(self, field: str) -> Any: ...


_EMPTY: Mapping[str, Any] = {
    **{"int": int, "bool": bool, "bits": frozenset, "text": str, "bytes": bytes},
    **{"ints": list, "texts": list},
}


class Codec:
    """Everything one end may send, as records and as bytes.

    Attributes
    ----------
    types
        the record class of each message, by its name.
    max_bytes
        length of the longest message, of later minor versions, too.

    Parameters
    ----------
    numbers
        of the messages, by their names.
    skips
        what is not known is skipped; else a message that has it is refused.
    """

    def __init__(self, numbers: Mapping[str, int], max_bytes: int, *, skips: bool) -> None:
        self.max_bytes = max_bytes
        self._skips = skips
        self.types = {name: _record_class(name, number) for name, number in numbers.items()}
        self._by_number = {number: self.types[name] for name, number in numbers.items()}

    def new(self, name: str, **values: Any) -> Message:
        """Make a message; `sequence` is 0 until it is sent, unless given.

        Members that are not given are 0, empty or false; bits may be given by their names.
        """
        for f in self.types[name].body:
            if f.kind == "bits":
                named = {bit for bit in _named_bits(f, self.types[name].body) if values.pop(bit, False)}
                values[f.name] = frozenset(values.get(f.name, ())) | named
        return self.types[name](**{"sequence": 0} | values)

    def field(self, name: str, field: str) -> Member:
        """Return a field of a message."""
        return next(f for f in self.types[name].body if f.name == field)

    def encode(self, message: Message) -> bytes:
        """Return the bytes of a message.

        Raises
        ------
        ProtocolError
            a value does not fit into its member; the text names the field.
        """
        head = _HEAD.pack(message.number, _checked("sequence", message.sequence, 2**32 - 1))
        if message.name == "epoch":
            return head + message.record.payload
        if not message.body:
            return head
        values: dict[str, Any] = {}
        for f in message.body:
            _pack(values, f, getattr(message, f.name))
        structure = schema().structs[message.name]
        flat = (
            item for m in structure.members for item in (values[m.name] if m.shape else (values[m.name],))
        )
        return head + structure.packing.pack(*flat)

    def decode(self, payload: bytes) -> Message:
        """Return the message that `payload` is.

        Raises
        ------
        OtherVersionError
            a hello in another major version of the protocol.
        LaterVersionError
            a message of a later minor version, or one with values or parts that are not known here.
        ProtocolError
            anything else that is not a message.
        """
        if payload[:1] and payload[0] in _OLD_ARRAY:
            raise self._old(payload)
        if not _HEAD.size <= len(payload) <= self.max_bytes:
            raise ProtocolError(f"{len(payload)} bytes; a message has {_HEAD.size} to {self.max_bytes}")
        number, sequence = _HEAD.unpack_from(payload)
        known = self._by_number.get(number)
        if known is None:
            raise LaterVersionError(f"no message has type {number}", sequence, "unknown")
        body = payload[_HEAD.size :]
        if known.name == "epoch":
            from litemrc.device.link.record import RecordError, read_record  # numpy takes long to load

            try:
                return known(sequence=sequence, record=read_record(body))
            except RecordError as error:
                raise ProtocolError(f"not a record of an epoch: {error}") from None
        return self._message(known, sequence, body)

    def _message(self, known: type[Message], sequence: int, body: bytes) -> Message:
        structure = schema().structs.get(known.name) if known.body else None
        size = structure.packing.size if structure else 0
        longer = body[size:]
        if any(longer) and not self._skips:
            raise LaterVersionError(
                f"{known.name}: {len(longer)} bytes more than are known here", sequence, "bad_argument"
            )
        if structure is None:
            return known(sequence=sequence, skipped=int(bool(longer)))
        members = _members(structure, body[:size].ljust(size, b"\0"))
        if known.name == "hello" and members["protocol"] // 1000 != _own_version() // 1000:
            raise OtherVersionError(members["protocol"])
        skipped, values = int(bool(longer)), {}
        for f in known.body:
            value = values[f.name] = _unpack(known.name, f, members, sequence)
            if f.kind == "bits" and (later := members[f.name] & ~_bits(f, value)):
                if not self._skips:
                    raise LaterVersionError(f"{f.name}: unknown bits {later:#x}", sequence, "bad_argument")
                skipped += later.bit_count()
        return known(sequence=sequence, skipped=skipped, **values)

    def _old(self, payload: bytes) -> ProtocolError:
        """Return the error for a message of a version before 2.0."""
        items = list(_old_integers(payload))
        if "hello" not in self.types:
            return OtherVersionError(1000) if items[1:2] == [_OLD_HELLO] else ProtocolError("an old message")
        if len(items) < 4 or items[1] != 1:
            return ProtocolError("an old message")
        version = items[3]
        if version // 1000 == _own_version() // 1000:
            return OldHelloError("a hello of our version in words of an older one")
        return OtherVersionError(version)


def _own_version() -> int:
    return schema().constants["protocol_version"]


def _record_class(name: str, number: int) -> type[Message]:
    body = tuple(_fields(name))
    bits = {bit: _bit(f.name, bit) for f in body for bit in _named_bits(f, body)}
    namespace: dict[str, Any] = {"name": name, "number": number, "body": body, **bits}
    if name == "epoch":
        namespace["epoch"] = property(lambda message: message.record.epoch)

    def member(f: Member) -> tuple:
        if f.kind in _EMPTY:
            return f.name, _EMPTY[f.kind], field(default_factory=_EMPTY[f.kind])
        return f.name, object if f.kind == "record" else str

    last = ("skipped", int, field(default=0, compare=False, repr=False))
    members = [("sequence", int), *map(member, body), last]
    return make_dataclass(name, members, bases=(Message,), namespace=namespace, frozen=True, kw_only=True)


def _named_bits(f: Member, body: Iterable[Member]) -> set[str]:
    """Return the bits of a member whose names are those of no member: "banks" is the number of banks."""
    return {*(f.choices if f.kind == "bits" else ())} - {member.name for member in body}


def _bit(field: str, name: str) -> property:
    return property(lambda message: name in getattr(message, field))


def _fields(message: str) -> Iterator[Member]:
    """Yield the fields of a message; a member that counts the items of the next one is none."""
    if message == "epoch":
        yield Member("record", "record")
    elif structure := schema().structs.get(message):
        names = {member.name + suffix for member in structure.members for suffix in _COUNTS}
        yield from (member for member in structure.members if member.name not in names)


def _bits(f: Member, names: frozenset[str]) -> int:
    return sum(1 << f.choices[name] for name in names)


# ------------------------------------------------------------ packing


def _pack(members: dict[str, Any], f: Member, value: Any) -> None:
    """Put what the structure holds for a value into `members`."""
    if f.kind == "choice":
        if value not in f.choices:
            raise ProtocolError(f"{f.name}: {value!r} is none of {', '.join(f.choices)}")
        members[f.name] = f.choices[value]
    elif f.kind == "bits":
        if unknown := set(value) - f.choices.keys():
            raise ProtocolError(f"{f.name}: no bit is named {', '.join(sorted(unknown))}")
        members[f.name] = _bits(f, value)
    elif type(value) is not _EMPTY[f.kind]:  # bool is not an integer here
        expected = _EMPTY[f.kind].__name__
        raise ProtocolError(f"{f.name}: {type(value).__name__} instead of {expected}")
    elif f.kind == "text":
        members[f.name] = _text(f.name, value, f.most)
    elif f.kind in ("int", "bool"):
        members[f.name] = _checked(f.name, int(value), f.most)
    else:
        missing = f.most - _checked(f.name, len(value), f.most)
        if f.kind == "texts":
            members[f.name] = [_text(f.name, text, f.size) for text in value] + [b""] * missing
        elif f.kind == "ints":
            members[f.name] = [_checked(f.name, item, 2**32 - 1) for item in value] + [0] * missing
            members[f.name + "_count"] = len(value)
        else:
            members[f.name] = value
            members[f.name + "_bytes"] = len(value)


def _checked(name: str, value: int, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ProtocolError(f"{name}: {value} is not in 0..{most}")
    return value


def _text(name: str, text: str, most: int) -> bytes:
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ProtocolError(f"{name}: character {error.start} is half of a surrogate pair") from None
    if len(encoded) > most or b"\0" in encoded:
        raise ProtocolError(f"{name}: a text of {len(encoded)} bytes; most are {most}, none 0")
    return encoded


def _members(structure: Structure, content: bytes) -> dict[str, Any]:
    found = iter(structure.packing.unpack(content))
    return {
        m.name: [next(found) for _ in range(m.items)] if m.shape else next(found) for m in structure.members
    }


def _decoded(text: bytes) -> str:
    """Return a text of at most as many bytes, so that it can be sent on."""
    return text.rstrip(b"\0").decode(errors="replace").replace("\ufffd", "?")


def _unpack(message: str, f: Member, members: Mapping[str, Any], sequence: int) -> Any:
    item = members[f.name]
    if f.kind in ("choice", "bool"):
        names: Mapping[int, Any] = f.names if f.kind == "choice" else {0: False, 1: True}
        if item not in names:
            raise LaterVersionError(f"{message}: {f.name} is {item}", sequence, "bad_argument")
        return names[item]
    if f.kind == "bits":
        return frozenset(name for name, bit in f.choices.items() if item >> bit & 1)
    if f.kind == "text":
        return _decoded(item)
    if f.kind == "texts":
        texts = [_decoded(text) for text in item]
        return texts[: len(texts) - next((n for n, text in enumerate(reversed(texts)) if text), len(texts))]
    if f.kind not in ("ints", "bytes"):
        return item
    count = members[f.name + ("_count" if f.kind == "ints" else "_bytes")]
    if count > f.most:
        raise ProtocolError(f"{message}: {f.name} has {count} items of {f.most}")
    return item[:count]


# ------------------------------------------------------------ versions before 2.0, and the ends


def _old_integers(payload: bytes) -> Iterator[int]:
    """Yield the integers at the beginning of an array of CBOR, four at most."""
    at = 1
    for _ in range(min(payload[0] & 31, 4)):
        low = payload[at] if at < len(payload) else 0xFF
        more = {24: 1, 25: 2, 26: 4}.get(low, 0)
        number = payload[at + 1 : at + 1 + more]
        if low > 26 or len(number) < more:
            return
        yield int.from_bytes(number, "big") if more else low
        at += 1 + more


def old_hello_request() -> bytes:
    """Return what hosts of versions before 2.0 ask a device by."""
    return bytes((0x82, 1, 0x18, _OLD_HELLO))


def old_hello() -> bytes:
    """Return a hello for such hosts, up to its version."""
    return bytes((0x84, 1, 1, 0, 0x19)) + _own_version().to_bytes(2, "big")


@cache
def device_messages() -> Codec:
    """What a device may send."""
    return Codec(schema().enums["device_message"], _HEAD.size + _MOST_RECORD_BYTES, skips=True)


@cache
def host_requests() -> Codec:
    """What a host may send."""
    return Codec(schema().enums["request"], schema().constants["request_bytes_max"], skips=False)
