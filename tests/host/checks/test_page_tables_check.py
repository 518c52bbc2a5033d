# SPDX-License-Identifier: BSD-2-Clause
"""Owners in a recording against page tables, by hand: the frames compared and the wrong accesses."""

import numpy as np
import pytest
from litemrc.checks.page_tables import UNKNOWN, check_page_tables, read_snapshots
from litemrc.errors import UserError

from tests.host.recordings import recording_of, whole_memory

FRAMES = 8
# Frames 2 and 3 are process 20's of context 1, frame 5 is the shell's, 6 is free: 1 to 2 and 3 to 4 as in
# maps with gaps, the rest is mapped by several processes.
PRINTED = "process 1 20 3 2+2\nprocess 0 7 0 5+1\nkernel 6+1\nsnapshot 1 2\n"


def recorded(*events):
    """A recording of (op, frame, context), with None for the end of an epoch."""
    listed, ends = [], []
    for event in events:
        if event is None:
            ends[-1] = True
        else:
            listed.append((*event, False))
            ends.append(False)
    return recording_of(listed, ends=ends, settings=whole_memory(FRAMES), setting=1)


def compared(*events, printed=PRINTED):
    return check_page_tables(recorded(*events), read_snapshots(printed, FRAMES), FRAMES)


BEFORE = (
    *(("clear", 0, 0), ("claim", 2, 1), ("claim", 3, 1), ("access", 2, 0), ("access", 7, 0), None),
    *(("access", 2, 0), ("access", 3, 0), ("access", 5, 0), None),
)
AFTER = (("access", 2, 0), None, ("access", 2, 0), ("mark", 0, 0), None)


def test_the_lines_of_page_owners_are_read():
    (snapshot,) = read_snapshots(PRINTED, FRAMES)
    assert (snapshot.first, snapshot.second) == (1, 2)
    assert snapshot.context.tolist() == [UNKNOWN, UNKNOWN, 1, 1, UNKNOWN, 0, 0, UNKNOWN]
    assert snapshot.migrations == {(1, 20): 3}


def test_runs_of_frames_are_told_apart_by_the_gap_between_them():
    (snapshot,) = read_snapshots("process 2 9 0 1+2 3+1\nkernel\nsnapshot 4 5\n", FRAMES)
    assert np.flatnonzero(snapshot.context == 2).tolist() == [1, 2, 6]


@pytest.mark.parametrize("text", ["page_owners: no such file\n", "kernel 6+9\n"])
def test_other_text_and_frames_beyond_the_memory_are_refused(text):
    with pytest.raises(UserError):
        read_snapshots(text, FRAMES)


def test_right_owners_are_found_right_and_each_access_is_counted_once():
    found = compared(*BEFORE, *AFTER, printed=PRINTED + PRINTED.replace("snapshot 1 2", "snapshot 2 3"))
    assert found.difference == "" and found.misattributed == 0
    # Of both snapshots frames 2, 3, 5, 6; accesses to 2 and 3 and 5 up to epoch 2, then the last one to 2.
    assert (found.snapshots, found.frames, found.followed, found.unknown) == (2, 8, 4, 8)
    assert found.accesses == 5 + 1


def test_accesses_of_a_frame_that_was_never_claimed_are_misattributed():
    events = [event for event in (*BEFORE, *AFTER) if event != ("claim", 3, 1)]
    found = compared(*events)
    assert found.misattributed == 1  # that to frame 3
    assert found.difference == "epoch 1, frame 3: context 0, but the kernel's is 1"


def test_a_claim_that_outlives_its_page_is_found():
    """The kernel says that frame 6 is free, and that 5 is the shell's."""
    for frame, accesses in ((5, 2), (6, 1)):
        found = compared(("claim", frame, 2), ("access", frame, 0), *BEFORE[1:], *AFTER)
        assert found.misattributed == accesses and f"frame {frame}: context 2" in found.difference


def test_a_page_of_a_stopped_process_is_its_own_at_both_ends():
    """Claimed behind the first end only: the page was there before, so it was charged to context 0."""
    events = [event for event in BEFORE if event != ("claim", 3, 1)]
    early = (("access", 3, 0), None, ("claim", 3, 1), ("access", 3, 0), None)
    found = compared(*events[:4], *early, *AFTER, printed=PRINTED.replace("snapshot 1 2", "snapshot 0 1"))
    assert found.difference == "epoch 0, frame 3: context 0, but the kernel's is 1"
    assert found.misattributed == 1


def test_accesses_before_a_new_owner_are_those_of_the_old_one():
    events = (*BEFORE, ("invalidate", 6, 0), ("access", 6, 0), *AFTER)
    found = compared(("claim", 6, 2), ("access", 6, 0), *events[1:])
    assert found.misattributed == 0 and found.accesses == 5 + 1
