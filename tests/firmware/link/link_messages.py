# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the tests of the link: random messages of every type, noise, and the output of the C side."""

import random

from litemrc.device.link.protocol import Codec, Message
from litemrc.device.link.schema import Field, schema
from litemrc.pages.hot_lists import HotList

_EDGES = (0, 1, 23, 24, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1)  # where CBOR changes lengths
_LETTERS = "ab\0é€𝄞"  # 1 to 4 bytes in UTF-8, and the delimiter of frames


def random_message(codec: Codec, dice: random.Random, name: str | None = None) -> Message:
    """A random message of the schema, with edges of ranges frequent; hello has the present version."""
    name = name or dice.choice(list(codec.types))
    values = {f.name: _random_value(f, dice) for f in codec.types[name].body if not _left_out(f, dice)}
    if "protocol" in values:
        values["protocol"] = schema().constants["protocol_version"]
    return codec.new(name, **values)


def _left_out(field: Field, dice: random.Random) -> bool:
    return field.key is not None and dice.random() < 0.5


def _random_value(field: Field, dice: random.Random):
    if field.kind == "BITS":
        return frozenset(name for name, _ in field.choices if dice.random() < 0.5)
    if field.choices:
        return dice.choice(field.choices)[0]
    if field.kind == "BOOL":
        return dice.random() < 0.5
    edges = [edge for edge in (field.low, field.high, *_EDGES) if field.low <= edge <= field.high]
    if field.kind == "UINT":
        return dice.choice(edges) if dice.random() < 0.5 else dice.randint(field.low, field.high)
    # Mostly short, so that many messages can be had in little time.
    usual = min(field.high, max(field.low, 8))
    size = dice.choice(edges) if dice.random() < 0.1 else dice.randint(field.low, usual)
    if field.kind == "BSTR":
        return dice.randbytes(size)
    if field.kind == "TSTR":
        text = "".join(dice.choices(_LETTERS, k=size)).encode()[:size]
        return text.decode(errors="ignore") or "x" * field.low
    return [_random_value(field.item, dice) for _ in range(size)]


def printed(message: Message) -> str:
    """The line that the C side prints for a message."""
    return " ".join(
        [message.name, *(f"{f.name}={_printed(f, getattr(message, f.name))}" for f in message.body)]
    )


def _printed(field: Field, value) -> str:
    if field.kind == "BITS":
        return str(sum(1 << bit for name, bit in field.choices if name in value))
    if field.choices:
        return str(dict(field.choices)[value])
    if field.kind == "LIST":
        return ",".join(_printed(field.item, item) for item in value)
    if field.kind in ("TSTR", "BSTR"):
        return (value.encode() if field.kind == "TSTR" else value).hex()
    return str(int(value))


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
    """The counters of an epoch of the peer program, computed as in send_context() of peer_epochs.c."""
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
    """The counters of a rank of the peer program, computed as in fill() of peer_ranks.c."""
    asleep = domain * 100_000 + epoch
    counters = [epoch * 10 + domain + word for word in range(16)]
    counters[4:9] = [1000, 1_000_000 - 1000 - asleep, 0, asleep, 0]
    return counters


def accessed_of(epoch: int) -> tuple[bytes, bytes]:
    """The bits of the frames accessed and written in an epoch of the peer program, as in peer_pages.c."""
    frames = [(epoch * 331 + k * k * 97) % 8192 for k in range(10)]
    return tuple(
        sum(1 << frame for frame in set(of)).to_bytes(1024, "little") for of in (frames, frames[1::2])
    )


def hot_of(epoch: int, wanted: int = 128) -> HotList:
    """The hot pages of an epoch of the peer program, as in peer_pages.c."""
    found = epoch % 3 * 50
    listed = range(min(found, wanted))
    frames = tuple((epoch + 17 * i) % 8192 for i in listed)
    counts = tuple(1000 - i for i in listed)
    return HotList(epoch, found * 1000 + epoch, wanted < found, epoch % 5 == 4, frames, counts)
