# SPDX-License-Identifier: BSD-2-Clause
"""A rank is a NUMA node: stock system calls place pages, and the kernel keeps out of ranks 1 to 3."""

import re

from tests.linux.ranks.machine import LOCAL, OTHER, PAGE, RANKS, distance
from tests.linux.ranks.placed import RANK_PAGES, nodes

NODES = "/sys/devices/system/node"


def numastat(ranks, node, counter):
    return int(re.search(rf"^{counter} (\d+)$", ranks.check(f"cat {NODES}/node{node}/numastat"), re.M)[1])


def test_each_rank_is_a_node_with_its_memory(ranks):
    assert ranks.check(f"cat {NODES}/online") == f"0-{RANKS - 1}\n"
    for rank in (1, 2, 3):
        total = re.search(r"MemTotal: +(\d+) kB", ranks.check(f"cat {NODES}/node{rank}/meminfo"))
        assert int(total[1]) == RANK_PAGES * PAGE // 1024
    for rank in range(RANKS):
        expected = [distance(rank, other) for other in range(RANKS)]
        assert ranks.check(f"cat {NODES}/node{rank}/distance").split() == [str(number) for number in expected]
    assert distance(2, 2) == LOCAL < OTHER < distance(2, 1) < distance(2, 3) < distance(2, 0)


def test_ranks_1_to_3_have_only_movable_memory(ranks):
    """Each is a CMA area as a whole, and the kernel has allocated nothing there that cannot move."""
    zones = re.split(r"^Node ", ranks.check("cat /proc/zoneinfo"), flags=re.M)
    for rank in (1, 2, 3):
        zone = next(text for text in zones if re.match(rf"{rank}, zone +Normal", text))
        assert int(re.search(r"\bcma +(\d+)", zone)[1]) == RANK_PAGES
        slab = ranks.check(f"grep -E 'Slab:|KernelStack:|PageTables:' {NODES}/node{rank}/meminfo")
        assert [int(number) for number in re.findall(r"(\d+) kB", slab)] == [0] * 4  # with SecPageTables


def test_mbind_places_pages_on_its_rank(ranks):
    for rank in range(RANKS):
        before = numastat(ranks, rank, "numa_hit")
        expected = [300 if other == rank else 0 for other in range(RANKS)]
        assert nodes(ranks.check(f"/nodes bind {rank} 300")) == expected
        assert numastat(ranks, rank, "numa_hit") - before >= 300


def test_migrate_pages_moves_a_process_to_another_rank(ranks):
    output = ranks.check("/nodes migrate 1 3 500")
    assert re.findall(r"^nodes (.*)$", output, re.M) == ["0 500 0 0", "0 0 0 500"]


def test_memory_beyond_a_bound_rank_swaps_and_the_others_stay_free(ranks):
    """A bind to one rank is local recycling (Jantz et al. 2013, 8.2): the rank's own pages make room."""
    out = f"cat {NODES}/node[123]/meminfo | grep MemFree"
    free = [int(word) for word in re.findall(r"(\d+) kB", ranks.check(out))]
    before = int(re.search(r"^pswpout (\d+)", ranks.check("cat /proc/vmstat"), re.M)[1])
    assert sum(nodes(ranks.check(f"/nodes bind 3 {RANK_PAGES + 500}"))) <= RANK_PAGES
    after = int(re.search(r"^pswpout (\d+)", ranks.check("cat /proc/vmstat"), re.M)[1])
    assert after - before >= 500
    now = [int(word) for word in re.findall(r"(\d+) kB", ranks.check(out))]
    assert [abs(left - right) < 1024 for left, right in zip(free[:2], now[:2], strict=True)] == [True, True]
