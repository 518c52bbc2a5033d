# SPDX-License-Identifier: BSD-2-Clause
"""A request of a host, as `litemrc serve` decodes it."""

from collections.abc import Iterator

from litemrc.device.link.protocol import ProtocolError, host_requests

from tests.fuzz.target import Target

CODEC = host_requests()


def seeds() -> Iterator[bytes]:
    """One request of each type."""
    for name, record in CODEC.types.items():
        least = {f.name: f.choices[0][0] if f.choices else f.low for f in record.body if f.kind == "UINT"}
        least |= {f.name: "x" * f.low for f in record.body if f.kind == "TSTR"}
        least |= {f.name: bytes(f.low) for f in record.body if f.kind == "BSTR"}
        least |= {f.name: True for f in record.body if f.kind == "BOOL"}
        yield CODEC.encode(CODEC.new(name, **least | {"sequence": 1}))


def read(payload: bytes) -> None:
    """Decode a message; what was understood of it is the same after another trip."""
    message = CODEC.decode(payload)
    assert CODEC.decode(CODEC.encode(message)) == message


TARGET = Target(read, refusals=(ProtocolError,), seeds=seeds, longest=CODEC.max_received_bytes + 1)
