# SPDX-License-Identifier: BSD-2-Clause
"""Small random programs in small memories, as the models and the native core take them."""

from dataclasses import dataclass

import numpy as np
from litemrc_studies import _core as core
from litemrc_studies.zhou2004.golden.chip_energy import ChipPower
from numpy.random import Generator
from numpy.typing import NDArray

NS = 10**6  # femtoseconds
# zhou2004, table 4; the models' own copy, so that what reads the part file is tested, too.
RDRAM = ChipPower(
    access_fs=60 * NS,
    exit_fs=(0, 6 * NS, 60 * NS, 600 * NS),
    waiting_uw=(300_000, 180_000, 30_000, 3_000),
    exit_uw=(0, 240_000, 160_000, 150_000),
)
# Nothing like it is sold: a nap that is hard to leave, deepest sleep that saves little.
ODD = ChipPower(
    access_fs=7 * NS,
    exit_fs=(0, 0, 500 * NS, 501 * NS + 1),
    waiting_uw=(90_001, 90_000, 50_000, 49_000),
    exit_uw=(0, 0, 400_000, 20_000),
)
_GAPS_NS = (0, 0, 3, 20, 59, 60, 61, 100, 130, 500, 700, 2_000, 20_000, 300_000)


@dataclass(frozen=True, eq=False)
class Program:
    """References to numbered pages, numbers in the order of first touch, and the chip of each page."""

    pages: NDArray[np.uint32]
    gaps_fs: NDArray[np.uint64]
    writes: NDArray[np.uint8]
    chip_pages: int

    @property
    def chip_of(self) -> NDArray[np.uint32]:
        return (np.arange(int(self.pages.max()) + 1) // self.chip_pages).astype(np.uint32)

    @property
    def chips(self) -> int:
        return int(self.chip_of[-1]) + 1

    @property
    def trace(self) -> core.ChipTrace:
        return core.ChipTrace(self.pages, self.gaps_fs, self.writes, self.chip_of, self.chips)


def program(rng: Generator) -> Program:
    """Random references, loops with one gap or nearly, or pages used several times in a row."""
    count, pages = int(rng.integers(1, 150)), int(rng.integers(1, 20))
    kind = rng.integers(0, 4)
    gaps = rng.choice(_GAPS_NS, count)
    writes = rng.integers(0, 2, count)
    if kind == 0:
        names = rng.integers(0, pages, count)
    elif kind == 1:
        names = np.repeat(rng.integers(0, pages, count), 3)[:count]
    else:
        names = np.arange(count) % pages
        writes = names % 2
        gap = int(rng.choice([0, 50, 100, 250, 2_000, 20_000]))
        gaps = np.full(count, gap) + rng.integers(0, gap // 6 + 15, count) * (kind == 3)
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[inverse]
    return Program(
        numbers.astype(np.uint32),
        gaps.astype(np.uint64) * np.uint64(NS),
        writes.astype(np.uint8),
        int(rng.integers(1, 5)),
    )


def native_power(power: ChipPower) -> core.ChipPower:
    return core.ChipPower(power.access_fs, power.exit_fs, power.waiting_uw, power.exit_uw)


def flat(counts: list[tuple[list[int], list[int], int]]) -> list[int]:
    """Counts of the models as the native core gives them out."""
    return [number for waited, wakes, accesses in counts for number in (*waited, *wakes, accesses)]
