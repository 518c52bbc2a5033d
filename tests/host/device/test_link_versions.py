# SPDX-License-Identifier: BSD-2-Clause
"""The link: what a later minor version added is skipped and counted apart; sequence numbers wrap."""

import struct
from collections.abc import Iterable

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.link import LinkCounts, MessageReceiver
from litemrc.device.link.protocol import LaterVersionError, device_messages, host_requests
from litemrc.device.link.schema import schema

from tests.host.scripted_device import hello, told

PROTOCOL = schema().constants["protocol_version"]
LAST = 2**32 - 1


def encoded(message):
    return device_messages().encode(message)


def test_what_structures_have_at_their_ends_in_a_later_version_is_skipped():
    event = told("event", sequence=4, kind="workload_done", cycles=7)
    received = device_messages().decode(encoded(event) + b"\1\0\0\0")
    assert received == event
    assert (event.skipped, received.skipped) == (0, 1)


@pytest.mark.parametrize("bytes_left", range(0, 24, 4))
def test_what_is_missing_of_a_structure_is_zero(bytes_left):
    event = told("event", kind="workload_started", workload=1, context=2, epoch=3, cycles=2**32 + 5)
    short = encoded(event)[: 8 + bytes_left]
    if not bytes_left:
        with pytest.raises(LaterVersionError, match="event: kind is 0"):
            device_messages().decode(short)
        return
    names = ("kind", "workload", "context", "epoch", "cycles")
    kept = dict(zip(names[: min(bytes_left // 4, 4)], ("workload_started", 1, 2, 3), strict=False))
    if bytes_left == 20:
        kept["cycles"] = 5
    assert device_messages().decode(short) == told("event", **kept)


def test_feature_bits_of_a_later_version_are_skipped():
    said = hello(sequence=1, page_bitmap=True)
    payload = bytearray(encoded(said))
    assert payload[16:20] == b"\1\0\0\0", "behind type, sequence, request and version"
    payload[19] = 0xC0
    received = device_messages().decode(bytes(payload))
    assert (received, received.skipped) == (said, 2)
    assert (received.page_bitmap, received.rank_power) == (True, False)


def test_a_hello_of_a_later_minor_version_is_understood():
    said = hello(sequence=1, protocol=PROTOCOL + 1)
    assert device_messages().decode(encoded(said)).protocol == PROTOCOL + 1


def test_a_hello_of_protocol_2_0_has_no_banks():
    """Its structure ends before the three words of version 2.1."""
    said = hello(sequence=1, protocol=2000, identifier="a board", banks=8, access_bytes=16)
    received = device_messages().decode(encoded(said)[:-12])
    assert (received.protocol, received.identifier, received.skipped) == (2000, "a board", 0)
    assert (received.banks, received.access_bytes) == (0, 0)
    assert device_messages().decode(encoded(said)) == said


def test_what_is_not_given_is_nothing():
    first, second = device_messages().new("nak", request=1, error="busy"), told("ack")
    assert first.reason == "" and (second.request, second.payload) == (0, b"")
    assert second.values == [] and second.values is not told("ack").values


def test_messages_of_a_later_version_are_counted_apart_and_are_not_lost():
    receiver = MessageReceiver()
    unknown = frame(struct.pack("<II", 4711, 5) + b"anything")
    messages = [frame(encoded(told("log", sequence=n))) for n in (4, 6)]
    longer = frame(encoded(told("log", sequence=7)) + b"more")
    event = frame(struct.pack("<III", 3, 8, 9))  # of a kind that is not known
    damaged = frame(b"\x83\x08\x19")
    received = list(receiver.feed(b"\0" + messages[0] + unknown + messages[1] + longer + event + damaged))
    assert [message.sequence for message in received] == [4, 6, 7]
    assert receiver.counts == LinkCounts(frames=3, unknown=2, skipped=1, damaged=1)


@pytest.mark.parametrize(
    ("payload", "why", "error"),
    [
        (struct.pack("<III", 75, 9, 2), "monitor: on is 2", "bad_argument"),
        (struct.pack("<IIII", 75, 9, 1, 5), "monitor: 4 bytes more", "bad_argument"),
        (struct.pack("<III", 76, 9, 5), "clear: 4 bytes more", "bad_argument"),
        (struct.pack("<IIII", 68, 9, 3, 5), "set_epoch: unit is 3", "bad_argument"),
        (struct.pack("<II", 4711, 9), "no message has type 4711", "unknown"),
    ],
)
def test_a_request_of_a_later_version_is_refused_by_its_number(payload, why, error):
    with pytest.raises(LaterVersionError, match=why) as refused:
        host_requests().decode(payload)
    assert (refused.value.sequence, refused.value.error) == (9, error)


def test_a_request_whose_unknown_part_is_zero_is_understood():
    request = host_requests().new("monitor", sequence=9, on=True)
    assert host_requests().decode(host_requests().encode(request) + bytes(8)) == request
    clear = host_requests().new("clear", sequence=9)
    assert host_requests().decode(host_requests().encode(clear) + bytes(4)) == clear


def counts_after(sequences: Iterable[int]) -> LinkCounts:
    codec, receiver = device_messages(), MessageReceiver()
    for sequence in sequences:
        for _ in receiver.feed(
            frame(codec.encode(codec.new("log", sequence=sequence, level="info", line="x")))
        ):
            pass
    return receiver.counts


@pytest.mark.parametrize(
    ("sequences", "lost", "restarts"),
    [
        ([LAST - 1, LAST, 0, 1], 0, 0),
        ([LAST - 1, 1], 2, 0),  # LAST and 0 are missing
        ([LAST, 3], 3, 0),  # 0, 1 and 2 are missing
        ([7, 7 + 2**31], 2**31 - 1, 0),  # the largest step that counts as forward
        ([7, 8 + 2**31], 0, 1),  # the smallest that counts as back
        ([5, 5], 0, 1),
        ([LAST, LAST], 0, 1),
    ],
)
def test_gaps_are_counted_across_the_wrap(sequences, lost, restarts):
    counts = counts_after(sequences)
    assert (counts.frames, counts.lost, counts.restarts) == (len(sequences), lost, restarts)
