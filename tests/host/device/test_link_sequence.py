"""Sequence numbers of the link have 32 bits and wrap; a step back is a restart of the device."""

from collections.abc import Iterable

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.link import LinkCounts, MessageReceiver
from litemrc.device.link.protocol import device_messages

LAST = 2**32 - 1


def counts_after(sequences: Iterable[int]) -> LinkCounts:
    codec, receiver = device_messages(), MessageReceiver()
    for sequence in sequences:
        for _ in receiver.feed(
            frame(codec.encode(codec.new("log", sequence=sequence, level="info", line="x")))
        ):
            pass
    return receiver.counts


@pytest.mark.parametrize(
    ("sequences", "lost", "restarts"),
    [
        ([LAST - 1, LAST, 0, 1], 0, 0),
        ([LAST - 1, 1], 2, 0),  # LAST and 0 are missing
        ([LAST, 3], 3, 0),  # 0, 1 and 2 are missing
        ([7, 7 + 2**31], 2**31 - 1, 0),  # the largest step that counts as forward
        ([7, 8 + 2**31], 0, 1),  # the smallest that counts as back
        ([5, 5], 0, 1),
        ([LAST, LAST], 0, 1),
    ],
)
def test_gaps_are_counted_across_the_wrap(sequences, lost, restarts):
    counts = counts_after(sequences)
    assert (counts.frames, counts.lost, counts.restarts) == (len(sequences), lost, restarts)
