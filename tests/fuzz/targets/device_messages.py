# SPDX-License-Identifier: BSD-2-Clause
"""A message of a device, as the host decodes it."""

from collections.abc import Iterator

from litemrc.device.link.protocol import ProtocolError, device_messages

from tests.fuzz.target import Target
from tests.host.scripted_device import hello, told

CODEC = device_messages()
LISTS = {"epoch": {"hits": [7] * 64}, "rank": {"counters": [300] * 16}, "queued": {"frames": [70_000]}}


def seeds() -> Iterator[bytes]:
    """One message of each type."""
    yield CODEC.encode(hello(system="Linux 6.6", driver="1.2", page_bitmap=True))
    for name in CODEC.types.keys() - {"hello"}:
        yield CODEC.encode(told(name, **LISTS.get(name, {})))


def read(payload: bytes) -> None:
    """Decode a message; what was understood of it is the same after another trip."""
    message = CODEC.decode(payload)
    assert CODEC.decode(CODEC.encode(message)) == message


TARGET = Target(read, refusals=(ProtocolError,), seeds=seeds, longest=CODEC.max_received_bytes + 1)
