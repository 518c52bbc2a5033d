# SPDX-License-Identifier: BSD-2-Clause
"""The checks of single pages: what is right passes, and any wrong bit, count or flag is found."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.hot import HotSettings
from litemrc.device.simulation.recording import Settings

from tests.host.recordings import recording_of

FRAMES = 16
SETTINGS = HotSettings(True, True, True, True, 0, 2, 2, 1, 14, 1)
# Two epochs: (op, frame, frozen, write). Frames 2 to 15 are in the monitor's range; 3 and 4 are in different
# sets of the table of hot pages.
EVENTS = [
    ("access", 9, False, False),  # cleared
    ("clear", 0, False, False),
    ("access", 3, False, True), ("access", 3, False, False), ("access", 4, False, False),
    ("dropped", 6, False, False), ("access", 7, True, False), ("access", 1, False, False),
    ("access", 4, False, False), ("access", 3, False, False),
    ("mark", 0, False, False),  # the first epoch ends
    ("access", 8, False, True),
    ("mark", 0, False, False),  # the second one
]  # fmt: skip


@pytest.fixture
def recording():
    ends = [op == "mark" for op, *_ in EVENTS]
    made = recording_of(
        [(op, frame, 0, frozen) for op, frame, frozen, _ in EVENTS],
        ends=ends,
        settings=[Settings(0, 0, 0), Settings(2, 15, 0)],
        setting=1,
    )
    return replace(made, write=np.array([write for *_, write in EVENTS]))


def bits(*frames):
    return sum(1 << frame for frame in frames).to_bytes(FRAMES // 8, "little")


RIGHT = [AccessedEpoch(0, bits(3, 4), bits(3)), AccessedEpoch(1, bits(8), bits(8))]


def test_bits_of_the_accesses_in_range_are_right(recording):
    assert check_accessed(recording, RIGHT, FRAMES).difference == ""
    assert check_accessed(recording, RIGHT, FRAMES).epochs == 2


@pytest.mark.parametrize("frame", range(FRAMES))
@pytest.mark.parametrize("epoch", [0, 1])
def test_any_wrong_bit_is_found(recording, epoch, frame):
    for kind in ("accessed", "written"):
        wrong = list(RIGHT)
        flipped = int.from_bytes(getattr(RIGHT[epoch], kind), "little") ^ 1 << frame
        changed = {"accessed": RIGHT[epoch].accessed, "written": RIGHT[epoch].written}
        changed[kind] = flipped.to_bytes(FRAMES // 8, "little")
        try:
            wrong[epoch] = AccessedEpoch(epoch, **changed)
        except ValueError:  # written, but not accessed: refused before
            continue
        found = check_accessed(recording, wrong, FRAMES)
        assert found.difference == f"epoch {epoch}: the {kind} bit of frame {frame} is wrong, with 0 others"
        assert found.epochs == epoch


def test_hot_pages_are_those_that_were_accessed_as_often_as_the_threshold(recording):
    """Frame 3 three times, 4 twice, 1 once, which is in the range of hot pages; no access after a freeze."""
    golden = replay_hot(recording, SETTINGS, FRAMES)
    assert (golden.lists[0].frames, golden.lists[0].counts) == ((3, 4), (3, 2))
    assert (golden.lists[0].accesses, golden.lists[0].more) == (6, False)
    assert (golden.lists[1].frames, golden.lists[1].accesses) == ((), 1)
    assert golden.queued == [3, 4]
    only_writes = replay_hot(recording, replace(SETTINGS, reads=False, threshold=1), FRAMES)
    assert (only_writes.lists[0].frames, only_writes.lists[0].counts) == ((3,), (1,))


@pytest.mark.parametrize(
    "change",
    [{"accesses": 7}, {"more": True}, {"saturated": True}, {"frames": (3, 6)}, {"counts": (3, 1)},
     {"frames": (3,), "counts": (3,)}],
)  # fmt: skip
def test_any_wrong_list_is_found(recording, change):
    golden = replay_hot(recording, SETTINGS, FRAMES)
    rows = [golden.lists[0], golden.lists[1]]
    assert check_hot(golden, rows).difference == "" and check_hot(golden, rows).epochs == 2
    assert "epoch=0" in check_hot(golden, [replace(rows[0], **change), rows[1]]).difference
