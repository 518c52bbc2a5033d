# SPDX-License-Identifier: BSD-2-Clause
"""Trays as an allocator: random requests, and by hand the tray that serves each request."""

import os

import numpy as np
import pytest
from litemrc_studies._core import (
    LARGEST_BLOCK,
    NO_FRAME,
    PhysicalMemory,
    Tray,
    Zone,
    allocate_pages,
    free_pages,
    stress_allocator,
)

BLOCK = LARGEST_BLOCK
OPERATIONS = int(os.environ.get("LITEMRC_STRESS_OPERATIONS", "150_000"))


def memory_of(trays: int, blocks: int, nodes: int = 1) -> PhysicalMemory:
    """Trays of n largest blocks; the first node has a DMA32 zone, which ends amid a tray if it can."""
    of_node = trays * blocks * BLOCK // nodes
    low = max(1, blocks * 3 // 2) * BLOCK
    zones = [Zone(node=0, kind=1, first=0, frames=low), Zone(node=0, kind=2, first=low, frames=of_node - low)]
    zones += [Zone(node=node, kind=2, first=node * of_node, frames=of_node) for node in range(1, nodes)]
    return PhysicalMemory(
        frames=trays * blocks * BLOCK, unit_frames=blocks * BLOCK, stripe_frames=0, zones=zones
    )


def units(memory: PhysicalMemory, frames) -> list[int]:
    return [memory.unit_of(int(frame)) for frame in frames]


@pytest.mark.parametrize(("trays", "blocks", "nodes"), [(8, 2, 1), (16, 1, 2), (2, 8, 1)])
@pytest.mark.parametrize(("seed", "unmovable"), [(1, 0), (2, 20)])
def test_pages_are_whole_owned_once_and_come_back(trays, blocks, nodes, seed, unmovable):
    """The book of `native/placement/stress.hpp` beside it; migration isolates trays and lets them rejoin."""
    tray = Tray(memory_of(trays, blocks, nodes))
    report = stress_allocator(
        tray,
        seed=seed,
        operations=OPERATIONS,
        fullest_percent=97,
        unmovable_percent=unmovable,
        checked_every=max(1009, OPERATIONS // 100),
        migrates=True,
    )
    assert report.wrong == ""
    assert report.allocations > OPERATIONS / 3
    # The kernel's pages may lie in every tray, and then none can be emptied.
    assert report.copied_frames > 0 or unmovable


def test_random_hints_and_guides_keep_the_book():
    """Frames are handed out once; counts by use are those of a plain book; all memory comes back whole."""
    memory = memory_of(4, 2)
    tray = Tray(memory)
    rng = np.random.default_rng(5)
    held: list[tuple[int, int, int]] = []
    taken = np.zeros(memory.frames, bool)
    for step in range(30_000):
        if step % 500 == 0:
            order = rng.permutation(4)[: rng.integers(0, 5)].tolist()
            tray.guide(int(rng.integers(0, 4)), order, bool(rng.integers(0, 2)) and bool(order))
        if held and rng.random() < 0.47:
            frame, order, _ = held.pop(int(rng.integers(len(held))))
            tray.free(frame)
            taken[frame : frame + 2**order] = False
            continue
        order, hint = int(rng.integers(0, 5)), int(rng.integers(0, 4))
        frame = tray.allocate(order, movable=bool(rng.integers(0, 2)), hint=hint)
        if frame != NO_FRAME:
            assert not taken[frame : frame + 2**order].any()
            taken[frame : frame + 2**order] = True
            held.append((frame, order, hint))
        if step % 1000 == 0:
            for hint in range(4):
                booked = [0] * 4
                for frame, order, of_hint in held:
                    booked[memory.unit_of(frame)] += 2**order * (of_hint == hint)
                assert [tray.furnished(hint, unit) for unit in range(4)] == booked
    assert len(held) > 100
    for frame, _, _ in held:
        tray.free(frame)
    assert [tray.free_in(unit) for unit in range(4)] == [2 * BLOCK] * 4
    for hint in range(4):
        tray.guide(hint, [], False)
    whole = [tray.allocate(10) for _ in range(8)]
    assert sorted(whole) == [block * BLOCK for block in range(8)]


def test_similar_use_stays_in_a_tray_until_it_is_full():
    memory = memory_of(4, 2)
    tray = Tray(memory)
    user = allocate_pages(tray, 10, hint=1)
    kernel = allocate_pages(tray, 10, movable=False, hint=1)
    other = allocate_pages(tray, 10, hint=2)
    # The normal zone is half of tray 1 and the trays 2 and 3; all have as much free: the first one.
    assert set(units(memory, user)) == {1}
    assert set(units(memory, kernel)) == {2}  # no tray has served the kernel, and tray 1 has less free
    assert set(units(memory, other)) == {3}
    rest = allocate_pages(tray, 2 * BLOCK, hint=1)
    of_tray = np.bincount(units(memory, rest), minlength=4).tolist()
    # Tray 1 as far as it is in this zone, then the first of those that have most free.
    assert of_tray == [0, BLOCK - 10, BLOCK + 10, 0]


def test_a_guided_use_goes_where_it_is_led_and_nowhere_else_if_bound():
    memory = memory_of(4, 1)
    tray = Tray(memory)
    tray.guide(7, [3, 0], True)
    frames = allocate_pages(tray, 3 * BLOCK, hint=7)
    assert units(memory, frames) == [3] * BLOCK + [0] * BLOCK
    assert tray.allocate(hint=7) == NO_FRAME
    tray.guide(7, [3, 0], False)
    assert memory.unit_of(tray.allocate(hint=7)) in (1, 2)
    tray.guide(7, [3, 0], True)
    free_pages(tray, frames[BLOCK : BLOCK + 1])
    assert tray.allocate(hint=7) == frames[BLOCK]


def test_an_isolated_tray_serves_no_request_that_has_another_choice():
    memory = memory_of(3, 1)
    tray = Tray(memory)
    tray.guide(1, [2], False)
    tray.isolate(2)
    assert memory.unit_of(tray.allocate(hint=1)) != 2
    tray.rejoin(2)
    assert memory.unit_of(tray.allocate(hint=1)) == 2


def test_an_isolated_tray_comes_back_rather_than_that_a_request_fails():
    memory = memory_of(2, 1)
    tray = Tray(memory)
    tray.guide(1, [1], True)
    tray.isolate(1)
    assert tray.allocate(hint=1, wake=False) == NO_FRAME
    assert memory.unit_of(tray.allocate(hint=1)) == 1
    assert memory.unit_of(tray.allocate(hint=1, wake=False)) == 1  # it is in use again


def test_a_request_that_may_wake_nobody_gets_pages_of_trays_in_use():
    memory = memory_of(4, 1)
    tray = Tray(memory)
    assert tray.allocate(wake=False) == NO_FRAME
    first = tray.allocate()
    assert memory.unit_of(tray.allocate(wake=False)) == memory.unit_of(first)
    assert memory.unit_of(tray.allocate(wake=False, movable=False)) == memory.unit_of(first)
    assert tray.allocate(wake=False) == NO_FRAME  # the kernel's trays are left to it


def test_a_tray_that_was_emptied_is_as_any_other():
    tray = Tray(memory_of(2, 1))
    tray.guide(1, [1], True)
    frame = tray.allocate(hint=1)
    tray.isolate(1)
    assert tray.is_isolated(1)
    tray.free(frame)
    assert not tray.is_isolated(1)


def test_wrong_arguments_are_refused():
    memory = memory_of(2, 1)
    tray = Tray(memory)
    for wrong in (
        lambda: tray.guide(1, [2], False),
        lambda: tray.guide(1 << 15, [0], False),
        lambda: free_pages(tray, np.array([5], np.uint32)),
        lambda: Tray(
            PhysicalMemory(frames=4 * BLOCK, unit_frames=BLOCK, stripe_frames=1, zones=memory_of(4, 1).zones)
        ),
    ):
        with pytest.raises(ValueError):
            wrong()
