# SPDX-License-Identifier: BSD-2-Clause
"""A frame belongs to the context of the process that allocated it, or that it was handed over to."""

import pytest

from tests.linux.driver.following import (
    CGROUPS,
    claimed,
    claims,
    enable,
    follow,
    frames_of,
    free_unmapped,
    log,
    own_context,
    owners,
)
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
    assert frames <= claimed(monitor, 1)
    assert {owners(monitor)[frame] for frame in frames} == {1}
    # A child shares them until one of the two writes.
    follow(monitor, 1, 0)
    assert {owners(monitor)[frame] for frame in frames} == {0}
    monitor.do("@ a spawn child")
    monitor.do(f"w {FAKE}forget 1")
    follow(monitor, 1, pid)
    assert not frames & claimed(monitor, 1)
    assert claims(monitor)  # its own stack, at least


def test_frames_of_more_than_one_page_table_are_handed_over(monitor, spawn):
    """A page table of rv32 maps 1,024 pages."""
    pid = spawn("a")
    enable(monitor)
    monitor.do("@ a map 2100")
    frames = frames_of(monitor, "a")
    assert len(frames) >= 2100
    follow(monitor, 1, pid)
    assert frames <= claimed(monitor, 1)


def test_enabling_hands_over_to_the_followed_process_once(monitor, spawn):
    follow(monitor, 1, spawn("a"))
    monitor.do("@ a map 100")
    frames = frames_of(monitor, "a")
    monitor.do(f"w {FAKE}forget 1")
    enable(monitor)
    entries = log(monitor, "xek")
    assert [entry for entry in entries if entry[0] in "xe"] == [("x", 0), ("e", 1)]
    assert [entry[0] for entry in entries[:2]] == ["x", "e"], "no claim precedes the clear"
    handed = [frame for frame, context in claims(monitor) if context == 1]
    assert frames <= set(handed)
    assert len(handed) == len(set(handed))
    assert own_context(monitor, "a") == "1"


@pytest.mark.parametrize("setting", ["clear 1", "range_upper 16000", "sampling 1"])
def test_after_a_clear_the_monitor_is_told_the_owners_again(monitor, spawn, setting):
    follow(monitor, 1, spawn("a"))
    enable(monitor)
    monitor.do("@ a map 100 shared")  # as those of files, they are handed over to nobody
    frames = frames_of(monitor, "a")
    monitor.do(f"w {FAKE}forget 1")
    assert monitor.do(f"w {S}{setting}") == []
    kinds = [kind for kind, _ in log(monitor, "xk")]
    assert kinds.index("x") < kinds.index("k")
    assert frames <= claimed(monitor, 1)
    assert {owners(monitor)[frame] for frame in frames} == {1}


@pytest.mark.parametrize("next_", ["nothing", "another"])
def test_pages_that_outlive_their_process_belong_to_its_context_until_it_is_freed(monitor, spawn, next_):
    """Those of a file in the page cache."""
    pid, other = spawn("a"), spawn("b")
    enable(monitor)
    follow(monitor, 1, pid)
    monitor.do(f"@ a write_pages /{next_} 20")
    monitor.end("a")
    assert owners(monitor).count(1) >= 20
    monitor.do(f"w {FAKE}forget 1")
    follow(monitor, 1, 0 if next_ == "nothing" else other)
    assert owners(monitor).count(1) == len(claimed(monitor, 1))


def test_a_cgroup_followed_late_gets_the_frames_of_its_processes(monitor, spawn, cgroup):
    path = cgroup("/late")
    enable(monitor)
    for name in ("a", "b"):
        monitor.do(f"w {CGROUPS}{path}/cgroup.procs {spawn(name)}")
        monitor.do(f"@ {name} map 50")
    frames = frames_of(monitor, "a", "b")
    assert monitor.write(S + "contexts/1/cgroup", path) == 0
    assert frames <= claimed(monitor, 1)
