# SPDX-License-Identifier: BSD-2-Clause
"""The pages that followed processes and cgroups allocate are claimed for them; ends are reported."""

from errno import EBUSY, EINVAL, ESRCH

import pytest

from tests.linux.driver.following import CGROUPS, claims, enable, follow, log, own_context
from tests.linux.driver.guest import FAKE, S, parse_epoch

FREE, FOLLOWING, ENDED = 1, 2, 3
BOOT_PIDS = 320  # those below 300 are not used again (RESERVED_PIDS of kernel/pid.c)


def look(guest, context):
    return tuple(guest.read(f"{S}contexts/{context}/{name}") for name in ("state", "pid", "comm"))


def records(guest):
    """Return the epochs since the last call; the agent has opened the device with O_NONBLOCK."""
    return [parse_epoch(line) for line in guest.ask("read 10000 64").lines]


def test_a_page_belongs_to_the_process_that_allocates_it(monitor, spawn):
    for context, name in ((1, "a"), (5, "b")):
        follow(monitor, context, spawn(name))
    spawn("c")
    assert own_context(monitor, "a") == "0"  # not while the monitor is disabled
    enable(monitor)
    for _ in range(20):
        assert [own_context(monitor, name) for name in "abc"] == ["1", "5", "0"]
        assert monitor.read(FAKE + "owner") == "0"
    assert {context for _, context in claims(monitor)} == {1, 5}
    assert len(claims(monitor)) >= 40
    assert log(monitor, "c") == [("c", 0)], "written as the driver began, at no task switch"
    monitor.write(S + "enable", 0)
    monitor.do(f"w {FAKE}forget 1")
    own_context(monitor, "a")
    assert claims(monitor) == []


def test_a_writer_that_follows_itself_is_followed_at_once(monitor):
    enable(monitor)
    follow(monitor, 2, 1)
    assert monitor.read(FAKE + "owner") == "2"
    follow(monitor, 2, 0)
    assert monitor.read(FAKE + "owner") == "0"


def test_threads_follow_and_children_do_not(monitor, spawn):
    follow(monitor, 3, spawn("a"))
    enable(monitor)
    assert monitor.do(f"@ a threaded {FAKE}owner") == ["3"]
    monitor.do("@ a spawn child")
    assert monitor.do(f"@ a @ child r {FAKE}owner") == ["0"]


def test_a_thread_is_no_process(monitor, spawn):
    spawn("a")
    tid = monitor.ask("@ a thread").result
    assert monitor.write(S + "contexts/1/pid", tid) == ESRCH
    assert look(monitor, 1) == ("free", "0", "")


def test_a_process_lives_as_long_as_a_thread_of_it(monitor, spawn):
    pid = spawn("a")
    enable(monitor)
    follow(monitor, 1, pid)
    monitor.do("@ a thread")
    monitor.do("& a leader")
    monitor.do("sleep 100")
    assert look(monitor, 1) == ("following", str(pid), "a")
    monitor.do("kill a 9")
    monitor.do("gone a")
    assert look(monitor, 1) == ("ended", str(pid), "a")


@pytest.mark.parametrize("enabled", [0, 1])
def test_a_process_that_ends_is_reported_before_it_is_reaped(monitor, spawn, enabled):
    pid = spawn("a")
    monitor.write(S + "enable", enabled)
    follow(monitor, 4, pid)
    monitor.do(f"@ a w {FAKE}access 5")
    monitor.do("open /dev/litemrc0 nonblock")
    monitor.do("& a exit")
    monitor.do("gone a")
    monitor.do("sleep 100")
    assert look(monitor, 4) == ("ended", str(pid), "a")
    (epoch,) = records(monitor)
    assert epoch.followed[4] == (ENDED, pid, "a")
    assert epoch.accesses[4] == 5 * enabled
    monitor.write(S + "end_epoch", 1)
    # Its counters stay until the context is freed.
    assert monitor.read(S + "contexts/4/accesses") == str(5 * enabled)
    assert monitor.write(S + "contexts/4/pid", 0) == 0
    assert look(monitor, 4) == ("free", "0", "")
    assert monitor.read(S + "contexts/4/accesses") == "0"
    assert monitor.read(S + "contexts/4/hits") == " ".join(["0"] * 64)
    monitor.do("wait a")


def test_records_name_the_process_that_contexts_follow_from_their_end_on(monitor, spawn):
    first, second = spawn("a"), spawn("b")
    monitor.do("open /dev/litemrc0 nonblock")
    enable(monitor)
    follow(monitor, 1, first)
    monitor.do(f"@ a w {FAKE}access 7")
    follow(monitor, 2, second)
    monitor.do(f"@ a w {FAKE}access 2")
    monitor.do(f"@ b w {FAKE}access 3")
    monitor.do("@ a exec /renamed")
    assert own_context(monitor, "a") == "1"
    follow(monitor, 2, 0)
    follow(monitor, 1, 0)
    follow(monitor, 1, second)
    told = [
        (epoch.number, epoch.followed[1], epoch.followed[2], epoch.accesses[:3]) for epoch in records(monitor)
    ]
    nobody = (FREE, 0, "-")
    assert told == [
        (0, (FOLLOWING, first, "a"), nobody, [0, 0, 0]),
        (1, (FOLLOWING, first, "a"), (FOLLOWING, second, "b"), [0, 7, 0]),
        (2, (FOLLOWING, first, "renamed"), nobody, [0, 2, 3]),
        (3, nobody, nobody, [0, 0, 0]),
        (4, (FOLLOWING, second, "b"), nobody, [0, 0, 0]),
    ]


