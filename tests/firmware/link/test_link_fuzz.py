# SPDX-License-Identifier: BSD-2-Clause
"""A million hostile byte strings: neither decoder fails, and both accept the same strings as messages.

The C side runs under AddressSanitizer and UndefinedBehaviorSanitizer, which end it at the first fault. Every
string goes to both sides, half of them as messages of a device and half as requests of a host.
"""

import random
import struct
import subprocess
from itertools import cycle

import cbor2
import pytest
from cobs import cobs
from litemrc.device.link.frames import FrameSplitter, frame
from litemrc.device.link.protocol import OtherVersionError, ProtocolError, device_messages, host_requests

from tests.firmware.link.link_messages import random_message

CODECS = {"device": device_messages, "host": host_requests}
STRINGS = 1_000_000
KINDS = {}


def kind(make):
    KINDS[make.__name__] = make
    return make


@kind
def anything(dice, valid):
    """Random bytes, zeros included."""
    return dice.randbytes(dice.randrange(2000) if dice.random() < 0.005 else dice.randrange(60))


@kind
def good_cobs(dice, valid):
    """Valid COBS with a wrong CRC: passes the first check only."""
    return cobs.encode(dice.randbytes(dice.randrange(1500) if dice.random() < 0.005 else dice.randrange(60)))


@kind
def good_crc(dice, valid):
    """Items of CBOR in an array, with a correct CRC."""
    count = dice.randrange(24)
    payload = bytes([0x80 + count]) + b"".join(random_item(dice, 0) for _ in range(count))
    return frame(payload[: dice.randrange(1, len(payload) + 40)])[:-1]


@kind
def nearly_valid(dice, valid):
    """A message with one to three wrong bytes and a matching CRC."""
    payload = bytearray(dice.choice(valid))  # at least four bytes, so that three deletions leave one
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(payload) - 1)
        what = dice.randrange(4)
        if what == 0:
            payload[at] ^= 1 << dice.randrange(8)
        elif what == 1:
            payload[at] = dice.choice(b"\x00\x17\x18\x19\x1a\x1b\x1f\x80\x98\x9b\x9f\xf4\xf7\xff")
        elif what == 2:
            payload.insert(at, dice.randrange(256))
        else:
            del payload[at]
    return frame(bytes(payload))[:-1]


def with_later_options(payload, dice):
    """The message without options, with one to three of a later version."""
    keys = sorted(dice.sample(range(20, 200), dice.randrange(1, 4)))
    values = (0, 2**32 - 1, True, "x", b"y" * 9, [1, [2]], {1: 2}, None, -3)
    return payload[:-1] + cbor2.dumps({key: dice.choice(values) for key in keys})


def random_item(dice, depth):
    """A data item in CBOR: any major type, possibly with a wrong length or nested."""
    major, size = dice.randrange(8), dice.choice((0, 1, 5, 23, 24, 25, 26, 27, 28, 31))
    head = bytes([major << 5 | size]) + dice.randbytes({24: 1, 25: 2, 26: 4, 27: 8}.get(size, 0))
    if major in (2, 3):
        return head + dice.randbytes(size if size < 24 else 3)
    if major in (4, 5, 6) and depth < 3:
        return head + b"".join(random_item(dice, depth + 1) for _ in range(min(size, 3)))
    return head


class PythonDecoder:
    """Count frames and messages in a string, like the C side; None where the two may differ."""

    def __init__(self, codec):
        self._codec = codec
        self._splitter = FrameSplitter(codec.max_received_bytes)

    def judge(self, string):
        frames = messages = 0
        for payload in self._splitter.feed(string + b"\0"):
            frames += 1
            try:
                self._codec.decode(payload)
                messages += 1
            except OtherVersionError:
                messages = None  # the C side does not look at the version
                break
            except ProtocolError as error:
                if "not UTF-8" in str(error):
                    messages = None  # the C side passes text on as it is
                    break
        return frames, messages


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("direction", CODECS)
def test_both_decoders_survive_a_million_strings_and_agree(programs, direction, part):
    codec, dice = CODECS[direction](), random.Random(f"{direction} {part}")
    valid = [codec.encode(random_message(codec, dice)) for _ in range(400)]
    valid += [with_later_options(payload, dice) for payload in valid if payload[-1] == 0xA0][:100]
    count = STRINGS // (len(CODECS) * 2)
    strings = [make(dice, valid) for make, _ in zip(cycle(KINDS.values()), range(count), strict=False)]

    python = PythonDecoder(codec)
    verdicts = [python.judge(string) for string in strings]
    data = b"".join(struct.pack("<H", len(string)) + string for string in strings)
    said = subprocess.run(
        [programs / "codec", "judge", direction], input=data, stdout=subprocess.PIPE, check=True
    )

    # What C skips, it does not look into; Python refuses what has not one canonical encoding.
    triples = list(zip(said.stdout[0::3], said.stdout[1::3], said.stdout[2::3], strict=True))
    differ = [
        (string.hex(), c, py)
        for string, c, py in zip(strings, triples, verdicts, strict=True)
        if c[0] != py[0] or (py[1] is not None and c[1] != py[1] and not py[1] < c[1] <= py[1] + c[2])
    ]
    assert not differ, differ[:3]
    # The strings were worth it: many passed the CRC, some of them all the way.
    passed_crc, passed = sum(f for f, _ in verdicts), sum(m or 0 for _, m in verdicts)
    assert passed_crc > 0.4 * count
    assert 0.05 * count < passed < 0.3 * count
    skipped = sum(later for *_, later in triples)
    assert skipped > 0.005 * count if direction == "device" else skipped == 0
