# SPDX-License-Identifier: BSD-2-Clause
"""Freed frames are invalidated, and a follower owns the frames that only its processes map."""

import pytest

from tests.linux.driver.following import CGROUPS, enable, follow, frames_of, free_unmapped, log, own_context
from tests.linux.driver.guest import FAKE, S


@pytest.mark.parametrize("sharing", ["", "shared"])
def test_freed_frames_are_invalidated(monitor, spawn, sharing):
    spawn("a")
    enable(monitor)
    monitor.do(f"@ a map 100 {sharing}")
    monitor.do(f"w {FAKE}forget 1")
    monitor.do("@ a frames")
    frames = [value for _, value in log(monitor, "f")]
    assert len(set(frames)) == 100
    assert not set(frames) & {value for _, value in log(monitor, "i")}
    monitor.do("@ a unmap")
    free_unmapped(monitor)
    entries = log(monitor, "fi")
    freed = [value for kind, value in entries[len(frames) :] if kind == "i"]
    assert [freed.count(frame) >= 1 for frame in frames] == [True] * 100


def test_frames_of_a_process_that_ends_are_invalidated(monitor, spawn):
    spawn("a")
    enable(monitor)
    monitor.do("@ a map 300")
    frames = frames_of(monitor, "a")
    monitor.end("a")
    free_unmapped(monitor)
    assert frames <= {value for _, value in log(monitor, "i")}


def test_nothing_is_invalidated_while_disabled(monitor, spawn):
    spawn("a")
    monitor.do("@ a churn 20")
    assert log(monitor, "i") == []


def test_a_process_followed_late_gets_the_frames_that_only_it_maps(monitor, spawn):
    pid = spawn("a")
    enable(monitor)
    monitor.do("@ a map 100")
    frames = frames_of(monitor, "a")
    follow(monitor, 1, pid)
    assert frames <= {value for _, value in log(monitor, "i")}
    # A child shares them until one of the two writes.
    follow(monitor, 1, 0)
    monitor.do("@ a spawn child")
    monitor.do(f"w {FAKE}forget 1")
    follow(monitor, 1, pid)
    assert not frames & {value for _, value in log(monitor, "i")}
    assert log(monitor, "i")  # its own stack, at least


def test_frames_of_more_than_one_page_table_are_handed_over(monitor, spawn):
    """A page table of rv32 maps 1,024 pages."""
    pid = spawn("a")
    enable(monitor)
    monitor.do("@ a map 2100")
    frames = frames_of(monitor, "a")
    assert len(frames) >= 2100
    follow(monitor, 1, pid)
    assert frames <= {value for _, value in log(monitor, "i")}


def test_a_clear_claims_for_the_kernel_and_hands_over_to_the_followed_process(monitor, spawn):
    follow(monitor, 1, spawn("a"))
    monitor.do("@ a map 100")
    monitor.do("@ a frames")
    frames = {value for _, value in log(monitor, "f")}
    monitor.do(f"w {FAKE}forget 1")
    monitor.do(f"@ a w {S}enable 1")  # so that it is the one that runs meanwhile
    entries = log(monitor, "xeic")
    assert [entry for entry in entries if entry[0] in "xe"] == [("x", 0), ("e", 1)]
    behind = entries[entries.index(("e", 1)) :]
    assert frames <= {value for kind, value in behind if kind == "i"}
    last = max(number for number, (kind, value) in enumerate(behind) if kind == "i" and value in frames)
    # Everything counts in context 0 until claim and hand-over are complete.
    assert not [value for kind, value in behind[:last] if kind == "c" and value]
    assert ("c", 1) in behind[last:]
    assert own_context(monitor, "a") == "1"


def test_a_cgroup_followed_late_gets_the_frames_of_its_processes(monitor, spawn, cgroup):
    path = cgroup("/late")
    enable(monitor)
    for name in ("a", "b"):
        monitor.do(f"w {CGROUPS}{path}/cgroup.procs {spawn(name)}")
        monitor.do(f"@ {name} map 50")
    frames = frames_of(monitor, "a", "b")
    assert monitor.write(S + "contexts/1/cgroup", path) == 0
    assert frames <= {value for _, value in log(monitor, "i")}
