# SPDX-License-Identifier: BSD-2-Clause
"""A message of a device, as the host decodes it."""

from collections.abc import Iterator

from litemrc.device.link.protocol import ProtocolError, device_messages

from tests.fuzz.target import Target
from tests.host.scripted_device import counted, ended, hello, told

CODEC = device_messages()


def seeds() -> Iterator[bytes]:
    """One message of each type."""
    yield CODEC.encode(hello(system="Linux 6.6", driver="1.2", page_bitmap=True))
    for name in CODEC.types.keys() - {"hello", "epoch"}:
        yield CODEC.encode(told(name))
    yield CODEC.encode(told("queued", frames=[70_000]))
    parts = {"ranks": [{"counters": [300] * 16}], "tasks": [{}], "copies": [{}], "hot": [{"count": 9}]}
    parts |= {"banks": [{"reads": 300, "row_hits": 9}]}
    yield CODEC.encode(ended(0, counted(1, *[7] * 64), groups=64, tail_groups=128, **parts))
    yield CODEC.encode(ended(0, accessed=bytes(8), written=bytes(8)))


def read(payload: bytes) -> None:
    """Decode a message; what was understood of it is the same after another trip."""
    message = CODEC.decode(payload)
    assert CODEC.decode(CODEC.encode(message)) == message


TARGET = Target(read, refusals=(ProtocolError,), seeds=seeds, longest=4096)
