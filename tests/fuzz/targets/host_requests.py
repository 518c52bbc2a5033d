# SPDX-License-Identifier: BSD-2-Clause
"""A request of a host, as `litemrc serve` decodes it."""

from collections.abc import Iterator

from litemrc.device.link.protocol import ProtocolError, host_requests

from tests.fuzz.target import Target

CODEC = host_requests()


def seeds() -> Iterator[bytes]:
    """One request of each type."""
    for name, record in CODEC.types.items():
        first = {f.name: next(iter(f.choices)) for f in record.body if f.kind == "choice"}
        yield CODEC.encode(CODEC.new(name, **first | {"sequence": 1}))


def read(payload: bytes) -> None:
    """Decode a message; what was understood of it is the same after another trip."""
    message = CODEC.decode(payload)
    assert CODEC.decode(CODEC.encode(message)) == message


TARGET = Target(read, refusals=(ProtocolError,), seeds=seeds, longest=CODEC.max_bytes + 1)
