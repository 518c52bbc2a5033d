# SPDX-License-Identifier: BSD-2-Clause
"""libCacheSim's LCS. Inputs lack the zeros of the header, which is 8,192 bytes long."""

import struct

from tests.fuzz.target import Target
from tests.fuzz.trace_files import trace_target

MAGIC = struct.pack("<Q", 0x123456789ABCDEF0)
INNER = trace_target("t.lcs")


def whole(content: bytes) -> None:
    """Read a file whose first 24 bytes are the header's, and whose others are records."""
    INNER.consume(content[:24].ljust(8184, b"\0") + MAGIC + content[24:])


TARGET = Target(
    consume=whole,
    refusals=INNER.refusals,
    seeds=lambda: [MAGIC + struct.pack("<QQ", version, 1) + bytes(104) for version in range(1, 9)],
    seconds=10,
    megabytes=2048,
)
