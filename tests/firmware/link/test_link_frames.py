# SPDX-License-Identifier: BSD-2-Clause
"""Frames on the wire: the encoder and receiver of the firmware, and a decoder by the comment in frame.h."""

import struct
import subprocess
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.device.link.frames import FrameSplitter, frame

from tests.firmware.link.link_messages import unframed

# Of 4 data bytes and 33 zeros in a row on, codes end.
PIECES = st.sampled_from(
    [b"a", b"bcd", b"efgh", b"\xff" * 126, b"\x80" * 127, b"i" * 128, *map(bytes, (1, 2, 3, 31, 32, 33, 64))]
)
WITH_ZEROS = st.lists(PIECES, min_size=1, max_size=12).map(b"".join) | st.binary(min_size=1, max_size=300)
PAYLOADS = st.lists(WITH_ZEROS, max_size=8)


def with_crc(payload: bytes) -> bytes:
    return payload + struct.pack("<I", zlib.crc32(payload))


def former(payload: bytes) -> bytes:
    """The frame of a payload in standard COBS, without its delimiter; no 127 bytes are without a zero."""
    return b"".join(bytes([len(block) + 1]) + block for block in with_crc(payload).split(b"\0"))


def run_codec(programs: Path, mode: str, strings: list[bytes]) -> bytes:
    data = b"".join(struct.pack("<H", len(string)) + string for string in strings)
    command = [programs / "codec", mode, "60000"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def strings_of(said: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(said):
        (length,) = struct.unpack_from("<H", said, at)
        found.append(said[at + 2 : at + 2 + length])
        at += 2 + length
    return found


def received(programs: Path, frames: list[bytes]) -> list[list[bytes]]:
    """The messages that the receiver finds in each byte string."""
    said, at, found = run_codec(programs, "judge", frames), 0, []
    while at < len(said):
        count, ends = said[at], at + 1
        for _ in range(count):
            ends += 2 + struct.unpack_from("<H", said, ends)[0]
        found.append(strings_of(said[at + 1 : ends]))
        at = ends
    return found


@given(PAYLOADS, st.lists(st.integers(0, 6000)))
def test_payloads_pass_however_the_stream_is_cut(payloads, cuts):
    stream = b"".join(map(frame, payloads))
    ends = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    splitter = FrameSplitter(1600)

    found = [payload for start, end in pairwise(ends) for payload in splitter.feed(stream[start:end])]

    assert found == payloads
    assert splitter.damaged == splitter.oversized == 0


@given(WITH_ZEROS)
def test_a_frame_is_that_of_the_comment(payload):
    framed = frame(payload)
    assert framed.index(0) == len(framed) - 1
    assert unframed(framed[:-1]) == with_crc(payload)
    assert len(framed) <= len(payload) + 4 + (len(payload) + 4) // 127 + 3, "LITEMRC_FRAME_BYTES"


@given(payloads=st.lists(WITH_ZEROS, min_size=1, max_size=40))
def test_the_firmware_encodes_and_receives_what_the_comment_says(programs, payloads):
    """Under sanitizers; the encoder is given each payload in pieces."""
    frames = strings_of(run_codec(programs, "frame", payloads))
    assert frames == list(map(frame, payloads))
    assert received(programs, [each[:-1] for each in frames]) == [[payload] for payload in payloads]


@given(blocks=st.lists(st.binary(min_size=0, max_size=110).map(lambda each: each.replace(b"\0", b"x"))))
def test_frames_of_standard_cobs_without_a_code_from_128_on_are_decoded_alike(programs, blocks):
    payload = b"\x82" + b"\0".join(blocks)
    framed = former(payload)
    assert unframed(framed) == with_crc(payload)
    assert received(programs, [framed]) == [[payload]]
    assert FrameSplitter(len(payload)).feed(framed + b"\0") == [payload]


@pytest.mark.parametrize("words", [2, 8, 64])
def test_zeros_of_words_take_little_room(words):
    """A block of up to 3 bytes and 32 zeros has one code: a word of a small number and 3 zeros 2 bytes."""
    assert len(frame(struct.pack(f"<{words}I", *range(1, words + 1)))) <= 2 * words + 7
    assert len(frame(bytes(4 * words))) <= words // 8 + 8


def test_what_is_too_long_is_dropped_counted_once_and_forgotten():
    splitter = FrameSplitter(10)
    parts = [frame(b"first"), b"\x7f" + b"x" * 5000, b"y" * 5000 + b"\0", frame(b"z" * 11), frame(b"last")]

    found = [payload for part in parts for payload in splitter.feed(part)]

    assert found == [b"first", b"last"]
    assert (splitter.oversized, splitter.damaged) == (2, 0)
