# SPDX-License-Identifier: BSD-2-Clause
"""Frames on the wire: any payload passes, in reads of any size; oversized frames are counted."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from litemrc.device.link.frames import FrameSplitter, frame

PAYLOADS = st.lists(st.binary(min_size=1, max_size=600), max_size=8)


@given(PAYLOADS, st.lists(st.integers(0, 6000)))
def test_payloads_pass_however_the_stream_is_cut(payloads, cuts):
    stream = b"".join(map(frame, payloads))
    ends = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    splitter = FrameSplitter(600)

    received = [payload for start, end in pairwise(ends) for payload in splitter.feed(stream[start:end])]

    assert received == payloads
    assert splitter.damaged == splitter.oversized == 0


@given(st.binary(min_size=1, max_size=100))
def test_a_frame_has_one_zero_and_it_is_the_last(payload):
    assert frame(payload).index(0) == len(frame(payload)) - 1


def test_what_is_too_long_is_dropped_counted_once_and_forgotten():
    splitter = FrameSplitter(10)
    parts = [frame(b"first"), b"x" * 5000, b"y" * 5000 + b"\0", frame(bytes(11)), frame(b"last")]

    received = [payload for part in parts for payload in splitter.feed(part)]

    assert received == [b"first", b"last"]
    assert (splitter.oversized, splitter.damaged) == (2, 0)


def test_a_frame_that_began_before_we_listened_is_not_called_damaged():
    splitter = FrameSplitter(10)

    received = list(splitter.feed(frame(b"before")[3:] + frame(b"after") + frame(b"broken")[3:]))

    assert received == [b"after"]
    assert splitter.damaged == 1
