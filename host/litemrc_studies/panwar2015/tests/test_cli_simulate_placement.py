# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate placement`: output, errors, footprints, and limits of the machine's settings."""

import json
from pathlib import Path

import numpy as np
import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.panwar2015.command.placement import footprint
from litemrc_studies.panwar2015.machine import placement as module
from litemrc_studies.panwar2015.machine.energy import memory_power
from litemrc_studies.panwar2015.machine.placement import Placement, Simulation, simulate
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, FootprintTrace

from tests.host.in_process import Done, litemrc

SAMPLE = Path(__file__).parent / "data/compile.kmem.xz"
SMALL = ("--memory", "256M", "--banks", "32")
PNG = b"\x89PNG\r\n\x1a\n"
KEYS = {
    *("allocator", "offline_percent", "optimal_percent", "max_offline_percent", "migrated_pages"),
    *("unmovable_banks", "alloc_ns_mean", "alloc_ns_max", "metadata_bytes", "energy_mj"),
}
MIB, GIB = 1 << 20, 1 << 30
BLOCK = 4 * MIB


def run(*arguments: object) -> Done:
    return litemrc("simulate", "placement", *arguments)


def test_json_has_a_result_for_each_allocator_of_a_workload():
    done = run(
        *("--workload", "light", "--ticks", "40", "--allocator", "buddy,bank-array,bank-list,adaptive"),
        *(*SMALL, "--migrate-every", "10", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    got = json.loads(done.stdout)
    results = {result["allocator"]: result for result in got["results"]}
    assert list(results) == ["buddy", "bank-array", "bank-list", "adaptive"]
    for result in results.values():
        assert set(result) >= KEYS
        assert 0 <= result["offline_percent"] <= result["max_offline_percent"] <= 100
        assert result["offline_percent"] <= result["optimal_percent"]
        assert 0 < result["energy_mj"] < result["awake_energy_mj"]
        assert 0 < result["alloc_ns_mean"] <= result["alloc_ns_max"]
    assert results["buddy"]["migrated_pages"] == 0
    assert results["adaptive"]["offline_percent"] > results["buddy"]["offline_percent"]
    assert (got["ticks"], got["banks"], got["memory_bytes"]) == (40, 32, 256 << 20)


def test_a_recording_runs_and_says_what_it_does_not_know(tmp_path):
    plot, banks = tmp_path / "time.png", tmp_path / "map.svg"
    done = run(
        *(SAMPLE, "--memory", "64M", "--banks", "16", "--allocator", "buddy,adaptive"),
        *("--plot", plot, "--plot-map", banks),
    )
    assert done.returncode == 0
    assert "70 frees of blocks allocated before the recording" in done.stderr
    assert "adaptive" in done.stdout
    assert plot.read_bytes().startswith(PNG)
    assert "<svg" in banks.read_text()


@pytest.mark.parametrize(
    ("workload", "ticks"),
    [
        (("--workload", "light", "--ticks", "4"), 2),  # of a second
        (("--workload", "compile", "--files", "20"), 20),  # of 0.1 s
        ((SAMPLE,), 200),  # of 10 ms
        ((SAMPLE, "--tick-ms", "5000"), 1),
    ],
)
def test_migration_is_every_two_seconds_whatever_a_tick_is(workload, ticks, capsys):
    line = [*map(str, workload), "--allocator", "adaptive", "--memory", "64M", "--banks", "16", "--json"]
    assert main(["simulate", "placement", *line]) == 0
    assert json.loads(capsys.readouterr().out)["migrate_every"] == ticks


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no workload is given"),
        (("--workload", "light", "--footprint", "1:2:3"), "more than one workload"),
        (("--workload", "heavy"), "invalid choice: 'heavy'"),
        (("--footprint", "50:40:60"), "mean footprint, 40%"),
        (("--footprint", "10:20"), "LOW:MEAN:HIGH"),
        (("--workload", "light", "--allocator", "buddy,slab"), "no allocator is named 'slab'"),
        (("--workload", "light", "--memory", "3G5"), "must be a number of pages, or bytes with a unit"),
        (("--workload", "light", "--memory", "5M"), "5,242,880 bytes"),
        (("--workload", "light", "--memory", "64M", "--banks", "17"), "17 banks"),
        (("--workload", "light", *SMALL, "--interleave", "4K"), "needs blocks that lie in one bank"),
        (("--workload", "light", "--part", "ddr9"), "ddr9"),
        (("--workload", "light", "--low-state", "nap"), "no low state 'nap'"),
        (("--workload", "light", "--migrate-below", "0"), "number from 1 to 100"),
        (("--workload", "light", "--plot", "x.pdf"), "must end in .png or .svg"),
        (("nowhere.txt",), "cannot read: No such file"),
    ],
)
def test_bad_arguments_are_refused_with_what_to_do(arguments, said, capsys):
    try:
        code = main(["simulate", "placement", *arguments])
    except SystemExit as ended:  # argparse
        code = ended.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_a_broken_recording_is_refused_with_its_line(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text(
        "# tracer: nop\n x-1 [000] ..... 1.5: mm_page_alloc: page=1 pfn=0x3 order=1 migratetype=1\n"
    )
    done = run(path)
    assert done.returncode == 2
    assert f"{path}:2" in done.stderr


def test_a_footprint_is_given_in_percent():
    shares = footprint("20:40:90")
    assert (shares.low, shares.mean, shares.high) == (0.2, 0.4, 0.9)


def test_what_is_not_given_is_the_papers_machine():
    """panwar2015/page.md: 32 GB in banks of 128 MB; migration every 2 ticks without a budget."""
    plain = Placement(32 * GIB, 256, 1, 0, 2, 0, 100, 4096, 16, True, 1)
    assert Placement() == plain
    assert plain.unit_frames * 4096 == 128 * MIB


def zones(monkeypatch, **given):
    monkeypatch.setattr(module, "PhysicalMemory", lambda **told: told)
    memory = Placement(**given).memory()
    return memory, [(each.node, each.kind, each.first * 4096, each.frames * 4096) for each in memory["zones"]]


def test_zones_are_dma_to_16_mib_dma32_to_4_gib_and_normal(monkeypatch):
    small, found = zones(monkeypatch, memory_bytes=64 * MIB, units=5, interleave_bytes=0)
    assert found == [(0, 0, 0, 16 * MIB), (0, 1, 16 * MIB, 48 * MIB)]
    # 16 blocks in 5 banks: 4 blocks each, of which the last bank has none.
    assert (small["frames"], small["unit_frames"], small["stripe_frames"]) == (16_384, 4096, 0)
    _, found = zones(monkeypatch, memory_bytes=16 * MIB, units=1)
    assert found == [(0, 0, 0, 16 * MIB)]
    large, found = zones(monkeypatch, memory_bytes=12 * GIB, units=64, nodes=2, interleave_bytes=8192)
    assert found == [
        (0, 0, 0, 16 * MIB),
        (0, 1, 16 * MIB, 4 * GIB - 16 * MIB),
        (0, 2, 4 * GIB, 2 * GIB),
        (1, 2, 6 * GIB, 6 * GIB),
    ]
    assert large["stripe_frames"] == 2


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"memory_bytes": 1 << 40}, {"memory_bytes": (1 << 40) + BLOCK}),
        ({"memory_bytes": BLOCK, "units": 1}, {"memory_bytes": 0, "units": 1}),
        (
            {"memory_bytes": 2 * BLOCK, "nodes": 2, "units": 1},
            {"memory_bytes": 3 * BLOCK, "nodes": 2, "units": 1},
        ),
        ({"memory_bytes": 64 * MIB, "units": 16}, {"memory_bytes": 64 * MIB, "units": 17}),
        ({"memory_bytes": 1 << 40, "units": 16_384}, {"memory_bytes": 1 << 40, "units": 16_385}),
        ({"units": 1}, {"units": 0}),
        ({"interleave_bytes": 4096}, {"interleave_bytes": 2048}),
        ({"interleave_bytes": 128 * MIB}, {"interleave_bytes": 256 * MIB}),
        ({"interleave_bytes": 8192}, {"interleave_bytes": 12_288}),
    ],
)
def test_machines_have_limits(good, bad):
    Placement(**good)
    with pytest.raises(UserError, match=r"memory|banks"):
        Placement(**bad)


