# SPDX-License-Identifier: BSD-2-Clause
"""The link: what a later minor version added is skipped and counted apart; sequence numbers wrap."""

from collections.abc import Iterable

import cbor2
import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.link import LinkCounts, MessageReceiver
from litemrc.device.link.protocol import LaterVersionError, device_messages, host_requests
from litemrc.device.link.schema import read_schema, schema

from tests.host.scripted_device import hello, told

PROTOCOL = schema().constants["protocol_version"]
LAST = 2**32 - 1


def later(message, options):
    """The message, with these options as well."""
    *items, known = cbor2.loads(device_messages().encode(message))
    return cbor2.dumps([*items, known | options])


@pytest.mark.parametrize("value", [0, 2**64 - 1, True, "text", b"bytes", [1, [2, {3: 4}]], None, -1, 1.5])
def test_options_of_a_later_version_are_skipped_whatever_they_hold(value):
    epoch = told("epoch", sequence=4, hits=[1, 2], resident=7)
    received = device_messages().decode(later(epoch, {7: value, 40_000: value}))
    assert received == epoch
    assert (epoch.skipped, received.skipped) == (0, 2)


def test_feature_bits_of_a_later_version_are_skipped():
    said = hello(sequence=1, page_bitmap=True)
    items = cbor2.loads(device_messages().encode(said))
    place = 1 + [f.name for f in said.body].index("features")  # behind sequence and type
    assert items[place] == 1 << schema().constants["feature_page_bitmap"]
    items[place] |= 1 << 31 | 1 << 30
    received = device_messages().decode(cbor2.dumps(items))
    assert (received, received.skipped) == (said, 2)
    assert (received.page_bitmap, received.rank_power) == (True, False)


def test_a_hello_of_a_later_minor_version_is_understood():
    said = hello(sequence=1, protocol=PROTOCOL + 1)
    assert device_messages().decode(device_messages().encode(said)).protocol == PROTOCOL + 1


def test_what_is_left_out_is_nothing():
    epoch = told("epoch", hits=[3])
    assert cbor2.loads(device_messages().encode(epoch))[-1] == {}
    assert (epoch.overflow, epoch.split, epoch.resident, epoch.tail) == (False, False, 0, [])
    first, second = device_messages().new("nak", request=1, error="busy"), told("epoch", hits=[3])
    assert first.reason == "" and epoch.tail is not second.tail


def test_messages_of_a_later_version_are_counted_apart_and_are_not_lost():
    receiver = MessageReceiver()
    unknown = frame(cbor2.dumps([5, 4711, "anything", {1: 2}]))
    messages = [frame(device_messages().encode(told("log", sequence=n))) for n in (4, 6)]
    options = frame(later(told("log", sequence=7), {9: 1, 10: "x"}))
    damaged = frame(
        b"\x83\x08\x19\x12\x67\x18\x01"
    )  # an unknown type again, in another encoding than the shortest
    received = list(receiver.feed(b"\0" + messages[0] + unknown + messages[1] + options + damaged))
    assert [message.sequence for message in received] == [4, 6, 7]
    assert receiver.counts == LinkCounts(frames=3, unknown=1, skipped=2, damaged=1)


def test_a_request_of_a_later_version_is_refused_by_its_number():
    request = host_requests().new("monitor", sequence=9, on=True)
    items = cbor2.loads(host_requests().encode(request))
    items[-1][1] = 5
    with pytest.raises(LaterVersionError, match="monitor: options 1 are not known") as option:
        host_requests().decode(cbor2.dumps(items))
    assert (option.value.sequence, option.value.error) == (9, "bad_argument")
    with pytest.raises(LaterVersionError, match="no message has type 4711") as unknown:
        host_requests().decode(cbor2.dumps([10, 4711, {}]))
    assert (unknown.value.sequence, unknown.value.error) == (10, "unknown")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0*16 later: 7..65535", "0*16 later: 8..65535"),  # a key that neither is known nor is skipped
        ("? tail: 6 =>", "? tail: 7 =>"),
        ("? split: 2 => bool,", ""),
    ],
)
def test_keys_of_options_have_no_gaps(tmp_path, old, new):
    from litemrc.device.link import schema as module

    path = module._INSTALLED if module._INSTALLED.exists() else module._IN_REPOSITORY
    text = path.read_text()
    assert text.count(old) == 1
    (tmp_path / "gaps.cddl").write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=r"options of epoch: keys must be 1, 2, 3"):
        read_schema(tmp_path / "gaps.cddl")


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
