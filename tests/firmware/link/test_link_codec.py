# SPDX-License-Identifier: BSD-2-Clause
"""Messages of the host package pass the firmware's frames as they are."""

import random
import subprocess

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import host_requests

from tests.firmware.link.link_messages import CODECS, random_message


@pytest.fixture(params=CODECS)
def codec(request):
    return CODECS[request.param]()


def run_codec(programs, mode, data, *capacity):
    command = [programs / "codec", mode, *capacity]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout.decode()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_sides_make_the_same_frames_and_read_the_same_messages(programs, codec, seed):
    dice = random.Random(seed)
    messages = [random_message(codec, dice, name) for name in codec.types for _ in range(100)]
    dice.shuffle(messages)
    payloads = [codec.encode(message) for message in messages]
    frames = list(map(frame, payloads))

    *lines, counts = run_codec(programs, "text", b"".join(frames), "1000").splitlines()

    assert counts == f"frames={len(messages)} damaged=0 oversized=0"
    assert lines[0::2] == [payload.hex() for payload in payloads]
    assert lines[1::2] == [encoded.hex() for encoded in frames]
    assert list(map(codec.decode, payloads)) == messages


def longest(codec, name):
    """The message with the maximum value in every field."""

    def value(field):
        many = {"bytes": b"\xff", "text": "x", "ints": [2**32 - 1], "texts": ["x" * field.size]}
        if field.kind in many:
            return many[field.kind] * field.most
        if field.kind == "choice":
            return max(field.choices, key=field.choices.get)
        return list(field.choices) if field.kind == "bits" else True if field.kind == "bool" else field.most

    return codec.new(name, sequence=2**32 - 1, **{f.name: value(f) for f in codec.types[name].body})


def test_the_longest_request_fits_into_the_buffer_of_a_device(programs):
    codec = host_requests()
    payloads = [codec.encode(longest(codec, name)) for name in codec.types]
    most = codec.max_bytes

    said = run_codec(programs, "text", b"".join(map(frame, [*payloads, b"x" * most, b"x" * (most + 1)])))

    assert max(map(len, payloads)) <= most
    assert said.splitlines()[-1] == f"frames={len(payloads) + 1} damaged=0 oversized=1"


def test_a_held_request_is_not_touched_by_the_next_which_is_counted_as_damaged(programs):
    codec = host_requests()
    requests = [codec.encode(codec.new("echo", sequence=n, payload=bytes([n] * 99))) for n in (1, 2, 3, 4, 5)]
    data = b"".join(map(frame, requests))

    *lines, counts = run_codec(programs, "hold", data + b"\0\0").splitlines()

    assert lines[0::2] == [requests[n].hex() for n in (0, 2, 4)]
    assert counts == "frames=3 damaged=2 oversized=0"
