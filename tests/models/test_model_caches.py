# SPDX-License-Identifier: BSD-2-Clause
"""The caches let through what those of the SoC do: LiteX's L2, VexRiscv's write-through data cache."""

import random
from pathlib import Path

import numpy as np
import pytest
from litemrc.golden.monitor.cache_hierarchy import CacheModel, Memory

from tests.models.model_library import SIZES, Model

BASE = 0x4000_0000
PAGE_SHIFT = 12
LINE, L2_LINE, ACCESS, QUEUE = 32, 16, 8, 2


class DataCache:
    """Reference: lists of lines, last used first; stores go on and bring nothing in; lines come by words."""

    def __init__(self, sets: int, ways: int, below: CacheModel, base: int, end: int) -> None:
        self.sets, self.ways, self.below, self.base, self.end = sets, ways, below, base, end
        self.lines: list[list[int]] = [[] for _ in range(sets)]

    def access(self, address: int, write: bool) -> None:
        number = address // LINE
        held = self.lines[number % self.sets]
        if write:
            self._pass(address, True)
        if number in held:
            held.remove(number)
            held.insert(0, number)
        elif not write:
            held.insert(0, number)
            del held[self.ways :]
            for word in range(number * LINE, (number + 1) * LINE, 4):
                self._pass(word, False)

    def _pass(self, address: int, write: bool) -> None:
        if self.base <= address < self.end:
            self.below.access(address, 4, write)


def dram_accesses_of(record: Path) -> list[tuple[int, bool]]:
    raw = np.load(record)
    dram = raw[raw["source"] == b"D"]
    return list(zip(dram["value"].tolist(), dram["write"].tolist(), strict=True))


@pytest.mark.parametrize(("l1_bytes", "ways"), [(0, 1), (256, 1), (512, 2), (1024, 4)])
@pytest.mark.parametrize("l2_bytes", [64, 512])
def test_dram_sees_what_the_reference_caches_let_through(
    library: Path, tmp_path: Path, l1_bytes: int, ways: int, l2_bytes: int
) -> None:
    model, draw, record = (
        Model(library, SIZES[0]),
        random.Random(l1_bytes + l2_bytes),
        tmp_path / "record.npy",
    )
    size = model.frames << PAGE_SHIFT
    assert model.set_memory(BASE, size, PAGE_SHIFT, ACCESS, QUEUE) == 0
    assert model.set_caches(l1_bytes, ways, LINE, l2_bytes, L2_LINE) == 0
    model.log(str(record).encode())
    model.control(1, 1, 0, 0, 0)

    memory = Memory()
    l2 = CacheModel(l2_bytes // L2_LINE, 1, L2_LINE, memory)
    l1 = DataCache(l1_bytes // (ways * LINE), ways, l2, BASE, BASE + size) if l1_bytes else None
    for _ in range(5000):
        # DRAM, and some other cached memory whose lines compete for the data cache.
        place = BASE + draw.choice([0, 0x8000, 0x3000]) if draw.random() < 0.9 else 0x1000_0000
        address, write = place + 4 * draw.randrange(256), draw.random() < 0.4
        model.access(address, write)
        if l1:
            l1.access(address, write)
        elif place >= BASE:
            l2.access(address, 1, write)
    model.log(None)
    expected = [
        (address - BASE + part, write)
        for address, write in memory.transfers
        for part in range(0, L2_LINE, ACCESS)
    ]
    assert dram_accesses_of(record) == expected
    assert len(expected) > 300


def test_without_caches_every_access_reaches_the_dram(library: Path) -> None:
    model = Model(library, SIZES[0])
    model.set_memory(BASE, model.frames << PAGE_SHIFT, PAGE_SHIFT, ACCESS, QUEUE)
    model.control(1, 1, 0, 0, 0)
    for _ in range(5):
        model.access(BASE + 4, 0)
    model.access(BASE - 4, 0)
    model.access(BASE + (model.frames << PAGE_SHIFT), 1)
    assert model.dram_accesses() == 5


def test_sizes_that_fit_nothing_are_refused(library: Path) -> None:
    model = Model(library, SIZES[0])
    assert model.set_caches(100, 1, 32, 0, 16) == model.set_caches(0, 1, 32, 96, 24) == 2**32 - 1
    assert model.set_memory(BASE, model.frames << 11, PAGE_SHIFT, ACCESS, QUEUE) == 2**32 - 1
