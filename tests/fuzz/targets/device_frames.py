# SPDX-License-Identifier: BSD-2-Clause
"""The bytes of a serial line, in pieces, as the host's end of the link takes them."""

from collections.abc import Iterator

from litemrc.device.link.frames import frame
from litemrc.device.link.link import MessageReceiver
from litemrc.device.link.protocol import OtherVersionError, device_messages

from tests.fuzz.target import Target
from tests.host.scripted_device import counted, ended, hello, told

PIECE = 37


def seeds() -> Iterator[bytes]:
    """Frames one after another, some of them damaged."""
    log, epoch = told("log", sequence=1, line="a b"), ended(0, counted(1, *[0, 300] * 32), groups=64)
    frames = [frame(device_messages().encode(each)) for each in (log, epoch, hello(sequence=3))]
    yield b"\0" + b"".join(frames)
    yield frames[1][9:] + frames[0] + frames[2][:-9] + frames[0]
    yield b"x" * 7000 + b"\0" + frames[0]


def read(received: bytes) -> None:
    """Frames are those of the same bytes in one piece, and a count is kept of all others."""
    whole, pieces = MessageReceiver(), MessageReceiver()
    messages = list(whole.feed(received))
    again = [
        message
        for begin in range(0, len(received), PIECE)
        for message in pieces.feed(received[begin : begin + PIECE])
    ]
    assert again == messages
    assert pieces.counts == whole.counts
    assert whole.counts.frames == len(messages)


TARGET = Target(read, refusals=(OtherVersionError,), seeds=seeds, longest=16384)