def test_exec_changes_the_name(monitor, spawn):
    pid = spawn("a")
    follow(monitor, 1, pid)
    monitor.do("@ a exec /renamed")
    assert monitor.ask("@ a pid").result == pid
    assert look(monitor, 1) == ("following", str(pid), "renamed")


@pytest.mark.parametrize("enabled", [0, 1])
def test_a_pid_used_again_is_another_process(monitor, spawn, enabled):
    monitor.write(S + "enable", enabled)
    pid = spawn("a")
    if pid < BOOT_PIDS:
        monitor.end("a")
        pid = monitor.ask(f"spawn a {BOOT_PIDS}").result
    follow(monitor, 1, pid)
    monitor.end("a")
    assert monitor.ask(f"spawn again {pid}").result == pid
    assert look(monitor, 1) == ("ended", str(pid), "a")
    assert own_context(monitor, "again") == "0"
    follow(monitor, 1, pid)
    assert look(monitor, 1) == ("following", str(pid), "again")
    assert own_context(monitor, "again") == str(enabled)
    monitor.end("again")


def test_more_processes_than_contexts_are_refused(monitor, spawn):
    pids = [spawn(f"p{number}") for number in range(8)]
    for context in range(1, 8):
        follow(monitor, context, pids[context])
    for context in range(8):
        assert monitor.write(f"{S}contexts/{context}/pid", pids[0]) == EBUSY
    monitor.end("p3")
    follow(monitor, 3, pids[0])
    enable(monitor)
    assert own_context(monitor, "p0") == "3"


def test_a_context_or_process_in_use_is_refused_and_the_same_again_is_not(monitor, spawn, cgroup):
    first, second = spawn("a"), spawn("b")
    follow(monitor, 1, first)
    before = monitor.read(S + "epoch")
    follow(monitor, 1, first)
    assert monitor.write(S + "contexts/2/pid", first) == EBUSY
    assert monitor.write(S + "contexts/1/pid", second) == EBUSY
    assert monitor.write(S + "contexts/1/cgroup", "/") == EBUSY
    path = cgroup("/used")
    assert monitor.read(S + "epoch") == before
    assert monitor.write(S + "contexts/2/cgroup", path) == 0
    assert monitor.write(S + "contexts/2/cgroup", path) == 0
    assert monitor.write(S + "contexts/3/cgroup", path) == EBUSY
    assert monitor.write(S + "contexts/2/pid", second) == EBUSY
    assert monitor.write(S + "contexts/2/pid", "no") == EINVAL
    assert [look(monitor, context)[0] for context in (1, 2, 3)] == ["following", "following", "free"]


def test_a_cgroup_is_followed_with_what_is_below(monitor, spawn, cgroup):
    outer, inner = cgroup("/outer"), cgroup("/outer/inner")
    pids = {name: spawn(name) for name in ("out", "in", "by", "none")}
    enable(monitor)
    monitor.do(f"w {CGROUPS}{outer}/cgroup.procs {pids['out']}")
    monitor.do(f"w {CGROUPS}{inner}/cgroup.procs {pids['in']}")
    assert monitor.write(S + "contexts/2/cgroup", outer) == 0
    assert look(monitor, 2) == ("following", "0", "outer")
    assert monitor.read(S + "contexts/2/cgroup") == outer
    assert [own_context(monitor, name) for name in ("out", "in", "none")] == ["2", "2", "0"]
    # A child is in its parent's cgroup; a process that moves in is followed from its next page on.
    monitor.do("@ out spawn child")
    assert monitor.do(f"@ out @ child r {FAKE}owner") == ["2"]
    monitor.do(f"w {CGROUPS}{outer}/cgroup.procs {pids['by']}")
    assert own_context(monitor, "by") == "2"
    # The deepest cgroup has precedence over those above, a process over both.
    assert monitor.write(S + "contexts/1/cgroup", inner) == 0
    follow(monitor, 6, pids["by"])
    assert [own_context(monitor, name) for name in ("out", "in", "by")] == ["2", "1", "6"]
    assert monitor.write(S + "contexts/1/cgroup", "-") == 0
    assert own_context(monitor, "in") == "2"


def test_a_removed_cgroup_has_ended(monitor, cgroup):
    path = cgroup("/gone")
    assert monitor.write(S + "contexts/2/cgroup", path) == 0
    monitor.do(f"rmdir {CGROUPS}{path}")
    assert monitor.read(S + "contexts/2/state") == "ended"
    assert monitor.write(S + "contexts/2/pid", 1) == 0
    assert monitor.read(S + "contexts/2/cgroup") == ""