def test_blocks_of_interleaved_banks_are_whole_for_all_allocators_but_the_buddy():
    for allocator in ("bank-array", "tray"):
        Simulation(Placement(interleave_bytes=BLOCK, scramble=False), allocator)
        with pytest.raises(UserError, match="interleaved by 2 MiB"):
            Simulation(Placement(interleave_bytes=2 * MIB), allocator)


def run_of(allocator="adaptive", ticks=12, timed=True, **changes):
    given = {"memory_bytes": 256 * MIB, "units": 32, "reserve_pages": 64, "migrate_every": 4} | changes
    placement = Placement(**given)
    return simulate(
        FootprintTrace(LIGHT, placement.frames, ticks=ticks, seed=1), placement, allocator, timed=timed
    )


def test_migration_is_at_the_end_of_every_so_manieth_tick_and_within_its_budget():
    free = run_of(ticks=60)
    copied = np.diff(free.copied, prepend=0)
    assert {tick % 4 for tick in np.flatnonzero(copied)} == {3}
    assert free.copied_pages == copied.sum() > 0
    few = run_of(ticks=60, migration_pages=300)  # a bank is emptied completely or not at all
    assert 0 < np.diff(few.copied, prepend=0).max() <= 300 < copied.max()
    assert 0 < run_of(ticks=60, most_used_percent=20).copied_pages < free.copied_pages
    assert run_of(ticks=60, migrate_every=0).copied_pages == 0


