"""Linux's buddy allocator, by hand: what it hands out, splits, merges and steals."""

import pytest
from litemrc_studies._core import LARGEST_BLOCK, NO_FRAME, Buddy, PhysicalMemory, Zone

BLOCK = LARGEST_BLOCK


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
