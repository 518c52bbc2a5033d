# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of DRAM traffic share: the commands of an epoch of a small memory."""

import numpy as np
from litemrc.epochs.traffic import BANK_COUNTS, Traffic

# Two banks of a memory that moves 16 bytes in a cycle of 1 MHz: a peak of 16 MB/s.
CLOCK_HZ = 1_000_000
OBSERVED = {"cycles": 10_000, "refreshes": 12, "refresh_cycles": 20, "queue_peak": 8, "seconds": 0.01}


def traffic(reads=(600, 100), writes=(200, 100), **others) -> Traffic:
    """By default 1,000 accesses in 10,000 cycles, 740 of them row hits."""
    counts = {"row_hits": (700, 40), "activates": (100, 160), "row_conflicts": (60, 150)} | OBSERVED | others
    counts |= {"reads": reads, "writes": writes}
    arrays = {name: np.array(counts.pop(name), np.uint32) for name in BANK_COUNTS if counts[name] is not None}
    return Traffic(**{"access_bytes": 16} | counts | arrays)


def unobserved(reads: int, writes: int, seconds: float | None = None) -> Traffic:
    """What a model knows: reads and writes, and sometimes the time."""
    absent = ("row_hits", "activates", "row_conflicts", *OBSERVED)
    return traffic((reads,), (writes,), **dict.fromkeys(absent) | {"seconds": seconds})


def same(one: Traffic, other: Traffic) -> bool:
    """Whether all counts are equal, and the same are unknown."""
    plain = (*OBSERVED, "access_bytes")
    counts = [
        [None if (count := getattr(each, name)) is None else count.tolist() for name in BANK_COUNTS]
        for each in (one, other)
    ]
    return counts[0] == counts[1] and all(getattr(one, name) == getattr(other, name) for name in plain)
