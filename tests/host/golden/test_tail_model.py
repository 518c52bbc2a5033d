# SPDX-License-Identifier: BSD-2-Clause
"""Hardware and tail together are Mattson's curve if the victims are those of exact LRU."""

import random

import pytest
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.golden.monitor.tail import EvictingContext

GROUP, GROUPS, TAIL_GROUPS = 4, 8, 16


def mattson(trace, overhead=0):
    """Accesses by group of their LRU position, the last group open; and those to new pages."""
    stack, counts, new = LruStack(), [0] * TAIL_GROUPS, 0
    for page in trace:
        position = stack.access(page)
        if position is None:
            new += 1
        else:
            counts[min((position + overhead) // GROUP, TAIL_GROUPS - 1)] += 1
    return counts, new


def trace_of(seed, pages=70, length=3000):
    """Loops and a skewed choice in turn, over more pages than the tail has room for."""
    dice = random.Random(seed)
    trace = []
    while len(trace) < length:
        size = dice.randint(1, pages)
        trace += (
            range(size) if dice.random() < 0.3 else [int(pages * dice.random() ** 3) for _ in range(size)]
        )
    return trace


@pytest.mark.parametrize("resident", [1, 5, 16, 27])
@pytest.mark.parametrize("overhead", [0, 3])
def test_hits_and_tail_are_mattsons_curve(resident, overhead):
    trace = trace_of(resident)
    context = EvictingContext(resident, GROUP, GROUPS, TAIL_GROUPS, overhead=overhead)
    for page in trace:
        context.access(page)
    counts, new = mattson(trace, overhead)
    assert context.combined == counts
    assert context.misses - sum(context.tail) == new
    assert sum(context.hits) + context.misses == len(trace)
    # The resident pages end the hardware's curve, and begin the tail.
    last = (resident + overhead - 1) // GROUP
    assert sum(context.hits[last + 1 :]) == 0 and sum(context.tail[:last]) == 0
    assert context.tail[-1] > 0  # beyond the last group


def test_a_loop_by_hand():
    """5 pages in a memory of 3, in turn: each access is a refault at position 4, group 1 of 4 pages each."""
    context = EvictingContext(3, GROUP, GROUPS, TAIL_GROUPS)
    for page in [*range(5)] * 3:
        context.access(page)
    assert (context.hits, context.misses) == ([0] * GROUPS, 15)
    assert context.tail == [0, 10] + [0] * 14


def test_with_fifo_victims_no_access_is_lost_but_positions_differ():
    trace = trace_of(1)
    context = EvictingContext(16, GROUP, GROUPS, TAIL_GROUPS, victims="fifo")
    for page in trace:
        context.access(page)
    counts, new = mattson(trace)
    assert sum(context.combined) == sum(counts)
    assert context.misses - sum(context.tail) == new
    assert context.combined != counts
