# SPDX-License-Identifier: BSD-2-Clause
"""Messages of a sender that is not trusted cost no more than their length, and are refused by byte."""

import random
import tracemalloc

import cbor2
import pytest
from litemrc.device.link.cbor import CBORError, read_array
from litemrc.device.link.protocol import OtherVersionError, ProtocolError, device_messages, host_requests
from litemrc.device.link.schema import schema

from tests.host.scripted_device import told

DEEPEST = 2 + schema().constants["later_depth"]
CODECS = [device_messages(), host_requests()]
MOST_BYTES = (
    2 << 20
)  # 6,739 bytes of a message, each an empty map of 64 bytes in a list with 8 for each: 0.5 MB


def read(payload: bytes) -> list:
    items: list = []
    read_array(payload, items, DEEPEST)
    return items


def tower(levels: int) -> bytes:
    """Lists that each hold the one below three times, as shared references: 3^levels items."""
    inner = b"\x00"
    for level in range(levels - 1, -1, -1):
        reference = b"\xd8\x1d" + (bytes([level + 1]) if level < 23 else bytes([24, level + 1]))
        inner = b"\xd8\x1c\x83" + inner + (reference if level < levels - 1 else b"\x00") * 2
    return b"\x83\x01\x18\x42" + inner


@pytest.mark.parametrize("codec", CODECS)
def test_shared_references_cost_nothing(codec):
    payload = tower(12)  # 531,441 items
    assert len(payload) <= codec.max_received_bytes
    tracemalloc.start()
    with pytest.raises(ProtocolError, match="byte 4: a tag; messages have none"):
        codec.decode(payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES


@pytest.mark.parametrize(
    "tag", [0, 2, 4, 25, 28, 29, 30, 35, 36, 37, 43, 256, 258, 260, 43000, 55799, 2**64 - 1]
)
@pytest.mark.parametrize("codec", CODECS)
def test_every_tag_is_refused_wherever_it_stands(codec, tag):
    tagged = cbor2.dumps(cbor2.CBORTag(tag, "(a+)+$"))
    for before in (
        b"",
        b"\x83",
        b"\x83\x07",
        b"\x83\x07\x04",
        b"\x83\x07\x04\xa1",
        b"\x83\x07\x04\xa1\x18\x63",
    ):
        why = f"byte {len(before)}: a tag" if before else "not an array"
        with pytest.raises(ProtocolError, match=why):
            codec.decode(before + tagged)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"\x82\x07\x9f\x00\xff", "byte 2: an indefinite length"),
        (b"\x82\x07\xbf\xff", "byte 2: an indefinite length"),
        (b"\x82\x07\x5f\x41a\xff", "byte 2: an indefinite length"),
        (b"\x82\x07\x7f\x61a\xff", "byte 2: an indefinite length"),
        (b"\x82\x07\xff", "byte 2: no item is 0xff"),
        (b"\x82\x07\x1c", "byte 2: no item is 0x1c"),
        (b"\x82\x07\x1f", "byte 2: no item is 0x1f"),
        (b"\x82\x07\xfc", "byte 2: no item is 0xfc"),
        (b"\x82\x07\xe0", "byte 2: no item is 0xe0"),  # simple values that have no meaning
        (b"\x82\x07\xf8\xff", "byte 2: no item is 0xf8"),
        (b"\x82\x07\x9a\xff\xff\xff\xff", "byte 7: 4294967295 items in 0 bytes"),
        (
            b"\x82\x07\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x00",
            "byte 11: 18446744073709551615 items in 1 bytes",
        ),
        (b"\x82\x07\xba\x80\x00\x00\x00\x00\x00", "byte 7: 4294967296 items in 2 bytes"),
        (
            b"\x82\x07\x5b\x00\x00\x01\x00\x00\x00\x00\x00ab",
            "byte 11: 1099511627776 bytes of a byte string in 2",
        ),
        (b"\x82\x07\x7b\x00\x00\x01\x00\x00\x00\x00\x00ab", "byte 11: 1099511627776 bytes of a text in 2"),
        (b"\x82\x07", "byte 1: 2 items in 1 bytes"),
        (b"\x82\x81\x00", "byte 3: the message ends"),
        (b"\x82\x07\x1a\x00\x01", "byte 2: a number of 4 bytes, of which 2 are there"),
        (b"\x82\x07\x18\x17", "byte 2: 23 in 2 bytes"),
        (b"\x82\x07\x19\x00\xff", "byte 2: 255 in 3 bytes"),
        (b"\x82\x07\x1a\x00\x00\xff\xff", "byte 2: 65535 in 5 bytes"),
        (b"\x82\x07\x1b\x00\x00\x00\x00\xff\xff\xff\xff", "byte 2: 4294967295 in 9 bytes"),
        (b"\x87\x18\x17\x00\x00\x00\x00\x00\x00", "byte 1: 23 in 2 bytes"),  # where more bytes follow, too
        (b"\x87\x19\x00\xff\x00\x00\x00\x00\x00\x00", "byte 1: 255 in 3 bytes"),
        (b"\x87\x1a\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00", "byte 1: 65535 in 5 bytes"),
        (b"\x82\x07\x38\x17", "byte 2: 23 in 2 bytes"),  # -24
        (b"\x82\x07\x58\x01a", "byte 2: 1 in 2 bytes"),  # lengths
        (b"\x82\x07\x78\x01a", "byte 2: 1 in 2 bytes"),
        (b"\x82\x07\x98\x01\x00", "byte 2: 1 in 2 bytes"),
        (b"\x82\x07\xb8\x01\x00\x00", "byte 2: 1 in 2 bytes"),
        (b"\x82\x07\x63a\xffb", "byte 4: a text that is not UTF-8"),
        (b"\x82\x07\x63\xed\xa0\x80", "byte 3: a text that is not UTF-8"),  # a surrogate
        (b"\x82\x07\x62\xc0\x80", "byte 3: a text that is not UTF-8"),  # zero in two bytes
        (b"\x82\x07\xa2\x01\x00\x01\x00", "byte 5: a key that the map has already"),
        (b"\x82\x07\xa2\x81\x01\x00\x81\x01\x00", "byte 6: a key that the map has already"),
        (b"\x82\x07\x00\x00", "byte 3: 1 more behind the message"),
        (b"\x82\x07" + b"\x81" * 7 + b"\x80", "byte 9: arrays and maps are nested more than 8 deep"),
        (b"\x82\x07" + b"\xa1\x00" * 8 + b"\x00", "byte 16: arrays and maps are nested more than 8 deep"),
        (b"\x82\x07" + b"\xa1" * 8 + b"\x80" * 9, "byte 9: arrays and maps are nested more than 8 deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_byte(payload, why):
    with pytest.raises(CBORError, match=why.replace("(", r"\(")):
        read(payload)


def test_the_deepest_value_of_a_later_option_is_skipped():
    log = device_messages().encode(told("log", line="a"))
    for depth, message in ((6, True), (7, False)):
        payload = log[:-1] + b"\xa1\x09" + b"\x81" * (depth - 1) + b"\x80"
        if message:
            assert device_messages().decode(payload).skipped == 1
        else:
            with pytest.raises(ProtocolError, match="nested more than 8 deep"):
                device_messages().decode(payload)


@pytest.mark.parametrize("item", [b"\x80", b"\xa0", b"\x60", b"\x40", b"\xf6", b"\x00", b"\xa1\x00\x80"])
def test_memory_is_bounded_by_the_length_of_a_message(item):
    count = (device_messages().max_received_bytes - 4) // len(item)
    payload = b"\x81\x99" + count.to_bytes(2, "big") + item * count
    tracemalloc.start()
    with pytest.raises(ProtocolError, match="no type number"):
        device_messages().decode(payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_BYTES


@pytest.mark.parametrize("codec", CODECS)
def test_a_message_longer_than_any_is_not_read(codec):
    payload = b"\x82\x07\x59" + codec.max_received_bytes.to_bytes(2, "big") + bytes(codec.max_received_bytes)
    with pytest.raises(
        ProtocolError, match=f"{len(payload)} bytes, more than the {codec.max_received_bytes}"
    ):
        codec.decode(payload)


@pytest.mark.parametrize("behind", [b"\xc0\x00", b"\x9f\xff", b"\xff", b""])
def test_a_hello_of_another_major_version_is_known_whatever_follows_its_number(behind):
    with pytest.raises(OtherVersionError, match="protocol version 2001"):
        device_messages().decode(b"\x85\x07\x01\x00\x19\x07\xd1" + behind)


@pytest.mark.parametrize("version", [b"\x20", b"\x1b" + b"\xff" * 8, b"\x63abc"])
def test_a_number_that_is_no_version_is_damage(version):
    with pytest.raises(ProtocolError, match="message 1 has other fields"):
        device_messages().decode(b"\x84\x07\x01\x00" + version)


def test_items_are_those_that_another_decoder_reads():
    """cbor2 is the reference, for values of every kind and every length of an integer."""
    dice = random.Random(4)

    def value(depth: int):
        kind = dice.randrange(4 if depth == 0 else 6)
        if kind == 0:
            return dice.choice([1, -1]) * dice.randrange(
                2 ** dice.choice([1, 4, 5, 8, 9, 16, 17, 32, 33, 63])
            )
        if kind == 1:
            return dice.choice([False, True, None, 0.5, -(2.0**40)])
        if kind == 2:
            return dice.randbytes(dice.choice([0, 1, 23, 24, 255, 256]))
        if kind == 3:
            return "".join(dice.choices("aä€😀", k=dice.choice([0, 1, 23, 24, 300])))
        if kind == 4:
            return [value(depth - 1) for _ in range(dice.choice([0, 1, 3, 30]))]
        return {dice.randrange(2**17): value(depth - 1) for _ in range(dice.choice([0, 1, 3, 25]))}

    for _ in range(300):
        items = [value(2) for _ in range(dice.randrange(24))]
        assert read(cbor2.dumps(items)) == items


def test_a_text_that_has_no_bytes_is_refused_before_it_is_sent():
    with pytest.raises(ProtocolError, match="path: character 4 is half of a surrogate pair"):
        host_requests().encode(host_requests().new("follow_cgroup", context=1, path="/app\udcff"))
