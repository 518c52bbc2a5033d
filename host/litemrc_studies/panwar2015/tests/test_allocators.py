# SPDX-License-Identifier: BSD-2-Clause
"""Linux's buddy allocator, Adaptive-Buddy and the bank allocators, by hand."""

import numpy as np
import pytest
from litemrc_studies._core import (
    NO_FRAME,
    Adaptive,
    Allocator,
    BankArray,
    BankList,
    Buddy,
    Migration,
    PhysicalMemory,
    PlacementMachine,
    Zone,
)
from litemrc_studies.panwar2015.machine.workloads.events import FREE
from litemrc_studies.panwar2015.tests.placement_machines import (
    ALLOCATORS,
    BLOCK,
    offline,
    one_zone,
    two_nodes,
    units,
)


def memory_of(blocks: int, stripe_frames: int = 0) -> PhysicalMemory:
    """One zone, units of one largest block."""
    zones = [Zone(node=0, kind=2, first=0, frames=blocks * BLOCK)]
    return PhysicalMemory(frames=blocks * BLOCK, unit_frames=BLOCK, stripe_frames=stripe_frames, zones=zones)


def used_of_units(memory: PhysicalMemory) -> list[int]:
    return memory.unit_rows().reshape(-1, 4)[:, 1].tolist()


def test_a_block_is_split_from_below_and_merged_again():
    memory = memory_of(1)
    buddy = Buddy(memory)
    assert [buddy.allocate(0) for _ in range(3)] == [0, 1, 2]
    assert buddy.allocate(2) == 4  # 3 is free, but 4 pages begin at a multiple of 4
    assert buddy.allocate(9) == 512
    assert buddy.allocate(9) == NO_FRAME
    for frame in (1, 0, 4, 512, 2):
        buddy.free(frame)
    assert memory.used == 0
    assert buddy.allocate(10) == 0


def test_what_was_freed_last_is_used_first():
    buddy = Buddy(memory_of(1))
    frames = [buddy.allocate(0) for _ in range(8)]
    for frame in (frames[1], frames[5], frames[3]):
        buddy.free(frame)
    assert [buddy.allocate(0) for _ in range(3)] == [frames[3], frames[5], frames[1]]


def test_the_kernel_takes_a_whole_block_from_the_movable_pages():
    memory = memory_of(4)
    buddy = Buddy(memory)
    movable = buddy.allocate(0)  # splits the first block
    kernel = [buddy.allocate(0, movable=False) for _ in range(3)]
    assert movable == 0
    assert kernel == [BLOCK, BLOCK + 1, BLOCK + 2]  # the largest block there is: not beside the movable page
    assert memory.unit_rows().reshape(-1, 4)[:, 2].tolist() == [0, 3, 0, 0]


def test_pages_of_interleaved_memory_lie_on_all_units():
    memory = memory_of(4, stripe_frames=1)
    buddy = Buddy(memory)
    frame = buddy.allocate(3)
    assert used_of_units(memory) == [2, 2, 2, 2]
    buddy.free(frame)
    assert used_of_units(memory) == [0, 0, 0, 0]


def test_a_node_without_memory_gets_it_from_the_other():
    zones = [Zone(node=node, kind=2, first=node * BLOCK, frames=BLOCK) for node in range(2)]
    memory = PhysicalMemory(frames=2 * BLOCK, unit_frames=BLOCK, stripe_frames=0, zones=zones)
    buddy = Buddy(memory)
    assert [buddy.allocate(10, node=1) for _ in range(3)] == [BLOCK, 0, NO_FRAME]


@pytest.mark.parametrize(("kind", "frames"), [(2, [2 * BLOCK, BLOCK, 0]), (1, [BLOCK, 0]), (0, [0])])
def test_a_request_goes_to_the_highest_zone_it_may_use_first(kind, frames):
    zones = [Zone(node=0, kind=number, first=number * BLOCK, frames=BLOCK) for number in range(3)]
    memory = PhysicalMemory(frames=3 * BLOCK, unit_frames=BLOCK, stripe_frames=0, zones=zones)
    buddy = Buddy(memory)
    assert [buddy.allocate(10, kind=kind) for _ in frames] == frames
    assert buddy.allocate(10, kind=kind) == NO_FRAME


def adaptive(memory: PhysicalMemory, reserve: int = 0, moves: int = 32) -> Adaptive:
    return Adaptive(memory, reserve_frames=reserve, moves_per_operation=moves)


@pytest.mark.parametrize("name", ["bank-array", "bank-list", "adaptive"])
def test_the_kernel_and_the_users_begin_at_different_ends(name):
    memory = one_zone(8, 2)
    allocator = ALLOCATORS[name](memory)
    assert memory.unit_of(allocator.allocate(0)) == 3
    assert memory.unit_of(allocator.allocate(0, movable=False)) == 0
    assert [used for _, used, *_ in units(memory)] == [1, 0, 0, 1]


