# SPDX-License-Identifier: BSD-2-Clause
"""A process that moves into a followed cgroup takes its pages along."""

from tests.linux.driver.following import CGROUPS, claimed, enable, follow, frames_of, own_context
from tests.linux.driver.guest import S
from tests.timeouts import Deadline


def handed_over(guest, frames):
    """Wait until all the frames have been claimed for context 1; return those that were."""
    deadline = Deadline(5)
    while not frames <= claimed(guest, 1) and not deadline.passed:
        guest.do("sleep 20")
    return frames & claimed(guest, 1)


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
    assert not frames & (claimed(monitor, 1) | claimed(monitor, 2))
