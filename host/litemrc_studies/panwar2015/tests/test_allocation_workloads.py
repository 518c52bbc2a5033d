# SPDX-License-Identifier: BSD-2-Clause
"""Allocations of footprints, of a kernel build, and as recorded from a kernel."""

from dataclasses import replace
from pathlib import Path

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
from litemrc_studies.panwar2015.machine.workloads.kmem import read_kmem

PAGES = 1 << 17
SAMPLE = Path(__file__).parent / "data/compile.kmem.xz"
HEAD = "            make-7   [001] ..... {time}: "
MOVABLE = "page=0000000029112262 pfn={pfn:#x} order={order} migratetype=1 gfp_flags=GFP_HIGHUSER_MOVABLE"
KERNEL = "page=0000000029112262 pfn={pfn:#x} order={order} migratetype=0 gfp_flags=GFP_KERNEL|__GFP_ZERO"


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


def allocated(time: str, pfn: int, order: int = 0, fields: str = MOVABLE) -> str:
    return HEAD.format(time=time) + "mm_page_alloc: " + fields.format(pfn=pfn, order=order)


def freed(time: str, pfn: int, order: int = 0) -> str:
    return HEAD.format(time=time) + f"mm_page_free: page=00000000e9a3a88d pfn={pfn:#x} order={order}"


