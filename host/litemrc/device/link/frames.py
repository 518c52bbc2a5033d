# SPDX-License-Identifier: BSD-2-Clause
"""Frames on the wire, coded by the firmware's own source (firmware/service/frame.c).

`frame(payload)` returns the frame of a payload, its closing zero byte included. `FrameSplitter(most)` cuts a
stream of bytes into payloads of at most that many bytes: `feed(received)` returns those of the good frames
that end in `received`; after damage it goes on at the next zero byte. `damaged` counts frames that were cut
short or whose CRC is wrong, but for what came before the first zero byte, which may have begun before this
end listened; `oversized` counts longer frames. Frames of versions before 2.0 are taken, too: the first byte
of their payload is above 0x7f.
"""

import struct
import zlib

from litemrc.native._core import FrameReceiver as FrameSplitter
from litemrc.native._core import frame

__all__ = ["FrameSplitter", "frame", "old_frame"]


def old_frame(payload: bytes) -> bytes:
    """Return the frame of a payload of at most 200 bytes in protocols before 2.0: standard COBS."""
    content = payload + struct.pack("<I", zlib.crc32(payload))
    return b"".join(bytes([len(block) + 1]) + block for block in content.split(b"\0")) + b"\0"
