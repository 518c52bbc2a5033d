# SPDX-License-Identifier: BSD-2-Clause
"""The plugin's counters, against golden models on the accesses that it recorded."""

from collections import Counter

import pytest
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.qemu.monitored import Monitor

from tests.host.traces.qemu.qemu_programs import HOSTILE, WALK, golden_counts, recorded, transfers

SMALL = (CacheShape(512, 2, 32), CacheShape(2048, 4, 64))
SHARED = (*SMALL, CacheShape(16384, 4, 64))
CODE = CacheShape(128, 1, 32)
THROUGH = (CacheShape(512, 2, 32, write_through=True), CacheShape(2048, 4, 16))  # shorter lines below

MONITORS = {
    "bucket": Monitor(4096, (), None, False, "bucket", 256, 16, epoch=1000, raw=True),
    "group, sampled": Monitor(4096, (), None, False, "group", 256, 64, sampling=2, raw=True),
    "bucket, sampled, cached": Monitor(4096, SMALL, CODE, True, "bucket", 256, 16, 3, 777, raw=True),
    "group, cached": Monitor(4096, SHARED, CODE, True, "group", 512, 16, epoch=100, raw=True),
    "one level": Monitor(4096, SMALL[:1], None, False, "bucket", 256, 64, epoch=2000, raw=True),
    "write-through": Monitor(4096, THROUGH, None, False, "group", 256, 16, epoch=1000, raw=True),
    "fetches": Monitor(4096, (), None, True, "group", 256, 16, raw=True),
}
MUTANTS = {
    "an access is missing": lambda pages: pages[:1000] + pages[1001:],
    "an access counts twice": lambda pages: pages[:1000] + pages[999:],
    "a page is another": lambda pages: [page ^ (i == 1000) << 40 for i, page in enumerate(pages)],
    "accesses are in another order": lambda pages: sorted(pages),
}


@pytest.fixture(scope="module")
def walk(compiled):
    return compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")


@pytest.mark.parametrize("name", MONITORS)
def test_counters_equal_those_of_the_golden_models(walk, name):
    monitor = MONITORS[name]
    run = recorded([walk], monitor)
    (counts,) = run.counts
    reached = transfers(run.accesses, monitor)
    pages = [address >> 12 for address, _ in reached]
    hits, misses, outside, unsampled, working_sets = golden_counts(pages, monitor)
    assert dict(enumerate(counts.hits.tolist())) == hits and sum(hits.values()) > 500
    assert (counts.misses, counts.outside, counts.unsampled) == (misses, outside, unsampled)
    assert counts.working_sets == working_sets
    assert counts.accesses == len(reached)
    assert (counts.loads, counts.stores) == (
        sum(kind == 0 for _, kind, _, _ in run.accesses),
        sum(kind == 1 for _, kind, _, _ in run.accesses),
    )
    # 6,000 increments, which QEMU does by a load and a store, and 1,200 loads.
    assert (counts.stores, counts.loads) == (6000, 7200)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_comparison_finds_wrong_accesses(walk, mutant):
    monitor = MONITORS["bucket"]
    run = recorded([walk], monitor)
    pages = [address >> 12 for address, _ in transfers(run.accesses, monitor)]
    hits, misses, *_, working_sets = golden_counts(MUTANTS[mutant](pages), monitor)
    counts = run.counts[0]
    assert (dict(enumerate(counts.hits.tolist())), counts.misses, counts.working_sets) != (
        hits, misses, working_sets,
    )  # fmt: skip


def test_an_access_across_a_page_counts_on_both(walk):
    run = recorded([walk], MONITORS["bucket"])
    crossing = sum((a & 4095) + size > 4096 for _, _, a, size in run.accesses)
    assert crossing >= 1200  # every fifth of 6,000 turns
    assert run.counts[0].accesses == len(run.accesses) + crossing


def test_the_exact_engine_equals_the_golden_stack(walk):
    monitor = Monitor(4096, SHARED, CODE, engine="exact", epoch=500, raw=True)
    run = recorded([walk], monitor)
    (counts,) = run.counts
    stack, distances, working_sets, touched = LruStack(), Counter(), [], set()
    pages = [address >> 12 for address, _ in transfers(run.accesses, monitor)]
    for number, page in enumerate(pages, 1):
        position = stack.access(page)
        distances[0 if position is None else position + 1] += 1
        touched.add(page)
        if number % 500 == 0 or number == len(pages):
            working_sets.append(len(touched))
            touched = set()
    cold = distances.pop(0)
    assert (counts.misses, counts.pages, counts.working_sets) == (cold, len(set(pages)), working_sets)
    assert {d: n for d, n in enumerate(counts.hits.tolist(), 1) if n} == dict(distances)


def test_threads_atomics_and_code_that_rewrites_itself_lose_no_count(compiled):
    program = compiled("hostile", HOSTILE, "-pthread")
    monitor = Monitor(4096, SHARED, CODE, engine="bucket", frames=1024, groups=16, epoch=5000, raw=True)
    run = recorded([program], monitor)
    assert run.code == 0  # the program checks itself: 20,000 increments, and each value of its code
    parent, child = run.counts  # checked by read_counts: sent = taken, passed = counted
    assert parent.loads + parent.stores == sum(kind < 2 for _, kind, _, _ in run.accesses)
    # Each of 4 threads: 5,000 atomic increments and 5,000 stores.
    assert parent.stores >= 40_000
    assert 3000 <= child.stores < 10_000
    reached = transfers(run.accesses, monitor)
    hits, misses, outside, _, working_sets = golden_counts((a >> 12 for a, _ in reached), monitor)
    assert dict(enumerate(parent.hits.tolist())) == hits
    assert (parent.misses, parent.outside, parent.working_sets) == (misses, outside, working_sets)
    assert len({number for number, *_ in run.accesses}) == 5