def read(folder: Path, *lines: str):
    path = folder / "few.txt"
    path.write_text("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
    return read_kmem(path, tick_s=0.5)


def events(trace) -> list[list[tuple[int, int]]]:
    return [list(zip(tick.codes.tolist(), tick.numbers.tolist(), strict=True)) for tick in trace]


def test_blocks_come_and_go_in_their_ticks(tmp_path):
    trace = read(
        tmp_path,
        allocated("10.000001", 0x200, 3),
        allocated("10.100000", 0x400, 0, KERNEL),
        freed("10.200000", 0x200, 3),
        allocated("11.000001", 0x200, 1),  # half a second and half a second on
        freed("11.100000", 0x400),
    )
    assert events(trace) == [
        [(3, 0), (UNMOVABLE, 1), (FREE, 0)],
        [],
        [(1, 2), (FREE, 1)],
    ]
    assert (trace.ticks, trace.known, trace.notes) == (3, 3, ["1 blocks are not freed in the recording"])


def test_a_block_that_goes_in_parts_is_as_many_blocks_from_the_start(tmp_path):
    trace = read(
        tmp_path,
        allocated("1.0", 0x100, 2),
        freed("1.1", 0x101),
        freed("1.2", 0x102, 1),
        freed("1.3", 0x100),
    )
    (tick,) = events(trace)
    came = {number: code for code, number in tick if code != FREE}
    gone = [number for code, number in tick if code == FREE]
    assert [came[number] for number in gone] == [0, 1, 0]
    assert len(came) == len(gone) == 3


def test_the_beginning_of_a_block_goes_without_its_end(tmp_path):
    trace = read(tmp_path, allocated("1.0", 0x100, 1), freed("1.1", 0x100), freed("1.2", 0x101))
    assert events(trace) == [[(0, 0), (0, 1), (FREE, 0), (FREE, 1)]]
    trace = read(tmp_path, allocated("1.0", 0x100, 3, KERNEL), freed("1.1", 0x104, 2))
    assert events(trace) == [[(UNMOVABLE | 2, 0), (UNMOVABLE | 2, 1), (FREE, 0)]]
    assert trace.notes == ["1 blocks are not freed in the recording"]


def test_a_free_of_more_than_the_block_frees_the_block(tmp_path):
    trace = read(tmp_path, allocated("1.0", 0x101), allocated("1.0", 0x100), freed("1.1", 0x100, 1))
    assert events(trace) == [[(0, 0), (0, 1), (FREE, 1)]]


def test_blocks_of_order_10_are_the_largest(tmp_path):
    trace = read(tmp_path, allocated("1.0", 0x400, 10), allocated("1.1", 0x7FF))
    assert events(trace) == [[(10, 0), (FREE, 0), (0, 1)]], "the last page of the block is another's"
    assert trace.notes[-1].startswith("1 frees were not recorded")


def test_ticks_count_from_the_first_event_and_never_go_back(tmp_path):
    times = ("10.3", "10.799999999", "10.8", "10.7", "11.30", "12.5")
    trace = read(tmp_path, *(allocated(time, 0x100 + at) for at, time in enumerate(times)))
    assert [len(tick) for tick in events(trace)] == [2, 2, 1, 0, 1]
    trace = read_kmem(tmp_path / "few.txt")
    assert (trace.ticks, trace.tick_s, trace.title) == (2.2 // 0.01 + 1, 0.01, "few.txt")


def test_allocations_without_a_page_are_left_out(tmp_path):
    trace = read(
        tmp_path,
        allocated("1.0", 0, 0),
        allocated("1.1", 0x100).replace("0000000029112262", "(nil)"),
        allocated("1.2", 0x200),
        "PERF_RECORD_LOST: LOST 3 events!",
        "CPU:0 [LOST 4 EVENTS]",
    )
    assert events(trace) == [[(0, 0)]]
    assert trace.notes[1:] == ["7 events were lost by the recorder", "2 failed allocations were left out"]


def test_movable_blocks_have_the_flag_or_the_type(tmp_path):
    fields = ("migratetype=1 gfp_flags=GFP_KERNEL", "migratetype=0 gfp_flags=GFP_USER|__GFP_MOVABLE", "")
    lines = [
        allocated(f"1.{at}", 0x100 + at, 0, "pfn={pfn} order={order} " + field)
        for at, field in enumerate(fields)
    ]
    assert events(read(tmp_path, *lines)) == [[(0, 0), (0, 1), (UNMOVABLE, 2)]]


def test_what_a_recording_lacks_is_noted(tmp_path):
    trace = read(
        tmp_path,
        freed("1.0", 0x999),
        allocated("1.1", 0x100),
        allocated("1.2", 0x100),
        "CPU:1 [LOST 35 EVENTS]",
        HEAD.format(time="1.3")
        + "mm_page_alloc: page=(nil) pfn=0x0 order=4 migratetype=1 gfp_flags=GFP_NOWAIT",
        freed("1.4", 0x100),
        HEAD.format(time="1.5") + "mm_page_free_batched: page=00000000e9a3a88d pfn=0x100 order=0",
    )
    assert trace.notes == [
        "1 frees of blocks allocated before the recording were left out",
        "1 frees were not recorded: their pages were allocated again",
        "35 events were lost by the recorder",
        "1 failed allocations were left out",
    ]
    # The second block on the page replaces the first one.
    assert events(trace) == [[(0, 0), (FREE, 0), (0, 1), (FREE, 1)]]


def test_zones_follow_from_the_flags(tmp_path):
    flags = ("GFP_KERNEL|GFP_DMA32", "GFP_KERNEL|GFP_DMA", "GFP_KERNEL")
    lines = [
        allocated(f"1.{at}", 0x100 + at, 0, KERNEL.replace("GFP_KERNEL|__GFP_ZERO", flag))
        for at, flag in enumerate(flags)
    ]
    (tick,) = events(read(tmp_path, *lines))
    assert [code for code, _ in tick] == [UNMOVABLE | 1 << 6, UNMOVABLE | 2 << 6, UNMOVABLE]


def test_perfs_form_and_decimal_page_frames_are_read(tmp_path):
    trace = read(
        tmp_path,
        "cc1  2144 [000]    54.394313421: kmem:mm_page_alloc: page=0x419033 pfn=4296755 order=0 migratetype=1"
        " gfp_flags=GFP_HIGHUSER_MOVABLE|__GFP_ZERO",
        "cc1  2144 [000]    54.394313999: kmem:mm_page_free: page=0x419033 pfn=4296755 order=0",
    )
    assert events(trace) == [[(0, 0), (FREE, 0)]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            HEAD.format(time="1.0") + "mm_page_alloc: page=0 order=0",
            "few.txt:3: the event has no pfn or order",
        ),
        (allocated("1.0", 0x101, 1), "few.txt:3: the event has a block of order 1 at page frame 0x101"),
        (allocated("1.0", 0x0800, 11), "order 11"),
        ("make-7 mm_page_free: page=1 pfn=0x1 order=0", "few.txt:3: the event has no time"),
        ("make-7 [001] 1.0: sched_switch: prev_comm=make", "has no page allocation"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_line(tmp_path, line, said):
    with pytest.raises(UserError) as refused:
        read(tmp_path, line)
    assert said in str(refused.value)
    assert refused.value.remedy


def test_the_recorded_sample_is_a_compilers_tree():
    trace = read_kmem(SAMPLE)
    live: dict[int, int] = {}
    pages = allocations = kernel = 0
    most = 0
    for tick in trace:
        for code, number in zip(tick.codes.tolist(), tick.numbers.tolist(), strict=True):
            if code & FREE:
                pages -= live.pop(number)
            else:
                assert number not in live
                live[number] = 1 << (code & ORDER)
                pages += live[number]
                allocations += 1
                kernel += bool(code & UNMOVABLE)
        most = max(most, pages)
    # grep -c mm_page_alloc: of the text; migratetype=0: of the kernel, all of them of order 0.
    assert (allocations, kernel) == (28657, 1694)
    assert 1000 < most < 16384
