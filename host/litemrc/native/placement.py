"""Physical memory, page allocators and what runs events through them.

They trust their arguments: `machines.placement.machine` checks them. Frames are of 4 KB, kinds of zones count
from 0 (DMA, DMA32, normal). A frame is NO_FRAME where there is none.
"""

from litemrc.native._core import (
    LARGEST_BLOCK,
    MAX_ORDER,
    NO_FRAME,
    NO_OWNER,
    Adaptive,
    Allocator,
    AllocatorWork,
    BankArray,
    BankList,
    Buddy,
    Migration,
    OperationTimes,
    PhysicalMemory,
    PlacementMachine,
    StressReport,
    Zone,
    stress_allocator,
)

__all__ = [
    "LARGEST_BLOCK",
    "MAX_ORDER",
    "NO_FRAME",
    "NO_OWNER",
    "Adaptive",
    "Allocator",
    "AllocatorWork",
    "BankArray",
    "BankList",
    "Buddy",
    "Migration",
    "OperationTimes",
    "PhysicalMemory",
    "PlacementMachine",
    "StressReport",
    "Zone",
    "stress_allocator",
]
