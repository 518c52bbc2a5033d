# SPDX-License-Identifier: BSD-2-Clause
"""Traces through allocators: shares and energy worked out by hand, and how near the optimum they come."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.panwar2015.machine.energy import (
    awake_energy_mj,
    memory_power,
    page_copy_mj,
    run_energy_mj,
)
from litemrc_studies.panwar2015.machine.placement import Placement, optimal_share, simulate
from litemrc_studies.panwar2015.machine.workloads.events import FREE, UNMOVABLE, Events
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, MEDIUM, FootprintTrace

MIB = 1 << 20


@dataclass
class Told:
    """Ticks written by hand: (code, number) each."""

    written: list[list[tuple[int, int]]]
    title: str = "told"
    tick_s: float = 0.5
    notes: list[str] = field(default_factory=list)

    @property
    def ticks(self) -> int:
        return len(self.written)

    def __iter__(self):
        for tick in self.written:
            codes, numbers = zip(*tick, strict=True) if tick else ((), ())
            yield Events(np.array(codes, np.uint8), np.array(numbers, np.uint32))


def machine(**changes) -> Placement:
    """64 MiB beyond 16 MiB of zone DMA, in banks of 4 MiB; no migration, nothing scrambled, no reserve."""
    plain = {
        "memory_bytes": 64 * MIB,
        "units": 16,
        "migrate_every": 0,
        "reserve_pages": 0,
        "scramble": False,
    }
    return Placement(**plain | changes)


def test_the_optimum_counts_the_units_that_so_many_pages_need():
    units = np.array([1024, 1024, 512])
    used = np.array([0, 1, 1024, 1025, 2048, 2049, 2560])
    # 2,560 pages in all; the smaller unit is filled last.
    expected = [1, 1536 / 2560, 1536 / 2560, 512 / 2560, 512 / 2560, 0, 0]
    assert optimal_share(used, units).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("allocator", ["buddy", "bank-array", "bank-list", "adaptive"])
def test_shares_are_those_of_the_banks_with_pages(allocator):
    ticks = [[(10, 0)], [(10, 1), (UNMOVABLE, 2)], [(FREE, 0), (FREE, 1)], []]
    run = simulate(Told(ticks), machine(), allocator)
    assert run.used.tolist() == [1024, 2049, 1, 1]
    # No block fits beside another one: a bank each, and one for the kernel. The users' pool of adaptive keeps
    # a bank: it gives up the second one, with a bank and a quarter to spare, but not the first.
    kept = allocator == "adaptive"
    assert (16 * run.offline_share).tolist() == [15, 13, 15 - kept, 15 - kept]
    assert (16 * run.optimal_share).tolist() == [15, 13, 15, 15]
    assert run.unmovable_units.tolist() == [0, 1, 1, 1]
    assert (run.failed, run.copied_pages, run.times.allocations, run.times.frees) == (0, 0, 3, 2)


def test_memory_that_is_full_is_reported():
    run = simulate(Told([[(10, number) for number in range(17)], [(FREE, 16)]]), machine(), "adaptive")
    assert (run.failed, run.failed_pages) == (1, 1024)
    assert run.used.tolist() == [16 * 1024] * 2  # what got no memory frees none


def test_energy_is_that_of_units_awake_asleep_and_of_copies():
    run = simulate(Told([[(10, 0)], [(10, 1)]]), machine(), "adaptive")
    power = memory_power("mt41k256m16-125:n", "self-refresh")
    # 4 Gb chips: 64 MiB are an eighth of one. Half a second with 1 of 16 banks in use, half a second with 2.
    # Of the data sheet: 1.35 V, IDD2N 24, IDD5B 175, IDD6 12 mA; tRFC 208 clocks of 800 MHz each 7812.5 ns.
    standby = 1.35 * (24 + (175 - 24) * 208 / 0.8 / 7812.5)
    expected = 0.5 / 8 * ((1 + 2) / 16 * standby + (15 + 14) / 16 * 1.35 * 12)
    assert run_energy_mj(run, power) == pytest.approx(expected)
    assert awake_energy_mj(run, power) == pytest.approx(standby / 8)
    off = memory_power("mt41k256m16-125:n", "off")
    assert run_energy_mj(run, off) == pytest.approx(0.5 / 8 * 3 / 16 * standby)
    # A page: 256 bursts of 16 bytes out, and in; each tRC with IDD0, and 4 clocks of IDD4R - IDD3N.
    burst_mj = 1.35 * (57 + (155 - 38) * 4 / 39) * 39 / 0.8 * 1e-9
    assert page_copy_mj(power) == pytest.approx(512 * burst_mj)


@pytest.mark.parametrize(("workload", "within"), [(LIGHT, 5), (MEDIUM, 6)])
def test_adaptive_comes_near_the_optimum_and_keeps_the_kernel_together(workload, within):
    placement = Placement(memory_bytes=1 << 30, units=128, migrate_every=10, reserve_pages=128)
    trace = FootprintTrace(workload, placement.frames, ticks=150, seed=1)
    adaptive = simulate(trace, placement, "adaptive")
    buddy = simulate(trace, placement, "buddy")
    assert 100 * (adaptive.optimal_share - adaptive.offline_share).mean() < within
    assert adaptive.offline_share.mean() > buddy.offline_share.mean() + 0.2
    assert (adaptive.offline_share <= adaptive.optimal_share).all()
    assert adaptive.copied_pages > 0
    assert buddy.copied_pages == 0
    assert adaptive.most_moves <= 64
    np.testing.assert_array_equal(adaptive.used, buddy.used)


def test_migration_more_often_leaves_more_offline_and_copies_more():
    trace = FootprintTrace(LIGHT, (1 << 30) // 4096, ticks=150, seed=1)
    runs = [
        simulate(
            trace,
            Placement(memory_bytes=1 << 30, units=128, migrate_every=every, reserve_pages=128),
            "adaptive",
        )
        for every in (0, 50, 10)
    ]
    assert np.all(np.diff([run.offline_share.mean() for run in runs]) > 0)
    assert np.all(np.diff([run.copied_pages for run in runs]) > 0)


def test_interleaved_memory_has_no_bank_to_spare():
    trace = FootprintTrace(LIGHT, (1 << 28) // 4096, ticks=20, seed=1)
    run = simulate(trace, Placement(memory_bytes=1 << 28, units=16, interleave_bytes=4096), "buddy")
    assert run.offline_share.max() == 0
    assert run.crossing.all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"memory_bytes": 0}, "0 bytes"),
        ({"memory_bytes": 3 * MIB}, "3,145,728 bytes"),
        ({"memory_bytes": 1 << 50}, "1 TiB"),
        ({"memory_bytes": 12 * MIB, "nodes": 2}, "among 2 nodes"),
        ({"units": 0}, "0 banks"),
        ({"units": 17}, "17 banks"),
        ({"interleave_bytes": 2048}, "interleaved by 2048"),
        ({"interleave_bytes": 12288}, "interleaved by 12288"),
    ],
)
def test_machines_that_cannot_be_are_refused(wrong, said):
    with pytest.raises(UserError) as refused:
        machine(**wrong)
    assert said in str(refused.value)
    assert refused.value.remedy


def test_what_cannot_run_is_refused():
    with pytest.raises(UserError, match="no allocator 'slab'"):
        simulate(Told([[(0, 0)]]), machine(), "slab")
    with pytest.raises(UserError, match="blocks that lie in one bank"):
        simulate(Told([[(0, 0)]]), machine(interleave_bytes=4096), "adaptive")
    with pytest.raises(UserError, match="no page is in use"):
        simulate(Told([[]]), machine(), "buddy")
    with pytest.raises(UserError, match="has no allocations"):
        simulate(Told([]), machine(), "buddy")
    with pytest.raises(UserError, match="no low state 'nap'"):
        memory_power("mt41k256m16-125:n", "nap")
    with pytest.raises(UserError, match="size of the chip"):
        memory_power("rdram-zhou2004", "off")