def test_a_bank_joins_when_the_reserve_is_touched_and_leaves_when_it_can_be_spared():
    memory = one_zone(8, 2)
    allocator = adaptive(memory, reserve=BLOCK)
    assert offline(allocator) == [0, 1, 2, 3]
    first = allocator.allocate(10)
    assert offline(allocator) == [0, 1, 2]  # a block is left: the reserve
    page = allocator.allocate(0)
    assert offline(allocator) == [0, 1]  # ahead of need
    for frame in (first, page):
        allocator.free(frame)
    while not allocator.tidy():
        pass
    # 4 blocks are free; one bank less leaves 2, which is the reserve and more than a quarter of a bank.
    assert offline(allocator) == [0, 1, 3]


def test_a_bank_joins_a_few_blocks_at_a_time():
    memory = one_zone(128, 64)
    allocator = adaptive(memory, moves=8)
    for operations in range(1, 9):
        allocator.allocate(0)
        # With each operation 8 of the bank's 64 blocks; one page after the other.
        assert allocator.work.moves == 8 * operations
    allocator.allocate(0)
    assert allocator.work.moves == 64
    assert allocator.work.most_moves == 8
    at_once = adaptive(one_zone(128, 64), moves=0)
    at_once.allocate(0)
    assert at_once.work.most_moves == 64  # as in the paper


def test_an_allocation_from_a_bank_that_leaves_makes_it_stay():
    memory = one_zone(128, 64)
    allocator = adaptive(memory, moves=1)
    frames = [allocator.allocate(10) for _ in range(65)]
    assert [used for _, used, *_ in units(memory)] == [BLOCK, 64 * BLOCK]
    for frame in frames[:17]:
        allocator.free(frame)
    allocator.free(frames[64])  # its bank can be spared now, and leaves with a block an operation
    again = [allocator.allocate(10) for _ in range(18)]  # one more than the other bank has
    assert [used for _, used, *_ in units(memory)] == [BLOCK, 64 * BLOCK]
    assert NO_FRAME not in again
    while not allocator.tidy():
        pass
    assert offline(allocator) == []
    assert NO_FRAME not in [allocator.allocate(10) for _ in range(63)]
    assert allocator.allocate(10) == NO_FRAME


def test_banks_across_a_border_are_always_in_use():
    memory = two_nodes()
    for name in ("bank-array", "bank-list", "adaptive"):
        allocator = ALLOCATORS[name](two_nodes())
        assert offline(allocator) == [0, 2, 3, 5, 6, 7, 8], name
    assert [unit for unit, (*_, crossing) in enumerate(units(memory)) if crossing] == [1, 4]


def test_the_array_fills_the_outermost_bank_with_room():
    memory = one_zone(8, 2)
    array = BankArray(memory)
    frames = [array.allocate(10) for _ in range(4)]
    assert [memory.unit_of(frame) for frame in frames] == [3, 3, 2, 2]
    array.free(frames[1])
    assert memory.unit_of(array.allocate(10)) == 3


def test_the_list_fills_the_bank_that_was_brought_first():
    memory = one_zone(8, 2)
    banks = BankList(memory)
    frames = [banks.allocate(9) for _ in range(5)]
    assert [memory.unit_of(frame) for frame in frames] == [3, 3, 3, 3, 2]
    banks.free(frames[0])  # bank 3 is behind bank 2 now
    assert [memory.unit_of(banks.allocate(9)) for _ in range(4)] == [2, 2, 2, 3]


def filled(memory: PhysicalMemory, allocator: Allocator, pages_of_units: list[int]) -> PlacementMachine:
    """Units that hold n single pages, and the machine that knows them."""
    machine = PlacementMachine(allocator)
    numbers = np.arange(memory.frames, dtype=np.uint32)
    machine.run(np.zeros(memory.frames, np.uint8), numbers)
    unit_of = np.array([memory.unit_of(machine.frame_of(number)) for number in numbers])
    kept = np.concatenate(
        [numbers[unit_of == unit][::2][:pages] for unit, pages in enumerate(pages_of_units)]
    )
    gone = np.setdiff1d(numbers, kept)
    machine.run(np.full(len(gone), FREE, np.uint8), gone)
    while not allocator.tidy():
        pass
    return machine


@pytest.mark.parametrize("name", ["bank-array", "bank-list", "adaptive"])
def test_migration_empties_the_emptiest_banks_up_to_the_break_point(name):
    memory = one_zone(8, 2)
    allocator = adaptive(memory) if name == "adaptive" else ALLOCATORS[name](memory)
    machine = filled(memory, allocator, [900, 100, 1000, 500])
    migration = Migration(machine, budget_frames=10**9, reserve_frames=0, most_used_percent=100)
    migration.run()
    # 8,192 frames, 2,500 pages: 5,692 are free, which is two banks of 2,048 and some.
    assert offline(allocator) == [1, 3]
    assert migration.copied_frames == 600
    used = [used for _, used, *_ in units(memory)]
    assert (used[1], used[3], used[0] + used[2]) == (0, 0, 2500)


