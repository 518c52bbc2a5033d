"""The context register follows processes and cgroups; re-used frames are invalidated, ends are reported."""

from errno import EBUSY, EINVAL, ESRCH
from itertools import pairwise

import pytest
from linux.driver.guest import FAKE, S, parse_epoch
from patience import Deadline

FREE, FOLLOWING, ENDED = 1, 2, 3
CGROUPS = "/sys/fs/cgroup"
BOOT_PIDS = 320  # those below 300 are not used again (RESERVED_PIDS of kernel/pid.c)


@pytest.fixture
def spawn(monitor):
    """Start processes that end with the test."""
    names = []

    def start(name):
        names.append(name)
        return monitor.spawn(name)

    yield start
    for name in names:
        if monitor.ask(f"kill {name} 9").result == 0:
            monitor.do(f"wait {name}")


@pytest.fixture
def cgroup(monitor):
    """Make cgroups that are removed with the test."""
    paths = []

    def make(path):
        monitor.do(f"mkdir {CGROUPS}{path}")
        paths.insert(0, path)
        return path

    yield make
    for path in paths:
        for pid in monitor.ask(f"r {CGROUPS}{path}/cgroup.procs").lines:
            monitor.do(f"w {CGROUPS}/cgroup.procs {pid}")
        monitor.ask(f"rmdir {CGROUPS}{path}")


def follow(guest, context, pid):
    assert guest.write(f"{S}contexts/{context}/pid", pid) == 0


def own_context(guest, name):
    """Return the context register while a process runs."""
    return guest.do(f"@ {name} r {S}context")[0]


def look(guest, context):
    return tuple(guest.read(f"{S}contexts/{context}/{name}") for name in ("state", "pid", "comm"))


def enable(guest):
    assert guest.write(S + "enable", 1) == 0


def log(guest, kinds):
    """Pairs of kind and value."""
    return [(line.split()[0], int(line.split()[1])) for line in guest.do(f"log {kinds}")]


def records(guest):
    """Return the epochs since the last call; the agent has opened the device with O_NONBLOCK."""
    return [parse_epoch(line) for line in guest.ask("read 10000 64").lines]


def test_the_register_holds_the_context_of_the_running_process(monitor, spawn):
    for context, name in ((1, "a"), (5, "b")):
        follow(monitor, context, spawn(name))
    spawn("c")
    assert own_context(monitor, "a") == "0"  # not while the monitor is disabled
    enable(monitor)
    for _ in range(20):
        assert [own_context(monitor, name) for name in "abc"] == ["1", "5", "0"]
        assert monitor.read(S + "context") == "0"
    values = [value for _, value in log(monitor, "c")]
    assert len(values) > 80
    assert all(this != next_ for this, next_ in pairwise(values))
    monitor.write(S + "enable", 0)
    assert own_context(monitor, "a") == "0"


def test_a_writer_that_follows_itself_is_followed_at_once(monitor):
    enable(monitor)
    follow(monitor, 2, 1)
    assert monitor.read(S + "context") == "2"
    follow(monitor, 2, 0)
    assert monitor.read(S + "context") == "0"


def test_threads_follow_and_children_do_not(monitor, spawn):
    follow(monitor, 3, spawn("a"))
    enable(monitor)
    assert monitor.do(f"@ a threaded {S}context") == ["3"]
    monitor.do("@ a spawn child")
    assert monitor.do(f"@ a @ child r {S}context") == ["0"]


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
    # A child is in its parent's cgroup; a process that moves in is followed from its next switch on.
    monitor.do("@ out spawn child")
    assert monitor.do(f"@ out @ child r {S}context") == ["2"]
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
    entries = log(monitor, "fi")
    freed = [value for kind, value in entries[len(frames) :] if kind == "i"]
    assert [freed.count(frame) >= 1 for frame in frames] == [True] * 100


def test_frames_of_a_process_that_ends_are_invalidated(monitor, spawn):
    spawn("a")
    enable(monitor)
    monitor.do("@ a map 300")
    monitor.do(f"w {FAKE}forget 1")
    monitor.do("@ a frames")
    frames = {value for _, value in log(monitor, "f")}
    monitor.end("a")
    assert frames <= {value for _, value in log(monitor, "i")}


