"""What must hold of every allocator whatever is asked of it: random operations, and a book beside them."""

import os

import pytest
from litemrc_studies._core import Buddy, stress_allocator
from litemrc_studies.panwar2015.tests.placement_machines import ALLOCATORS, BLOCK, MEMORIES, one_zone

OPERATIONS = int(os.environ.get("LITEMRC_STRESS_OPERATIONS", "100_000"))
CHECKED_EVERY = max(1009, OPERATIONS // 100)  # a look at all of memory


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", ALLOCATORS)
@pytest.mark.parametrize(("seed", "unmovable"), [(1, 0), (2, 5), (3, 30)])
def test_pages_are_whole_owned_once_and_come_back(name, memory, seed, unmovable):
    allocator = ALLOCATORS[name](MEMORIES[memory]())
    report = stress_allocator(
        allocator,
        seed=seed,
        operations=OPERATIONS,
        fullest_percent=97,
        unmovable_percent=unmovable,
        checked_every=CHECKED_EVERY,
        migrates=True,
    )
    assert report.wrong == ""
    # The run met what it is about.
    assert report.allocations > OPERATIONS / 3
    assert report.offline_seen > 0
    if allocator.can_isolate():
        assert report.copied_frames > 0
        assert report.emptied_units > 0


def test_pages_smaller_than_a_block_may_be_interleaved_by_the_buddy():
    report = stress_allocator(
        Buddy(one_zone(16, 4, stripe_frames=8)),
        seed=1,
        operations=OPERATIONS,
        fullest_percent=100,
        unmovable_percent=10,
        checked_every=CHECKED_EVERY,
        migrates=False,
    )
    assert report.wrong == ""


@pytest.mark.parametrize("seed", range(3))
def test_with_banks_to_spare_no_operation_of_adaptive_moves_more_than_twice_what_it_may(seed):
    """A part of what is on its way, and one of what it needs itself."""
    moves = 4
    allocator = ALLOCATORS["adaptive"](one_zone(256, 16))
    report = stress_allocator(
        allocator,
        seed=seed,
        operations=OPERATIONS,
        fullest_percent=60,
        unmovable_percent=5,
        checked_every=0,
        migrates=True,
    )
    assert report.wrong == ""
    assert 0 < allocator.work.most_moves <= 2 * moves
    # Splitting from the largest block to a page takes 10 insertions and a removal; merging as many.
    assert allocator.work.most_list_work <= 2 * moves + 11
    assert BLOCK == 2**10