def test_pages_of_units_add_up_and_are_those_in_use():
    run = run_of("buddy", units=24)  # 64 blocks in 22 banks of 3; the last one has a block
    assert run.unit_pages.tolist() == [3072] * 21 + [1024]
    assert run.used_of_unit.sum(axis=1).tolist() == run.used.tolist()
    assert (run.unmovable_of_unit <= run.used_of_unit).all()
    assert 0 < run.unmovable_of_unit.sum() < run.used_of_unit.sum()
    # Zone DMA ends within the second bank: 16 of 12 MiB.
    assert np.flatnonzero(run.crossing).tolist() == [1]


def test_operations_are_timed_if_asked():
    assert run_of(timed=False).times.allocations == 0 < run_of().times.allocations


def test_scrambling_is_free_of_work_and_differs_by_seed_only():
    first = {seed: run_of("buddy", ticks=1, seed=seed).used_of_unit[0].tolist() for seed in (1, 2)}
    assert first[1] != first[2]
    assert first[1] == run_of("buddy", ticks=1).used_of_unit[0].tolist()
    plain = run_of("buddy", ticks=1, scramble=False)
    assert plain.used_of_unit[0].tolist() not in first.values()
    assert plain.used.tolist() == [sum(first[1])]
    fresh = Simulation(Placement(memory_bytes=256 * MIB, units=32), "adaptive")
    assert (fresh._memory.used, fresh._pages.work.most_moves, fresh._pages.work.most_list_work) == (0, 0, 0)


def test_a_bank_can_be_low_in_the_states_below_standby():
    """MT41K256M16-125:N at 1.35 V: IDD2P0 8 mA and its refresh; self-refresh 12 mA without."""
    refresh = 1.35 * (175 - 24) * 208 / 0.8 / 7812.5
    for state, mw in (("power-down", 1.35 * 8 + refresh), ("self-refresh", 1.35 * 12), ("off", 0)):
        assert memory_power("mt41k256m16-125:n", state).low_mw == pytest.approx(mw)
    for state in ("standby", "active standby"):
        with pytest.raises(UserError, match="no low state"):
            memory_power("mt41k256m16-125:n", state)
