# SPDX-License-Identifier: BSD-2-Clause
"""Frames on the wire: COBS(payload || CRC-32(payload), little endian) and a zero byte."""

import struct
import zlib
from collections.abc import Iterator

from cobs import cobs

CRC_BYTES = 4


def frame(payload: bytes) -> bytes:
    """Return the frame around a payload, its closing zero byte included."""
    return cobs.encode(payload + struct.pack("<I", zlib.crc32(payload))) + b"\0"


def unframe(encoded: bytes) -> bytes | None:
    """Return the payload of a frame, given without its zero byte; None when it is damaged."""
    try:
        content = cobs.decode(encoded)
    except cobs.DecodeError:
        return None
    payload, crc = content[:-CRC_BYTES], content[-CRC_BYTES:]
    if not payload or struct.pack("<I", zlib.crc32(payload)) != crc:
        return None
    return payload


class FrameSplitter:
    """Cuts a stream of bytes into checked payloads; after damage it goes on at the next zero byte.

    Attributes
    ----------
    damaged
        frames that were cut short or whose CRC is wrong. What came before the first zero byte is not
        counted: it may have begun before this end listened.
    oversized
        frames longer than any frame may be.
    """

    def __init__(self, max_payload: int) -> None:
        content = max_payload + CRC_BYTES
        self._max_encoded = content + content // 254 + 1
        self._rest = b""
        self._skipping = False
        self._joined = False
        self.damaged = 0
        self.oversized = 0

    def feed(self, received: bytes) -> Iterator[bytes]:
        """Yield the payload of every good frame that ends in `received`."""
        *ended, self._rest = (self._rest + received).split(b"\0")
        for encoded in ended:
            if self._skipping:
                self._skipping = False
            elif len(encoded) > self._max_encoded:
                self.oversized += 1
            elif encoded:
                payload = unframe(encoded)
                if payload is not None:
                    yield payload
                elif self._joined:
                    self.damaged += 1
            self._joined = True
        if self._skipping:
            self._rest = b""
        elif len(self._rest) > self._max_encoded:
            self._rest = b""
            self._skipping = True
            self.oversized += 1
