"""Generated allocations: footprints keep their size, blocks are freed once, a seed determines the trace."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.panwar2015.machine.workloads.compile_tree import CompileTree
from litemrc_studies.panwar2015.machine.workloads.events import (
    FREE,
    ORDER,
    UNMOVABLE,
    BlockNumbers,
    interleaved,
)
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, MEDIUM, Footprint, FootprintTrace

PAGES = 1 << 17


def footprints(trace) -> tuple[np.ndarray, np.ndarray]:
    """Pages in use, and the kernel's of them, behind each tick; fails if a number is used or freed twice."""
    nobody = 255
    held = np.full(1 << 22, nobody, np.uint8)
    used = kernel = 0
    both = []
    for tick in trace:
        # A number comes or goes once in a tick: so pieces of it may be in any order.
        assert len(np.unique(tick.numbers)) == len(tick.numbers)
        goes = (tick.codes & FREE) != 0
        gone, came = tick.numbers[goes], tick.numbers[~goes]
        assert (held[gone] != nobody).all()
        assert (held[came] == nobody).all()
        for codes, sign in ((held[gone], -1), (tick.codes[~goes], 1)):
            sizes = 1 << (codes & ORDER).astype(np.int64)
            used += sign * sizes.sum()
            kernel += sign * sizes[(codes & UNMOVABLE) != 0].sum()
        held[gone] = nobody
        held[came] = tick.codes[~goes]
        both.append((used, kernel))
    return tuple(np.array(both).T)


@pytest.mark.parametrize("workload", [LIGHT, MEDIUM, Footprint(0.2, 0.9, 0.4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_footprints_stay_between_their_limits_and_about_their_mean(workload, seed):
    used, kernel = footprints(FootprintTrace(workload, PAGES, ticks=200, seed=seed))
    assert len(used) == 200
    share = used / PAGES
    # It may be 0.2 % of memory beside its target, and a process of at least 16 pages above it.
    assert workload.low - 0.005 < share.min() < share.max() < workload.high + 0.005
    # 200 ticks are a few levels only.
    assert abs(share.mean() - workload.mean) < 0.1
    assert 0.005 < (kernel / used).mean() < 0.2


def test_long_footprints_have_the_given_mean():
    for workload, tolerance in ((LIGHT, 0.02), (MEDIUM, 0.02)):
        used, _ = footprints(FootprintTrace(workload, 1 << 13, ticks=1000, seed=3))
        assert used.mean() / (1 << 13) == pytest.approx(workload.mean, abs=tolerance)


@pytest.mark.parametrize("kind", ["footprint", "compile"])
def test_a_seed_is_a_trace(kind):
    def trace(seed):
        if kind == "footprint":
            return FootprintTrace(LIGHT, PAGES // 8, ticks=30, seed=seed, nodes=2)
        return CompileTree(PAGES, files=8, jobs=3, seed=seed, nodes=2)

    def told(seed):
        return [
            (tick.codes.tobytes(), tick.numbers.tobytes(), tick.nodes.tobytes())
            for tick in trace(seed)
            if len(tick.codes)
        ]

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_a_compilation_leaves_the_kernels_base_and_the_page_cache():
    tree = CompileTree(PAGES, files=12, jobs=4, seed=1, cache=0.02)
    used, kernel = footprints(tree)
    assert abs(len(used) - tree.ticks) < 60
    # Of processes nothing is left: the page cache has at most its share, but for the file read last.
    assert 0 < used[-1] < 0.02 * PAGES + 1500
    assert kernel[-1] < 0.1 * used[-1]
    assert used.max() > 4 * used[-1]


def test_pieces_keep_their_order_and_take_turns():
    pieces = [
        (np.full(5, 0, np.uint8), np.arange(5, dtype=np.uint32)),
        (np.full(4, 1, np.uint8), np.arange(10, 14, dtype=np.uint32)),
    ]
    events = interleaved(pieces, 2, np.random.default_rng(1), [0, 1])
    numbers = events.numbers.tolist()
    assert [number for number in numbers if number < 10] == [0, 1, 2, 3, 4]
    assert [number for number in numbers if number >= 10] == [10, 11, 12, 13]
    assert events.codes.tolist() == events.nodes.tolist() == [int(number >= 10) for number in numbers]


def test_numbers_given_back_are_used_again_from_the_next_tick_on():
    numbers = BlockNumbers()
    first = numbers.take(3)
    numbers.give_back(first[:2])
    assert numbers.take(2).tolist() == [3, 4]
    numbers.next_tick()
    assert sorted(numbers.take(3).tolist()) == [0, 1, 5]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"low": 0.5}, "50% to 50%"),
        ({"high": 0.99}, "to 99%"),
        ({"mean": 0.6}, "mean footprint, 60%"),
        ({"kernel": 1.0}, "kernel share"),
    ],
)
def test_footprints_that_cannot_be_are_refused(wrong, said):
    with pytest.raises(UserError) as refused:
        replace(Footprint(0.1, 0.5, 0.3), **wrong)
    assert said in str(refused.value)
