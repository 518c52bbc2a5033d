# SPDX-License-Identifier: BSD-2-Clause
"""OPT on IN/OUT records: where the paper's simulation works, and that it is exact there."""

from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.traces.formats.interval_records import smallest_opt_memory
from litemrc.traces.opening import WriteOptions, create_trace

from tests.host.trace_columns import chunk_of, columns

STEPS = st.lists(st.tuples(st.integers(0, 7), st.sampled_from([1, 1, 1, 2, 9, 40])), min_size=1, max_size=100)
NEVER = float("inf")


def recorded(path, pages: list[int], times: list[int], interval: int) -> list[tuple[int, str, int]]:
    with create_trace(path, options=WriteOptions(interval=interval)) as writer:
        writer.write(chunk_of(pages, times=times))
    return [(int(t), kind, int(p)) for t, kind, p in map(str.split, path.read_text().splitlines()[1:])]


def simulatable(records: list[tuple[int, str, int]], interval: int, memory: int) -> bool:
    """The paper's simulation of OPT, word by word: does it find a victim at every fault?"""
    resident, active = set(), set()
    for index, (time, kind, page) in enumerate(records):
        if kind == "OUT":
            active.remove(page)
            continue

        def next_in(idle: int, index: int = index) -> float:
            return next((t for t, k, p in records[index:] if p == idle and k == "IN"), NEVER)

        if page not in resident and len(resident) == memory:
            idle = resident - active
            if not idle:
                return False
            victim = max(idle, key=next_in)
            if next_in(victim) // interval < time // interval + 2:
                return False
            resident.remove(victim)
        resident.add(page)
        active.add(page)
    return True


def misses(pages: list[int], memory: int) -> int:
    """Of OPT: the page whose next use is furthest goes."""
    resident, missed = set(), 0
    for index, page in enumerate(pages):
        if page in resident:
            continue
        missed += 1
        if len(resident) == memory:
            rest = pages[index + 1 :]
            resident.remove(max(resident, key=lambda p: rest.index(p) if p in rest else NEVER))
        resident.add(page)
    return missed


@settings(max_examples=300, deadline=None)
@given(steps=STEPS, interval=st.integers(1, 12))
def test_the_smallest_memory_of_opt_is_that_of_the_paper_and_exact(tmp_path_factory, steps, interval):
    path = tmp_path_factory.mktemp("t") / "t.inout"
    pages = [page for page, _ in steps]
    times = [sum(step for _, step in steps[: index + 1]) for index in range(len(steps))]
    records = recorded(path, pages, times, interval)
    smallest = smallest_opt_memory(path)
    assert all(simulatable(records, interval, memory) for memory in range(smallest, 10))
    assert smallest == 1 or not simulatable(records, interval, smallest - 1)
    read = columns(path)["pages"]
    for memory in range(smallest, 10):
        assert misses(read, memory) == misses(pages, memory)