def test_nothing_is_invalidated_while_disabled(monitor, spawn):
    spawn("a")
    monitor.do("@ a churn 20")
    assert log(monitor, "i") == []


def test_a_process_followed_late_gets_the_frames_that_only_it_maps(monitor, spawn):
    pid = spawn("a")
    enable(monitor)
    monitor.do("@ a map 100")
    monitor.do(f"w {FAKE}forget 1")
    monitor.do("@ a frames")
    frames = {value for _, value in log(monitor, "f")}
    follow(monitor, 1, pid)
    assert frames <= {value for _, value in log(monitor, "i")}
    # A child shares them until one of the two writes.
    follow(monitor, 1, 0)
    monitor.do("@ a spawn child")
    monitor.do(f"w {FAKE}forget 1")
    follow(monitor, 1, pid)
    assert not frames & {value for _, value in log(monitor, "i")}
    assert log(monitor, "i")  # its own stack, at least


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
    monitor.do(f"w {FAKE}forget 1")
    for name in ("a", "b"):
        monitor.do(f"@ {name} frames")
    frames = {value for _, value in log(monitor, "f")}
    assert monitor.write(S + "contexts/1/cgroup", path) == 0
    assert frames <= {value for _, value in log(monitor, "i")}


def frames_of(guest, *names):
    """Return the frames that processes have mapped; the log is empty before."""
    guest.do(f"w {FAKE}forget 1")
    for name in names:
        guest.do(f"@ {name} frames")
    return {value for _, value in log(guest, "f")}


def handed_over(guest, frames):
    """Wait until all the frames have been invalidated; return those that were."""
    deadline = Deadline(5)
    while not frames <= {value for _, value in log(guest, "i")} and not deadline.passed:
        guest.do("sleep 20")
    return frames & {value for _, value in log(guest, "i")}


def test_a_process_that_moves_into_a_followed_cgroup_takes_its_pages_along(monitor, spawn, cgroup):
    path = cgroup("/joined")
    pid = spawn("a")
    enable(monitor)
    monitor.do("@ a map 50")
    assert monitor.write(S + "contexts/1/cgroup", path) == 0
    frames = frames_of(monitor, "a")
    assert len(frames) == 50
    monitor.do(f"w {CGROUPS}{path}/cgroup.procs {pid}")
    assert handed_over(monitor, frames) == frames
    assert own_context(monitor, "a") == "1"


def test_processes_that_move_in_and_out_take_their_pages_along(monitor, spawn, cgroup):
    path = cgroup("/crowd")
    names = [f"c{number}" for number in range(4)]
    pids = [spawn(name) for name in names]
    enable(monitor)
    for name in names:
        monitor.do(f"@ {name} map 20")
    assert monitor.write(S + "contexts/1/cgroup", path) == 0
    frames = frames_of(monitor, *names)
    for _ in range(10):
        for pid in pids:
            monitor.do(f"w {CGROUPS}/cgroup.procs {pid}")
            monitor.do(f"w {CGROUPS}{path}/cgroup.procs {pid}")
    assert handed_over(monitor, frames) == frames


def test_a_process_that_moves_elsewhere_keeps_its_pages_where_they_are(monitor, spawn, cgroup):
    followed, other = cgroup("/followed"), cgroup("/other")
    pids = {name: spawn(name) for name in ("a", "b")}
    enable(monitor)
    for name in pids:
        monitor.do(f"@ {name} map 50")
    assert monitor.write(S + "contexts/1/cgroup", followed) == 0
    follow(monitor, 2, pids["b"])
    frames = frames_of(monitor, *pids)
    monitor.do(f"w {CGROUPS}{other}/cgroup.procs {pids['a']}")
    # A process with a context of its own stays in that context.
    monitor.do(f"w {CGROUPS}{followed}/cgroup.procs {pids['b']}")
    monitor.do("sleep 200")
    assert not frames & {value for _, value in log(monitor, "i")}
