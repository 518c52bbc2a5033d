"""Physical memory, page allocators, trays (Jantz et al. 2013, section 4.2), and the machine that runs events.

Arguments are not checked: `machines.placement.machine` does that. Frames have 4 KB; kinds of zones count
from 0 (DMA, DMA32, normal). NO_FRAME stands for no frame. Hints of trays are numbers below 32,768 that the
caller assigns to uses and colors; 0 is no hint.
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
    Tray,
    Zone,
    allocate_pages,
    free_pages,
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
    "Tray",
    "Zone",
    "allocate_pages",
    "free_pages",
    "stress_allocator",
]
