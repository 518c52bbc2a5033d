"""The tail of refaults continues a context's LRU stack behind its resident pages."""

import pytest
from linux.driver.following import CGROUPS, enable
from linux.driver.guest import S
from litemrc.golden.monitor.tail import EvictingContext

CONTEXT = 1
SWAP_BYTES = 16 << 20
JITTER = 33  # of guest/stack.c
CHARGED_AHEAD = 64  # pages that the kernel charges at once, at most (MEMCG_CHARGE_BATCH)


class Tail:
    """The context that follows a cgroup with one process, `worker`, and its tail."""

    def __init__(self, guest, path):
        self.guest, self.reclaim = guest, f"{CGROUPS}{path}/memory.reclaim"
        sizes = dict(line.split() for line in guest.do(f"r {S}parameters"))
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
    if len(monitor.do("r /proc/swaps")) < 2:
        monitor.do(f"swap {SWAP_BYTES}")
        monitor.do(f"w {CGROUPS}/cgroup.subtree_control +memory")
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
    assert (walk["refaults"], walk["unidentified"]) == (sum(expected.values()), 0)
    assert walk["evicted"] == pages - resident
    assert abs(walk["resident"] - filled["resident"]) < CHARGED_AHEAD
