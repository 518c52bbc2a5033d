# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the tests of the link: random messages of every type, noise, frames, and the peer's counters."""

import random
from collections.abc import Sequence

from litemrc.device.link.protocol import Codec, Message, device_messages, host_requests
from litemrc.device.link.schema import Member, schema
from litemrc.pages.hot_lists import HotList

from tests.records import make_record

CODECS = {"device": device_messages, "host": host_requests}
_EDGES = (0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1)
_LETTERS = "abé€𝄞"  # 1 to 4 bytes in UTF-8


def unframed(frame: bytes) -> bytes:
    """The bytes of a frame without its delimiter, CRC included, by the comment in frame.h."""
    content, at = b"", 0
    while at < len(frame):
        code = frame[at]
        data, zeros = (code - 1, 1) if code < 0x80 else (127, 0)
        if code > 0x80:
            data, zeros = (code - 0x81) // 31, (code - 0x81) % 31 + 2
        assert at + data < len(frame), "cut short"
        content += frame[at + 1 : at + 1 + data] + bytes(zeros)
        at += 1 + data
    assert content[-1:] == b"\0", "no zero at the end"
    return content[:-1]


def random_message(
    codec: Codec, dice: random.Random, name: str | None = None, edges: Sequence[int] = _EDGES
) -> Message:
    """A random message of the schema, with edges of ranges frequent; hello has the present version."""
    name = name or dice.choice(list(codec.types))
    values = {f.name: _random_value(f, dice, edges) for f in codec.types[name].body}
    if "protocol" in values:
        values["protocol"] = schema().constants["protocol_version"]
    if name == "set_hot":
        values["enable"] = (0, 1, 0, 1, 0, 1, 2, 3)[values["enable"] % 8]  # 2: rows, 3: nothing
    return codec.new(name, sequence=dice.randrange(1, 2**32), **values)


def _random_value(field: Member, dice: random.Random, edges: Sequence[int]):
    if field.kind == "record":
        hits = [_number(dice, edges, 2**32 - 1) for _ in range(dice.randrange(5))]
        rows = [{"context": context, "hits": hits} for context in range(dice.randrange(3))]
        return make_record(rows, groups=8, epoch=_number(dice, edges, 2**32 - 1))
    if field.kind == "bits":
        return frozenset(name for name in field.choices if dice.random() < 0.5)
    if field.kind == "choice":
        return dice.choice(list(field.choices))
    if field.kind == "bool":
        return dice.random() < 0.5
    if field.kind == "int":
        return _number(dice, edges, field.most)
    # Mostly short, so that many messages can be had in little time.
    size = field.most if dice.random() < 0.1 else dice.randint(0, min(field.most, 8))
    if field.kind == "bytes":
        return dice.randbytes(size)
    if field.kind == "ints":
        return [_number(dice, edges, 2**32 - 1) for _ in range(size)]
    if field.kind == "texts":
        return [_text(dice, field.size) or "x" for _ in range(size)]
    return _text(dice, size)


def _number(dice: random.Random, edges: Sequence[int], most: int) -> int:
    return min(most, dice.choice(edges)) if dice.random() < 0.7 else dice.randint(0, most)


def _text(dice: random.Random, size: int) -> str:
    text = "".join(dice.choices(_LETTERS, k=size)).encode()[:size]
    return text.decode(errors="ignore")


def noisy(clean: bytes, dice: random.Random, rate: float) -> tuple[bytes, list[int]]:
    """Flip a bit of, drop or double each byte with probability `rate`; also return which bytes were hit."""
    hit = [at for at in range(len(clean)) if dice.random() < rate]
    line, done = bytearray(), 0
    for at in hit:
        line += clean[done:at]
        kind = dice.randrange(3)
        if kind == 0:
            line.append(clean[at] ^ 1 << dice.randrange(8))
        elif kind == 1:
            line += clean[at : at + 1] * 2
        done = at + 1
    return bytes(line + clean[done:]), hit


def counters_of(epoch: int, context: int) -> dict[str, int | list[int]]:
    """The counters of an epoch of the peer."""
    hits = [(epoch * 7919 + context * 104729 + group * group) % 70001 for group in range(64)]
    return {
        "hits": hits,
        "misses": epoch + context,
        "accesses": sum(hits) + epoch + context,
        "touched": epoch % 7 + context,
        "dropped": epoch % 3,
        "outside": 10 * epoch,
        "unsampled": epoch % 11,
        "scale_log2": 0,
    }


def rank_counters_of(epoch: int, domain: int) -> list[int]:
    """The counters of a rank of the peer."""
    asleep = domain * 100_000 + epoch
    counters = [epoch * 10 + domain + word for word in range(16)]
    counters[4:9] = [1000, 1_000_000 - 1000 - asleep, 0, asleep, 0]
    return counters


def accessed_of(epoch: int) -> tuple[bytes, bytes]:
    """The bits of the frames accessed and written in an epoch of the peer."""
    frames = [(epoch * 331 + k * k * 97) % 8192 for k in range(10)]
    return tuple(
        sum(1 << frame for frame in set(of)).to_bytes(1024, "little") for of in (frames, frames[1::2])
    )


def hot_of(epoch: int, wanted: int = 128) -> HotList:
    """The hot pages of an epoch of the peer."""
    found = epoch % 3 * 50
    listed = range(min(found, wanted))
    frames = tuple((epoch + 17 * i) % 8192 for i in listed)
    counts = tuple(1000 - i for i in listed)
    return HotList(epoch, found * 1000 + epoch, wanted < found, epoch % 5 == 4, frames, counts)


def pages_of(epoch: int) -> dict[str, int]:
    """What the copies of pages of a program of the peer cost up to an epoch."""
    epochs = epoch + 1
    return {
        **{"copies": 3, "room": 16, "replications": 3, "home": 100 * epochs, "cost": 5000 * epochs + 2000},
        **{"references": 100 * epochs, "local": 60 * epochs, "remote_reads": 30 * epochs},
        "remote_writes": 10 * epochs,
    }
