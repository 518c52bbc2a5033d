# SPDX-License-Identifier: BSD-2-Clause
"""The tail of refaults continues a context's LRU stack behind its resident pages."""

import pytest
from litemrc.golden.monitor.tail import EvictingContext

from tests.linux.driver.following import CGROUPS, enable, enable_swap
from tests.linux.driver.guest import S, parse_epoch

CONTEXT = 1
RING = 64
JITTER = 33  # of guest/stack.c
CHARGED_AHEAD = 64  # pages that the kernel charges at once, at most (MEMCG_CHARGE_BATCH)


class Tail:
    """The context that follows a cgroup with one process, `worker`, and its tail."""

    def __init__(self, guest, path):
        self.guest, self.path, self.reclaim = guest, path, f"{CGROUPS}{path}/memory.reclaim"
        sizes = guest.values(S + "parameters")
        self.groups = int(sizes["groups"])
        self.group_pages = int(sizes["pages"]) // self.groups

    def epoch(self):
        """End the epoch; return its tail by group, and its other numbers by name."""
        assert self.guest.write(S + "end_epoch", 1) == 0
        folder = f"{S}contexts/{CONTEXT}/"
        counts = [int(word) for word in self.guest.read(folder + "tail").split()]
        assert len(counts) == 2 * self.groups
        tail = {group: count for group, count in enumerate(counts) if count}
        names = ("resident", "evicted", "refaults", "unidentified")
        return tail, {name: int(self.guest.read(folder + name)) for name in names}

    def centres(self, overhead, *groups):
        """Positions of the program's stack in the middles of groups of the context's."""
        return [group * self.group_pages + self.group_pages // 2 - overhead for group in groups]


@pytest.fixture
def tail(monitor, spawn, cgroup):
    enable_swap(monitor)
    path = cgroup("/tail")
    monitor.do(f"w {CGROUPS}{path}/cgroup.procs {spawn('worker')}")
    assert monitor.write(f"{S}contexts/{CONTEXT}/cgroup", path) == 0
    enable(monitor)
    return Tail(monitor, path)


def positions(times, seed, centres):
    """The positions that walk() of guest/stack.c takes."""
    state = seed
    for _ in range(times):
        state = (state * 1664525 + 1013904223) % 2**32
        centre = centres[(state >> 16) % len(centres)]
        state = (state * 1664525 + 1013904223) % 2**32
        yield centre + (state >> 16) % JITTER - JITTER // 2


def walked(pages, chosen):
    """The pages that walk() accesses, after fill() has used each once."""
    stack = [*reversed(range(pages))]
    for position in chosen:
        stack.insert(0, stack.pop(position))
        yield stack[0]


def test_the_tail_equals_exact_lru(monitor, tail):
    """The program evicts the page that exact LRU would, and each position is known."""
    pages, resident, times, seed = 1700, 300, 1000, 7
    monitor.do("open /dev/litemrc0 nonblock")
    monitor.do(f"@ worker fill {pages} {resident} {tail.reclaim}")
    counts, filled = tail.epoch()
    overhead = filled["resident"] - resident
    assert not counts and 0 < overhead < tail.group_pages // 2
    assert filled["evicted"] == pages - resident

    centres = tail.centres(overhead, 0, 2, 3, 5)
    monitor.do(f"@ worker walk {times} {seed} {' '.join(map(str, centres))}")
    counts, walk = tail.epoch()

    model = EvictingContext(resident, tail.group_pages, tail.groups, 2 * tail.groups, overhead=overhead)
    for page in range(pages):
        model.access(page)
    for page in walked(pages, positions(times, seed, centres)):
        model.access(page)
    expected = {group: count for group, count in enumerate(model.tail) if count}
    assert set(expected) == {2, 3, 5} and min(expected.values()) > times / 5
    assert counts == expected
    *_, before, record = map(parse_epoch, monitor.ask("read 100000 1000").lines)
    assert (before.tail_groups, before.refaults) == (0, 0)
    assert (record.tail_groups, record.refaults) == (2 * tail.groups, sum(expected.values()))
    assert (walk["refaults"], walk["unidentified"]) == (sum(expected.values()), 0)
    assert walk["evicted"] == pages - resident
    assert abs(walk["resident"] - filled["resident"]) < CHARGED_AHEAD


def walk(monitor, tail, overhead, *groups, times=200, seed=1):
    """Walk at positions in the middles of groups; return the counts that follow."""
    centres = " ".join(map(str, tail.centres(overhead, *groups)))
    monitor.do(f"@ worker walk {times} {seed} {centres}")
    return tail.epoch()


def filled(monitor, tail, pages, resident):
    """Fill; return the cgroup's pages beside the program's."""
    monitor.do(f"@ worker fill {pages} {resident} {tail.reclaim}")
    return tail.epoch()[1]["resident"] - resident


def test_pages_that_are_unmapped_while_they_are_out_are_forgotten(monitor, tail):
    """A page behind 200 unmapped ones has a position that is smaller by 200: here by a group."""
    overhead = filled(monitor, tail, 1400, 300)
    (centre,) = tail.centres(overhead, 3)
    # All are out, and were evicted later than those at the centre.
    monitor.do(f"@ worker discard {centre - 260} 200")
    monitor.do("sleep 100")  # the page tables are searched in a work item
    assert tail.epoch()[1]["evicted"] == 1400 - 300 - 200
    monitor.do(f"@ worker read_at {centre} 20")
    counts, numbers = tail.epoch()
    assert (counts, numbers["unidentified"]) == ({2: 20}, 0)


def test_an_epoch_without_refaults_has_no_tail_where_the_ring_had_one(monitor, tail):
    overhead = filled(monitor, tail, 1400, 300)
    assert walk(monitor, tail, overhead, 3, times=10)[0]
    for _ in range(RING - 1):
        assert monitor.write(S + "end_epoch", 1) == 0
    assert tail.epoch()[0] == {}


def test_a_process_that_ends_leaves_no_page_behind(monitor, tail, spawn):
    """The second process of the cgroup has only its own pages in its stack."""
    filled(monitor, tail, 1400, 300)
    spawn("second")
    monitor.do(f"& second fill 600 100 {tail.reclaim}")
    monitor.do("kill worker 9")
    monitor.do("wait worker")
    monitor.do("sleep 100")
    assert tail.epoch()[1]["evicted"] == 0


def test_a_refault_in_the_kernel_is_identified(monitor, tail):
    """The kernel writes to evicted pages by read(): one group each, as when the program does."""
    overhead = filled(monitor, tail, 1400, 300)
    (centre,) = tail.centres(overhead, 3)
    monitor.do(f"@ worker read_into {centre} 20")
    counts, numbers = tail.epoch()
    assert (counts, numbers["refaults"], numbers["unidentified"]) == ({3: 20}, 20, 0)


def test_pages_of_a_file_that_are_read_again_are_refaults(monitor, tail):
    """The pages read first are evicted first. Read from the last of them on, each lies one deeper."""
    if not any(line.startswith("disk ") for line in monitor.do("ls /")):
        pytest.skip("the kernel has no buffer heads, which file systems on a disk need")
    pages, folder = 1200, f"{CGROUPS}{tail.path}/"
    for command in (
        "insmod /brd.ko",
        "insmod /minix.ko",
        "mkdir /mnt",
        "copy /disk /dev/ram0",
        "mount /dev/ram0 /mnt minix",
        f"write_pages /mnt/file {pages}",
        "umount /mnt",  # the pages are clean then, and not in memory
        "mount /dev/ram0 /mnt minix",
    ):
        monitor.do(command)

    monitor.do(f"@ worker read_pages /mnt/file 0 {pages - 1}")
    assert tail.epoch()[0] == {}
    monitor.do(f"w {folder}memory.reclaim {800 * 4096}")
    _, reclaimed = tail.epoch()
    resident, evicted = reclaimed["resident"], reclaimed["evicted"]
    assert 700 < evicted < 900 and reclaimed["refaults"] == 0
    monitor.do(f"@ worker read_pages /mnt/file {evicted - 100} 1")
    counts, numbers = tail.epoch()
    stat = dict(line.split() for line in monitor.do(f"r {folder}memory.stat"))

    for command in ("umount /mnt", "rmdir /mnt", "rmmod minix", "rmmod brd"):
        monitor.do(command)
    assert numbers["refaults"] == int(stat["workingset_refault_file"]) >= evicted - 100
    assert numbers["unidentified"] == 0
    assert numbers["evicted"] == evicted - numbers["refaults"]
    # Positions run from `resident` + 99 on: whole groups between the first and the last. A page of 4 blocks
    # has 4 buffer heads, charged as well. With 64 bytes a group has up to a 16th fewer of the file's pages,
    # and more in a debug kernel, whose objects have guards.
    (heads,) = [line.split() for line in monitor.do("r /proc/slabinfo") if line.startswith("buffer_head ")]
    file_share = 1 - 4 * int(heads[3]) / 4096
    first, *between, _ = sorted(counts)
    assert len(between) >= 1
    for group in between:
        assert tail.group_pages * file_share - CHARGED_AHEAD / 4 <= counts[group] <= tail.group_pages
    assert abs((first + 1) * tail.group_pages - (resident + 99) - counts[first]) < CHARGED_AHEAD


def test_a_clear_and_a_new_follower_forget_the_tail(monitor, tail):
    overhead = filled(monitor, tail, 1400, 300)
    assert monitor.write(S + "clear", 1) == 0
    counts, numbers = walk(monitor, tail, overhead, 3, times=10)
    assert (counts, numbers["evicted"]) == ({}, 10)  # those that came back pushed others out
    assert numbers["unidentified"] == numbers["refaults"] == 10
    folder = f"{S}contexts/{CONTEXT}/"
    assert monitor.write(folder + "cgroup", "-") == 0
    walk(monitor, tail, overhead, 3, times=10)
    names = ("resident", "evicted", "refaults", "unidentified")
    assert [monitor.read(folder + name) for name in names] == ["0"] * 4
    assert set(monitor.read(folder + "tail").split()) == {"0"}


def test_a_disabled_monitor_and_a_process_among_others_have_no_tail(monitor, tail, spawn):
    assert monitor.write(S + "enable", 0) == 0
    filled(monitor, tail, 400, 300)
    enable(monitor)
    assert tail.epoch()[1]["evicted"] == 0
    # A process alone in its cgroup has a tail, until another one is there.
    monitor.write(f"{S}contexts/{CONTEXT}/cgroup", "-")
    (pid,) = monitor.do(f"r {CGROUPS}{tail.path}/cgroup.procs")
    assert monitor.write(f"{S}contexts/{CONTEXT}/pid", pid) == 0
    assert 300 < tail.epoch()[1]["resident"] < 500
    monitor.do(f"w {CGROUPS}{tail.path}/cgroup.procs {spawn('other')}")
    tail.epoch()
    monitor.do("sleep 100")
    assert tail.epoch()[1]["resident"] == 0
