# SPDX-License-Identifier: BSD-2-Clause
"""A million hostile byte strings: the firmware's receiver takes the frames that frame.h's comment describes.

The receiver runs under AddressSanitizer and UndefinedBehaviorSanitizer, which end it at the first fault. The
codec of the host never fails but by its own errors.
"""

import random
import struct
import zlib
from itertools import cycle

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import ProtocolError

from tests.firmware.link.link_messages import CODECS, random_message, unframed
from tests.firmware.link.test_link_frames import received

STRINGS = 1_000_000
PARTS = 4
KINDS = {}


def kind(make):
    KINDS[make.__name__] = make
    return make


@kind
def anything(dice, valid):
    """Random bytes, zeros included."""
    return dice.randbytes(dice.randrange(2000) if dice.random() < 0.005 else dice.randrange(60))


@kind
def good_code(dice, valid):
    """A valid code with a wrong CRC: passes the first check only."""
    return bytes([0x07]) + dice.randbytes(6).replace(b"\0", b"x") + bytes([dice.randrange(1, 256)])


@kind
def good_crc(dice, valid):
    """Any bytes, half of them 0, with a correct CRC."""
    payload = bytes(dice.choice((0, dice.randrange(256))) for _ in range(dice.randrange(1, 40)))
    return frame(payload)[:-1]


@kind
def nearly_valid(dice, valid):
    """A message with up to three wrong bytes and a matching CRC."""
    payload = bytearray(dice.choice(valid))
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(payload) - 1)
        what = dice.randrange(4)
        if what == 0:
            payload[at] ^= 1 << dice.randrange(8)
        elif what == 1:
            payload[at] = dice.choice(b"\x00\x01\x07\x7f\x80\xff")
        elif what == 2:
            payload.insert(at, dice.randrange(256))
        elif len(payload) > 8:
            del payload[at]
    return frame(bytes(payload))[:-1]


def frames_of(string):
    """The payloads of the good frames in a string."""
    found = []
    for part in string.split(b"\0"):
        try:
            content = unframed(part) if part else b""
        except AssertionError:
            continue
        if len(content) > 4 and struct.pack("<I", zlib.crc32(content[:-4])) == content[-4:]:
            found.append(content[:-4])
    return found


@pytest.mark.parametrize("part", range(PARTS // 2))
@pytest.mark.parametrize("direction", CODECS)
def test_both_decoders_survive_a_million_strings_and_agree(programs, direction, part):
    codec, dice = CODECS[direction](), random.Random(f"{direction} {part}")
    valid = [codec.encode(random_message(codec, dice)) for _ in range(400)]
    count = STRINGS // PARTS
    strings = [make(dice, valid) for make, _ in zip(cycle(KINDS.values()), range(count), strict=False)]

    expected = list(map(frames_of, strings))
    found = received(programs, strings)

    differ = [each for each in zip(strings, found, expected, strict=True) if each[1] != each[2]]
    assert not differ, differ[:3]
    # The strings were worth it: many passed the CRC, some of them all the way.
    passed = 0
    for payload in (payload for payloads in found for payload in payloads):
        try:
            passed += codec.decode(payload) is not None
        except ProtocolError:
            continue
    assert sum(map(len, found)) > 0.4 * count
    assert 0.05 * count < passed < 0.3 * count