def test_migration_keeps_to_its_budget_and_its_reserve():
    for budget, reserve, emptied in (
        (599, 0, [1]),
        (600, 0, [1, 3]),
        (10**9, 1597, [1]),
        (10**9, 1596, [1, 3]),
    ):
        memory = one_zone(8, 2)
        allocator = adaptive(memory)
        machine = filled(memory, allocator, [900, 100, 1000, 500])
        Migration(machine, budget_frames=budget, reserve_frames=reserve, most_used_percent=100).run()
        assert offline(allocator) == emptied, (budget, reserve)


def test_banks_with_unmovable_pages_and_those_above_the_limit_stay():
    memory = one_zone(8, 2)
    allocator = adaptive(memory)
    machine = filled(memory, allocator, [900, 100, 1000, 500])
    kernel = allocator.allocate(0, movable=False)
    Migration(machine, budget_frames=10**9, reserve_frames=0, most_used_percent=20).run()
    # 100 of 2,048 are below 20 %, 500 are not.
    assert offline(allocator) == [1]
    assert memory.is_used(kernel)


@pytest.mark.parametrize("name", ["bank-array", "bank-list", "adaptive"])
def test_isolated_banks_come_back_when_there_is_no_other_memory(name):
    allocator = ALLOCATORS[name](one_zone(4, 2))
    frames = [allocator.allocate(9) for _ in range(5)]  # both banks are in use
    allocator.free(frames[0])
    assert allocator.isolate(1)
    assert allocator.is_isolated(1)
    got = [allocator.allocate(9) for _ in range(4)]
    assert NO_FRAME not in got
    assert allocator.allocate(9) == NO_FRAME
    assert not allocator.is_isolated(1)


@pytest.mark.parametrize("movable", [True, False])
def test_what_an_isolated_bank_has_comes_back_in_bounded_steps(movable):
    """The one free block is the last of 32,768 pages: nobody may look for it page by page."""
    moves, pages = 4, 2 * 32 * BLOCK
    memory = one_zone(64, 32)
    allocator = adaptive(memory, moves=moves)
    machine = PlacementMachine(allocator)
    machine.run(np.zeros(pages, np.uint8), np.arange(pages, dtype=np.uint32))
    unit = memory.unit_of(machine.frame_of(0))
    own = [number for number in range(pages) if memory.unit_of(machine.frame_of(number)) == unit]
    freed = sorted(own, key=machine.frame_of)[-500:]
    machine.run(np.full(500, FREE, np.uint8), np.array(freed, np.uint32))
    while not allocator.isolate(unit):
        pass
    allocator.reset_work()
    assert allocator.free_for_movable(0) == 0
    got = {allocator.allocate(0, movable=movable) for _ in range(500)}
    assert NO_FRAME not in got
    assert len(got) == 500
    assert allocator.allocate(0) == NO_FRAME
    # What is on its way, and what it needs itself: each up to `moves`, and 8 times that in blocks looked at.
    assert allocator.work.most_moves <= 2 * moves
    assert allocator.work.most_visits <= 2 * 8 * moves


def test_a_bank_just_emptied_is_off_and_yet_the_last_memory_there_is():
    memory = one_zone(128, 64)
    allocator = adaptive(memory, moves=4)
    frames = [allocator.allocate(10) for _ in range(65)]
    while not allocator.tidy():
        pass
    assert offline(allocator) == []
    unit = memory.unit_of(frames[64])
    while not allocator.isolate(unit):
        pass
    allocator.free(frames[64])  # 64 blocks are to come off the lists now, 4 an operation
    assert offline(allocator) == [unit]
    allocator.reset_work()
    assert NO_FRAME not in [allocator.allocate(10) for _ in range(64)]
    assert offline(allocator) == []
    assert allocator.allocate(10) == NO_FRAME
    assert allocator.work.most_moves <= 2 * 4


def test_low_memory_is_kept_for_requests_that_need_it():
    zones = [Zone(node=0, kind=kind, first=kind * 4 * BLOCK, frames=4 * BLOCK) for kind in range(3)]
    memory = PhysicalMemory(frames=12 * BLOCK, unit_frames=2 * BLOCK, stripe_frames=0, zones=zones)
    allocator = adaptive(memory)
    assert memory.zone_of(allocator.allocate(0)) == 2
    assert memory.zone_of(allocator.allocate(0, kind=1)) == 1
    assert memory.zone_of(allocator.allocate(0, movable=False, kind=0)) == 0
