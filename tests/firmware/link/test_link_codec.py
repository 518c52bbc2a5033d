# SPDX-License-Identifier: BSD-2-Clause
"""The C codec of the firmware and the Python codec of the host agree on bytes, fields and limits."""

import random
import subprocess

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import ProtocolError, device_messages, host_requests

from tests.firmware.link.link_messages import printed, random_message

CODECS = {"device": device_messages, "host": host_requests}


@pytest.fixture(params=CODECS)
def direction(request):
    return request.param


def run_codec(programs, mode, direction, data, program="codec"):
    return subprocess.run(
        [programs / program, mode, direction], input=data, stdout=subprocess.PIPE, check=True
    ).stdout


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_sides_read_the_same_fields_and_write_the_same_bytes(programs, direction, seed):
    codec, dice = CODECS[direction](), random.Random(seed)
    messages = [random_message(codec, dice, name) for name in codec.types for _ in range(300)]
    dice.shuffle(messages)
    frames = [frame(codec.encode(message)) for message in messages]

    *lines, counts = run_codec(programs, "text", direction, b"".join(frames)).decode().splitlines()

    assert counts == f"frames={len(messages)} damaged=0 oversized=0"
    assert lines[0::2] == [printed(message) for message in messages]
    assert lines[1::2] == [encoded.hex() for encoded in frames]
    assert [codec.decode(codec.encode(message)) for message in messages] == messages


def longest(codec, name):
    """The message with the maximum value in every field."""

    def value(field):
        if field.kind == "BITS":
            return [name for name, _ in field.choices]
        if field.choices:
            return max(field.choices, key=lambda choice: choice[1])[0]
        if field.kind == "LIST":
            return [value(field.item)] * field.high
        if field.kind in ("TSTR", "BSTR"):
            return "x" * field.high if field.kind == "TSTR" else b"\xff" * field.high
        return field.high if field.kind == "UINT" else True

    return codec.new(name, **{field.name: value(field) for field in codec.types[name].body})


def test_the_longest_message_is_as_long_as_the_buffers_assume_and_passes(programs, direction):
    codec = CODECS[direction]()
    payloads = [codec.encode(longest(codec, name)) for name in codec.types]

    said = run_codec(programs, "text", direction, b"".join(map(frame, payloads))).decode()

    assert max(map(len, payloads)) == codec.max_bytes
    assert f"frames={len(payloads)} damaged=0 oversized=0" in said
    assert "unknown" not in said


def test_a_held_request_is_not_touched_by_the_next_which_is_counted_as_damaged(programs):
    codec = host_requests()
    requests = [codec.new("echo", sequence=n, payload=bytes([n] * 99)) for n in (1, 2, 3, 4, 5)]
    data = b"".join(frame(codec.encode(request)) for request in requests)

    *lines, counts = run_codec(programs, "hold", "host", data + b"\0\0").decode().splitlines()

    assert lines[0::2] == [printed(requests[n]) for n in (0, 2, 4)]
    assert counts == "frames=3 damaged=2 oversized=0"


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("set_epoch", "unit", "seconds"),
        ("set_epoch", "length", 2**32),
        ("set_epoch", "length", -1),
        ("set_epoch", "length", 1.5),
        ("echo", "payload", bytes(129)),
        ("monitor", "on", 1),
        ("set_range", "upper", 2**32),
        ("set_sampling", "sampling", 256),
        ("freeze", "on", 0),
    ],
)
def test_what_the_schema_forbids_is_not_sent_and_the_field_is_named(name, field, value):
    allowed = {"set_epoch": {"unit": "cycles", "length": 1}, "set_range": {"lower": 0}}.get(name, {})
    message = host_requests().new(name, **allowed | {field: value})

    with pytest.raises(ProtocolError, match=f"^{field}: "):
        host_requests().encode(message)
