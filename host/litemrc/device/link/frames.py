# SPDX-License-Identifier: BSD-2-Clause
"""Frames on the wire, coded by the firmware's own source (firmware/service/frame.c)."""

import struct
import zlib

from litemrc.native import _core


def frame(payload: bytes) -> bytes:
    """Return the frame of a payload, its closing zero byte included."""
    return _core.frame(payload)


def old_frame(payload: bytes) -> bytes:
    """Return the frame of a payload of at most 200 bytes in protocols before 2.0: standard COBS."""
    content = payload + struct.pack("<I", zlib.crc32(payload))
    return b"".join(bytes([len(block) + 1]) + block for block in content.split(b"\0")) + b"\0"


class FrameSplitter:
    """Cuts a stream of bytes into checked payloads; after damage it goes on at the next zero byte.

    Frames of versions before 2.0 are taken, too: the first byte of their payload is above 0x7f.
    """

    def __init__(self, max_payload: int) -> None:
        self._receiver = _core.FrameReceiver(max_payload)

    @property
    def damaged(self) -> int:
        """Frames that were cut short or whose CRC is wrong.

        What came before the first zero byte is not counted: it may have begun before this end listened.
        """
        return self._receiver.damaged

    @property
    def oversized(self) -> int:
        """Frames longer than any frame may be."""
        return self._receiver.oversized

    def feed(self, received: bytes) -> list[bytes]:
        """Return the payload of every good frame that ends in `received`."""
        return self._receiver.feed(received)
