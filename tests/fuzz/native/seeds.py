# SPDX-License-Identifier: BSD-2-Clause
"""Well-formed inputs of the native targets: each request of the schema, and sessions of litemrcd."""

from collections.abc import Iterator
from struct import pack

from litemrc.device.link.protocol import host_requests
from litemrc.device.link.schema import Member


def _value(field: Member, number: int) -> object:
    if field.kind == "choice":
        return list(field.choices)[number % len(field.choices)]
    values: dict[str, object] = {"bool": number % 2 == 1, "bytes": b"xyz", "text": "/a/b"}
    return values.get(field.kind, number)


def requests() -> Iterator[bytes]:
    """Yield each request of the headers."""
    codec = host_requests()
    for number, name in enumerate(codec.types):
        values = {field.name: _value(field, 1 + number % 3) for field in codec.types[name].body}
        yield codec.encode(codec.new(name, **values | {"sequence": 7 + number}))


def _step(kind: str, content: bytes) -> bytes:
    length = pack("<H", len(content)) if kind in "es" else pack("B", len(content))
    return kind.encode() + length + content


def sessions() -> Iterator[bytes]:
    """Yield inputs of daemon_input: each request at the serial port and at a client's, and records."""
    texts = (b"1\n", b"8191\n", b"cycles\n", b"none\n", b"power_down\n", b"following\n", b"12\n")
    answers = [
        b"".join(_step("s", text) for text in (texts[at:] + texts[:at]) * 2) for at in range(len(texts))
    ]
    for number, request in enumerate(requests()):
        yield answers[number % len(answers)] + _step("r", request) + _step("l", b"")
        yield _step("j", b"") + _step("R", request) + _step("l", b"")
    always_on = b"".join(_step("s", b"%d\n" % value) for value in (0, 1, 1, 0, 0, 2, 8, 0, 8191, 1))
    yield always_on + b"".join(_step("r", request) for request in requests())
    yield (
        _step("j", b"")
        + b"".join(_step("E", bytes([0xFF, *range(16), at])) for at in range(9))
        + _step("l", b"")
    )
    yield _step("e", bytes(64)) + _step("E", bytes([6, 255, 10, 1, 0xFF, 1]))
    queue = (b"0\n", b"7\n8\n", b"0\n", b"0\n", b"0\n")  # first, frames, first, lost, overflows
    yield b"".join(_step("s", text) for text in queue) + _step("b", b"\0\1\2\0")
    # Images of epoch 0: 8,192 frames; 3 hot pages, or more than there are. The last word is the first.
    codec, epoch = host_requests(), _step("s", b"0\n")
    select = codec.encode(codec.new("set_page_messages", sequence=5, accessed=True, hot=True))
    for count in (3, 1000):
        images = _step("s", pack("<2I", 0, 8192)) + _step("s", pack("<4I", 0, 70, 1, count))
        yield (
            epoch * 16 + _step("r", select) + _step("l", b"") + images + _step("E", bytes([0xFF, 0])) + images
        )
    yield _step("x", b"\x10") + b"".join(_step("r", request) for request in requests())
