# SPDX-License-Identifier: BSD-2-Clause
"""Memories and allocators that the tests of placement share."""

from collections.abc import Callable

from litemrc_studies._core import (
    LARGEST_BLOCK,
    Adaptive,
    Allocator,
    BankArray,
    BankList,
    Buddy,
    PhysicalMemory,
    Zone,
)

BLOCK = LARGEST_BLOCK


def one_zone(blocks: int, unit_blocks: int, stripe_frames: int = 0) -> PhysicalMemory:
    """A node with one zone."""
    zones = [Zone(node=0, kind=2, first=0, frames=blocks * BLOCK)]
    return PhysicalMemory(
        frames=blocks * BLOCK, unit_frames=unit_blocks * BLOCK, stripe_frames=stripe_frames, zones=zones
    )


def two_nodes() -> PhysicalMemory:
    """Two nodes, the first with two zones; units of two blocks, two of which cross a border."""
    zones = [
        Zone(node=0, kind=1, first=0, frames=3 * BLOCK),
        Zone(node=0, kind=2, first=3 * BLOCK, frames=6 * BLOCK),
        Zone(node=1, kind=2, first=9 * BLOCK, frames=9 * BLOCK),
    ]
    return PhysicalMemory(frames=18 * BLOCK, unit_frames=2 * BLOCK, stripe_frames=0, zones=zones)


MEMORIES: dict[str, Callable[[], PhysicalMemory]] = {
    "one zone": lambda: one_zone(16, 2),
    "two nodes": two_nodes,
    "stripes of a block": lambda: one_zone(16, 4, BLOCK),
}

ALLOCATORS: dict[str, Callable[[PhysicalMemory], Allocator]] = {
    "buddy": Buddy,
    "bank-array": BankArray,
    "bank-list": BankList,
    "adaptive": lambda memory: Adaptive(memory, reserve_frames=100, moves_per_operation=4),
    "adaptive, whole banks": lambda memory: Adaptive(memory, reserve_frames=0, moves_per_operation=0),
}


def units(memory: PhysicalMemory) -> list[list[int]]:
    """Of each unit: frames, used, unmovable, crossing."""
    return memory.unit_rows().reshape(-1, 4).tolist()


def offline(allocator: Allocator) -> list[int]:
    """The units that are."""
    return [unit for unit, is_offline in enumerate(allocator.offline().tolist()) if is_offline]
