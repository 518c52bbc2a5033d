# SPDX-License-Identifier: BSD-2-Clause
"""DAMON in qemu beside the recorder, with the kernel of `make linux-damon`."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces.qemu.emulator import machine_emulator, plugin_for

from scripts.damon.damon_guest import IMAGES, TOUCHES_PER_MARK, record
from scripts.damon.damon_recorded import Setting
from scripts.damon.damon_scores import hottest, score
from scripts.damon.damon_windows import Windows, mark_times

PAGES, MS = 1024, 1500
WARM_UP_NS = 500_000_000


@pytest.fixture(scope="module", params=["vaddr", "paddr"])
def recorded(request, tmp_path_factory):
    if not (IMAGES / "initramfs-damon.cpio").exists():
        pytest.skip(f"{IMAGES} has no kernel with DAMON: make linux-damon")
    try:
        plugin_for(machine_emulator(["qemu-system-riscv32"]))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    return record(tmp_path_factory.mktemp("damon"), Setting(request.param), "zipf", PAGES, MS)


def test_the_recorder_sees_each_touch_as_a_load_and_a_store(recorded):
    """Between the first mark and the last; the intervals at both ends are cut there."""
    times = mark_times(recorded)
    inside = (recorded.counted_times > times[0]) & (recorded.counted_times <= times[-1])
    of_data = inside & np.isin(recorded.counted_frames, recorded.log.frames)
    touches = (times.size - 1) * TOUCHES_PER_MARK
    assert recorded.counted[of_data].sum() == pytest.approx(2 * touches, rel=0.01)
    assert touches > 100_000


def test_the_references_are_by_zipfs_law(recorded):
    """Page k, from 0, has 1 of (k + 1) H(1024) touches. Lines of the first pages are often in the caches."""
    windows = Windows.of(recorded, WARM_UP_NS)
    references = windows.references().sum(axis=0)
    harmonic = (1 / np.arange(1, PAGES + 1)).sum()
    for page in (0, 1, 9):
        share = references[page] / references.sum()
        assert share == pytest.approx(1 / ((page + 1) * harmonic), rel=0.05)
    assert np.flatnonzero(hottest(references, 10)).tolist() == list(range(10))
    dram = windows.dram_accesses().sum(axis=0)
    assert dram[0] / dram.sum() < references[0] / references.sum()
    assert dram[:100].sum() > dram[-100:].sum()


def test_damon_finds_the_hottest_pages_warmer_than_the_coldest(recorded, request):
    """`paddr` divides all of the memory, so a region may have pages of other programs: only of `vaddr`."""
    ranks = Windows.of(recorded, WARM_UP_NS).damon()
    assert len(ranks) >= 5 and ranks.max() > 0
    if "vaddr" in request.node.callspec.id:
        assert ranks[:, : PAGES // 10].mean() > 1.3 * ranks[:, PAGES // 2 :].mean()


def test_the_unit_lists_most_of_the_hottest_pages_in_every_window(recorded):
    """Some 40 pages of others are on its list, as the table of draws is hot."""
    windows = Windows.of(recorded, WARM_UP_NS)
    for listed, exact in zip(windows.hot_pages(128), windows.dram_accesses(), strict=True):
        assert score(listed, hottest(exact, 32), 32).recall > 0.9
